"""Where a run's events go: the journal first, then the database's queue.

A full disk does not end a run: what came in is held, its worker waits for room and sends nothing
meanwhile. Where the database fails, the journal still takes what is in flight, and the run stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from store.errors import DiskFull
from store.journal import Journal, Position
from store.rows import Event

_MOST_BACKLOG: Final = 20_000
_ROOM_EVERY_S: Final = 2.0
_ROOM_WITHIN_S: Final = 3600.0


class Sink(Protocol):
    """Where events go once they are in the journal: the store's database, or a hub's."""

    @property
    def backlog(self) -> int:
        """Events handed over and not yet committed (count)."""
        ...

    def put(self, position: Position, *events: Event) -> bool:
        """Hand over events that the journal holds up to `position`; whether they were taken."""
        ...

    def catch_up(self) -> None:
        """Wait until all that was put is committed, or cannot be."""
        ...


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Takes a run's events.

    Attributes:
        on_failure: Called once when the database takes nothing more.
        problem: What is wrong with the disk, while it is.
    """

    run_id: str
    journal: Journal
    database: Sink
    on_failure: Callable[[], None] = lambda: None
    problem: str | None = None
    _failed: bool = False

    async def keep(self, *events: Event) -> None:
        """Record events with one write; waits while the disk is full.

        Raises:
            DiskFull: It has been for an hour.
            StoreBroken: The disk is gone.
        """
        try:
            self._write(events)
        except DiskFull as error:
            self.problem = str(error)
            await self._when_there_is_room(events)

    async def _when_there_is_room(self, events: tuple[Event, ...]) -> None:
        until = asyncio.get_running_loop().time() + _ROOM_WITHIN_S
        while True:
            await asyncio.sleep(_ROOM_EVERY_S)
            try:
                self._write(events)
            except DiskFull:
                if asyncio.get_running_loop().time() > until:
                    raise
            else:
                self.problem = None
                return

    def _write(self, events: tuple[Event, ...]) -> None:
        taken = self.database.put(self.journal.append(*events), *events)
        if not taken and not self._failed:
            self._failed = True
            self.on_failure()

    @property
    def behind(self) -> bool:
        """Whether the database lies far behind the journal."""
        return self.database.backlog > _MOST_BACKLOG

    async def breathe(self) -> None:
        """Let the database catch up."""
        await asyncio.to_thread(self.database.catch_up)
