"""Keeps items in a file rather than in memory, so that they can be taken in any order."""

from __future__ import annotations

import os
import pickle
import tempfile
from array import array

from prompts import Item


class Spool:
    """Items in an unnamed temporary file; memory holds where each begins."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._starts = array("Q")

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, item: Item) -> int:
        """Keep an item; return its number."""
        self._starts.append(self._file.seek(0, os.SEEK_END))
        pickle.dump(item, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        return len(self._starts) - 1

    def get(self, number: int) -> Item:
        """The item with a number."""
        self._file.seek(self._starts[number])
        item: Item = pickle.load(self._file)  # noqa: S301 - what this process wrote
        return item

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
