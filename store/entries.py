"""What waits in a writer's queue: events to be committed, and calls to be made between commits."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import duckdb

from store.journal import Position
from store.read import Connection
from store.rows import Event

Runner = Callable[[Connection, Callable[[Connection], object]], object]
"""Makes a call, perhaps several times, and gives what it returned."""


@dataclass(frozen=True, slots=True)
class Put:
    """Events that the journal holds up to a position."""

    events: tuple[Event, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Call:
    """Something to be done on the writer's thread, and who waits for it."""

    act: Callable[[Connection], object]
    future: Future[Any]

    def run(self, connection: Connection, run: Runner) -> None:
        """Do it by way of `run`, and tell who waits."""
        try:
            result = run(connection, self.act)
        except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
            with contextlib.suppress(duckdb.TransactionException):  # it may have begun none
                connection.rollback()
            self.future.set_exception(error)
        else:
            self.future.set_result(result)
