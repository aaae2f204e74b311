"""How much memory the owner's database may use.

DuckDB holds on to what it has read and written up to its limit, so the limit is what it uses. It is
low while a run goes on; a served query that needs more asks for it, by a file in the store's
folder, and gets it for a while.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

_USUAL: Final = "100MB"
_WHOLE: Final = "130MB"
"""For going through a whole experiment of a million cells, on one thread and with a file's help."""
_MOST: Final = "1GB"
_MORE_FOR_S: Final = 120.0
_ASKED: Final = ".more-memory"

SETTINGS: Final = (
    f"SET memory_limit = '{_USUAL}'",
    "SET wal_autocheckpoint = '64MB'",
    # To compress a column of long texts DuckDB holds hundreds of megabytes of it at once.
    "SET disabled_compression_methods = 'fsst,dict_fsst,dictionary'",
    # What is freed goes back to the system soon, not after as much again.
    "SET allocator_background_threads = true",
    "SET allocator_flush_threshold = '16MB'",
)
"""For a connection that owns its database."""


def ask_for_more(folder: Path) -> None:
    """Ask a store's owner to let queries use more memory.

    Raises:
        OSError: The folder cannot be written.
    """
    (folder / _ASKED).touch()


@contextmanager
def for_vectors(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """As much as queries may have, for writing vectors: DuckDB handles 2,048 of them at once.

    Used on the thread that owns the connection.
    """
    connection.execute(f"SET memory_limit = '{_MOST}'")
    try:
        yield
    finally:
        # Not while a query holds more than that: then the next writing tells it.
        with contextlib.suppress(duckdb.Error):
            connection.execute(f"SET memory_limit = '{_USUAL}'")


class Memory:
    """The limit of one owner's connection. Used on the thread that owns it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self._connection = connection
        self._asked = folder / _ASKED
        self._more_until = 0.0
        self._asked.unlink(missing_ok=True)

    @property
    def due(self) -> bool:
        """Whether `tend` has something to do; may be asked on any thread."""
        return self._asked.exists() or 0 < self._more_until < time.monotonic()

    def tend(self) -> None:
        """Give more where it is asked for, and take it back when its time is over."""
        now = time.monotonic()
        if self._asked.exists():
            self._asked.unlink(missing_ok=True)
            self._more_until = now + _MORE_FOR_S
            self._limit(_MOST)
        elif 0 < self._more_until < now:
            self._more_until = 0.0
            self._limit(_USUAL)

    @contextmanager
    def for_a_whole_experiment(self) -> Iterator[None]:
        """A little more, for the owner's own queries over all cells.

        On one thread: each has buffers of its own.
        """
        self._connection.execute("SET threads = 1")
        if not self._more_until:
            self._limit(_WHOLE)
        try:
            yield
        finally:
            self._connection.execute("RESET threads")
            if not self._more_until:
                self._limit(_USUAL)

    def _limit(self, size: str) -> None:
        # Not while a query holds more than that: then the next time tells it.
        with contextlib.suppress(duckdb.OutOfMemoryException):
            self._connection.execute(f"SET memory_limit = '{size}'")
