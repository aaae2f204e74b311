"""What a lake's writers keep on their own machine: journals, logs, and how a run stands.

Each process that writes has a folder of its own, held by a lock that the system takes back when
the process ends, however it ends. A folder nobody holds may have a journal that the lake lacks.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from store.address import Lake
from store.errors import StoreBroken

_LOCK: Final = "held"
_FIX: Final = "mend its permissions, or name another folder for state in XDG_STATE_HOME"


@dataclass(frozen=True, slots=True)
class Slot:
    """A folder that this process holds.

    Attributes:
        lock: The open file whose lock says so.
    """

    folder: Path
    lock: int

    def release(self) -> None:
        """Let others have it."""
        os.close(self.lock)


def home(lake: Lake) -> Path:
    """Where this machine keeps what belongs to a lake."""
    return Path(platformdirs.user_state_dir("gistprobe"), "lakes", lake.digest)


def take_slot(lake: Lake) -> Slot:
    """The first folder that no other process holds, made if need be.

    Raises:
        StoreBroken: It cannot be made or locked.
    """
    root = home(lake)
    for number in itertools.count():
        folder = root / str(number)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            slot = _held(folder)
        except OSError as error:
            found = f"its state cannot be kept in {folder} ({error.strerror})"
            raise StoreBroken(lake, found, _FIX) from None
        if slot is not None:
            return slot
    raise AssertionError("counting does not end")


@contextlib.contextmanager
def left_behind(lake: Lake, but: Path) -> Iterator[list[Path]]:
    """The other folders of this machine that no process holds; held while it lasts."""
    others = [folder for folder in sorted(home(lake).glob("[0-9]*")) if folder != but]
    slots = [slot for slot in map(_held, others) if slot is not None]
    try:
        yield [slot.folder for slot in slots]
    finally:
        for slot in slots:
            slot.release()


def _held(folder: Path) -> Slot | None:
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return Slot(folder, lock)
