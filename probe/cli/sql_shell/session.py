"""Asks a store, opened anew for every query: a shell that waits for its user keeps nobody out.

DuckDB lets one process write a file or many read it. While a run is on, its process answers; when
one begins or ends between two queries, or in the middle of one, that is said and the query goes to
whoever can answer it now.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from store.address import Place
from store.errors import StoreBusy, StoreGone
from store.live import read_live
from store.read import Answered, Parameters, Reader, open_read

T = TypeVar("T")
_STARTING_S: Final = 20.0
_MOST_ENDS: Final = 3


class Session:
    """A store that is asked query by query."""

    def __init__(
        self, store: Place, say: Callable[[str], None], patience_s: float = _STARTING_S
    ) -> None:
        """Open nothing yet.

        Args:
            store: Its folder.
            say: Told in a line when a run begins or ends.
            patience_s: How long to wait for a run that has the store and does not answer yet
                (seconds).
        """
        self.store = store
        self.run: int | None = None
        """The process of the run that answered last; None where the file was read."""
        self._say, self._patience_s = say, patience_s
        self._asked = False

    def ask(self, query: str, parameters: Parameters = None) -> Answered:
        """A query's rows.

        Raises:
            QueryError: It is not one query that returns rows, or DuckDB refuses it.
            StoreBusy: Another process has the store and does not answer.
            NoStore: There is none.
            KeyboardInterrupt: The user does not want to wait.
        """
        return self.do(lambda reader: reader.answer(query, parameters))

    def write_parquet(self, query: str, path: Path) -> None:
        """Write a query's result as a Parquet file; raises as `ask` does."""
        self.do(lambda reader: reader.write_parquet(query, path))

    def do(self, act: Callable[[Reader], T]) -> T:
        """Do something with the store opened; again where a run ended before it had answered."""
        for _ in range(_MOST_ENDS):
            try:
                with self._opened() as reader:
                    return act(reader)
            except StoreGone:
                self._say("the run ended before it had answered; asking again")
                self.run, self._asked = None, True
        with self._opened() as reader:
            return act(reader)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Reader]:
        with contextlib.closing(self._open()) as reader:
            self._tell()
            yield reader

    def _open(self) -> Reader:
        until, told = time.monotonic() + self._patience_s, False
        while True:
            try:
                return open_read(self.store)
            except StoreBusy as busy:
                if time.monotonic() > until:
                    raise
                if not told:
                    self._say(f"{busy.holder} has the store; waiting until it answers or ends")
                told = True

    def _tell(self) -> None:
        """Say when another than last time answers."""
        run = _answering(self.store)
        if run != self.run and self._asked:
            self._say(
                "no run is on any more; the store's file is read"
                if run is None
                else f"a run is on (process {run}) and answers"
            )
        self.run, self._asked = run, True


def _answering(store: Place) -> int | None:
    """The process that serves a store; a file that a killed run left counts for nothing."""
    live = read_live(store) if isinstance(store, Path) else None
    if live is None:
        return None
    try:
        os.kill(live.pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return live.pid
