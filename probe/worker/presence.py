"""Whether other workers are at work in a folder. A lock says so, which ends with its process."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from store.errors import StoreBroken

_NAME: Final = "at-work.lock"
_FIX: Final = "mend its permissions, or name another with --state"


class Presence:
    """One worker's presence in a folder. Close it at the end."""

    def __init__(self, folder: Path) -> None:
        """Come in, unseen yet.

        Raises:
            StoreBroken: The folder cannot be made or written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreBroken(folder, f"cannot be written ({error.strerror})", _FIX) from None

    def alone(self) -> bool:
        """Whether nobody else is at work; if so, who comes waits until this one is seen."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def be_seen(self) -> None:
        """From now on others see this one, and do not take its files for a dead worker's."""
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    def close(self) -> None:
        """Leave."""
        os.close(self._lock)
