"""Claims: which worker works on what, so that no two do the same.

The work is cut into 256 buckets by a hash of its texts. A bucket is claimed by a lock on one byte
of a file in the store's folder, which the system takes back the moment its process ends, however
it ends. Nothing has to expire, and no clock is asked.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from pathlib import Path
from typing import Final

from store.errors import StoreBroken
from store.vector_journal import FOLDER

BUCKETS: Final = 256
_TAKEN: Final = frozenset({errno.EACCES, errno.EAGAIN})


def bucket_of(text: str) -> int:
    """The bucket a text belongs to, on every machine: from 0 to 255."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0]


class Claims:
    """One process's claims on the work of one encoder. Use as a context manager."""

    def __init__(self, store: Path, encoder_id: str) -> None:
        path = store / FOLDER / f"claims-{encoder_id}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            fix = "mend the folder's permissions and try again"
            raise StoreBroken(path, f"cannot be written ({error.strerror})", fix) from None
        self._path = path

    def __enter__(self) -> Claims:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)  # which gives every claim back

    def take(self, bucket: int) -> bool:
        """Claim a bucket; return whether it was free.

        Raises:
            StoreBroken: The file system knows no locks.
        """
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, bucket)
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            fix = "move the store to a file system with locks"
            raise StoreBroken(self._path, f"cannot be locked ({error.strerror})", fix) from None
        return True

    def finished(self) -> frozenset[int]:
        """None: what other processes here have done is seen in the journal of vectors."""
        return frozenset()

    def give_back(self, bucket: int) -> None:
        """Give a claim back."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, bucket)
