"""Where a worker's features come from and its vectors go: a store of this machine, or a hub's."""

from __future__ import annotations

import time
from collections.abc import Set
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from store.claims import Claims as Locks
from store.database import Database
from store.errors import StoreBusy
from store.read import Reader, open_read

_LOOK_AGAIN_S: Final = 0.5


class Claims(Protocol):
    """Which buckets are this worker's."""

    def take(self, bucket: int) -> bool:
        """Claim a bucket; whether it was free."""
        ...

    def give_back(self, bucket: int) -> None:
        """All of a bucket is done."""
        ...

    def finished(self) -> Set[int]:
        """Buckets that others have done, where that cannot be seen from their vectors yet."""
        ...


class Workplace(Protocol):
    """What a worker works on.

    Attributes:
        folder: Where its journal of vectors goes, in a folder `vectors`.
    """

    folder: Path

    def open(self) -> Reader:
        """Open the store for reading."""
        ...

    def claims(self, encoder_id: str, wanted: str) -> AbstractContextManager[Claims]:
        """Claims on the work of an encoder.

        Args:
            encoder_id: Which.
            wanted: Stands for the features that get vectors.
        """
        ...

    def hand_over(self, patience_s: float) -> bool:
        """Bring finished vectors on their way; whether all are where they belong.

        Args:
            patience_s: How long to try, where something is in the way (seconds).
        """
        ...


class Here:
    """A store of this machine."""

    def __init__(self, store: Path) -> None:
        self.folder = store

    def open(self) -> Reader:
        """Open the store for reading."""
        return open_read(self.folder)

    def claims(self, encoder_id: str, wanted: str) -> AbstractContextManager[Claims]:
        """Claims by locks, which end with this process."""
        del wanted
        return Locks(self.folder, encoder_id)

    def hand_over(self, patience_s: float) -> bool:
        """Own the database for a moment, which takes the journal in; whether it was free."""
        until = time.monotonic() + patience_s
        while True:
            try:
                with Database(self.folder):
                    return True
            except StoreBusy:
                if time.monotonic() >= until:
                    return False
                time.sleep(_LOOK_AGAIN_S)
