"""A file that grows by whole pieces, each written with a single system call.

A process killed at any point leaves whole pieces and at most a torn one at the end; a disk that
fills up leaves whole ones only.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from store.errors import DiskFull

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Appended:
    """A file open for appending."""

    def __init__(self, path: Path, *, fix: str, new: bool = False) -> None:
        """Open the file, or make it.

        Args:
            path: The file.
            fix: What to do where the disk is full, for the error.
            new: Whether it must not be there yet.

        Raises:
            OSError: It cannot be opened.
        """
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | (os.O_EXCL if new else 0)
        self.path, self._fix = path, fix
        self._file = os.open(path, flags, 0o644)
        self.end = 0
        """Bytes appended so far."""

    def append(self, piece: bytes) -> int:
        """Write a piece; return where it ends.

        Raises:
            DiskFull: There is no room. Nothing of the piece counts as written.
            OSError: It cannot be written. Nothing of the piece counts as written.
        """
        try:
            written = os.write(self._file, piece)
        except OSError as error:
            if error.errno in _FULL:
                raise DiskFull(self.path, self._fix) from None
            raise
        if written < len(piece):
            os.ftruncate(self._file, self.end)  # else the next piece would go on from the half
            raise DiskFull(self.path, self._fix)
        self.end += written
        return self.end

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
