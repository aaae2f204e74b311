"""Copies of journals that other machines write: byte for byte, so that nothing comes in twice.

A worker's segment is appended to here from the place where the copy ends. Whoever sends a piece
says where it begins; a piece that begins elsewhere is refused with the place that is wanted. A copy
cut short by a kill is cut back to its last whole entry when it is opened again.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from store.appended import Appended
from store.errors import StoreBroken, StoreError
from store.read import JOURNAL
from store.vector_journal import FOLDER, whole_frames

Whole: TypeAlias = Callable[[bytes | mmap.mmap], int]
_NAME: Final = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8,32}\.(jsonl|frames)")
_FREE: Final = "free some space or mend its permissions: the workers keep what they have and wait"


class Gap(StoreError):
    """A piece of a segment that does not begin where the copy ends."""

    def __init__(self, name: str, start: int, end: int) -> None:
        super().__init__(name, start, end)
        self.name, self.start, self.end = name, start, end

    def __str__(self) -> str:
        return f"segment {self.name}: a piece from byte {self.start}, the copy ends at {self.end}"


class BadSegment(StoreError):
    """A segment whose name or content is none."""


class Mirror:
    """One segment's copy."""

    def __init__(self, store: Path, name: str) -> None:
        """Open the copy, or begin one.

        Args:
            store: The folder of the store.
            name: The segment's file name.

        Raises:
            BadSegment: It is no segment's name.
            StoreBroken: The copy cannot be written.
        """
        found = _NAME.fullmatch(name)
        if found is None:
            raise BadSegment(f"{name!r:.80} is no name of a journal")
        folder, whole = _KINDS[found[1]]
        self.path = store / folder / name
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.end = _cut(self.path, whole) if self.path.exists() else 0
            self._file = Appended(self.path, fix=_FREE)
        except OSError as error:
            raise StoreBroken(self.path, f"cannot be written ({error.strerror})", _FREE) from None
        self._file.end = self.end
        self._whole = whole

    def append(self, start: int, piece: bytes) -> int:
        """Add whole entries; return where the copy ends now (bytes).

        Raises:
            Gap: The piece begins elsewhere.
            BadSegment: It does not end with a whole entry.
            DiskFull: There is no room. Nothing of the piece counts as written.
            StoreBroken: The copy cannot be written.
        """
        if start != self.end:
            raise Gap(self.path.name, start, self.end)
        if self._whole(piece) != len(piece):
            raise BadSegment(f"segment {self.path.name}: a piece that ends within an entry")
        try:
            self.end = self._file.append(piece)
        except OSError as error:
            raise StoreBroken(self.path, f"cannot be written ({error.strerror})", _FREE) from None
        return self.end

    def close(self) -> None:
        """Close the copy."""
        self._file.close()


def whole_lines(data: bytes | mmap.mmap) -> int:
    """Bytes of the whole lines that data begins with."""
    return data.rfind(b"\n") + 1


_KINDS: Final[dict[str, tuple[str, Whole]]] = {
    "jsonl": (JOURNAL, whole_lines),
    "frames": (FOLDER, whole_frames),
}


def _cut(path: Path, whole: Whole) -> int:
    """Cut a copy back to its whole entries; return its length."""
    size = path.stat().st_size
    if not size:
        return 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        end = whole(data)
    if end < size:
        os.truncate(path, end)
    return end
