"""Takes in what workers were answered: pieces of their journals, copied and committed.

A piece is on the hub's disk before anything else happens to it. Replies to a cell that has one
already are left out of the database, and stay in the copied journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import Final

from store.database import Database, held_among
from store.errors import StoreBroken
from store.journal import Position, events_in
from store.mirror import BadSegment, Mirror
from store.rows import (
    AttemptRow,
    Event,
    FailureRow,
    LikelihoodRow,
    RepeatRow,
    ReplyRow,
    RunEndRow,
    RunRow,
    ServedRow,
)

_OF_WORKERS: Final = (
    AttemptRow,
    FailureRow,
    LikelihoodRow,
    RepeatRow,
    ReplyRow,
    RunEndRow,
    RunRow,
    ServedRow,
)
_MOST_BACKLOG: Final = 20_000


@dataclass(slots=True, kw_only=True)
class Arrivals:
    """The copies of the workers' journals.

    Attributes:
        is_out: Whether a key has been given out and is not settled.
        came: Told of every event that goes into the database.
        failed: Called where the database takes nothing more.
    """

    database: Database
    is_out: Callable[[str], bool]
    came: Callable[[Event], None]
    failed: Callable[[], None]
    _mirrors: dict[str, Mirror] = field(default_factory=dict)
    _taking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def end(self, segment: str) -> int:
        """Where the copy of a segment ends (bytes).

        Raises:
            BadSegment: It is no segment's name.
            StoreBroken: The copy cannot be written.
        """
        return self._mirror(segment).end

    async def take(self, segment: str, start: int, piece: bytes) -> int:
        """Take a piece of a segment in; return where the copy ends now (bytes).

        Raises:
            Gap: The piece begins elsewhere.
            BadSegment: It is no such piece.
            DiskFull: There is no room; nothing of it counts as taken.
            StoreBroken: The store takes nothing more.
        """
        mirror = self._mirror(segment)
        async with self._taking:
            if PurePath(segment).suffix != ".jsonl":
                return mirror.append(start, piece)
            events = self._read(mirror, piece)
            end = mirror.append(start, piece)
            kept = await self._new(events)
            if not self.database.put(Position(segment, end), *kept):
                self.failed()
                raise StoreBroken(self.database.path, "takes nothing more", "see what the hub says")
            for event in kept:
                self.came(event)
        if self.database.backlog > _MOST_BACKLOG:
            await asyncio.to_thread(self.database.catch_up)
        return end

    def close(self) -> None:
        """Close the copies."""
        for mirror in self._mirrors.values():
            mirror.close()

    def _mirror(self, segment: str) -> Mirror:
        if segment not in self._mirrors:
            self._mirrors[segment] = Mirror(self.database.path, segment)
        return self._mirrors[segment]

    @staticmethod
    def _read(mirror: Mirror, piece: bytes) -> list[Event]:
        run_id = mirror.path.stem
        try:
            events = events_in(piece, mirror.path)
        except StoreBroken as error:
            raise BadSegment(f"segment {mirror.path.name}: {error.found}") from None
        for event in events:
            if not isinstance(event, _OF_WORKERS) or event.run_id != run_id:
                kind = type(event).__name__
                raise BadSegment(f"segment {mirror.path.name}: a {kind} that is not its worker's")
        return events

    async def _new(self, events: Sequence[Event]) -> list[Event]:
        """Events without what belongs to a cell that is settled already."""
        of_cells = (ReplyRow, LikelihoodRow, FailureRow)
        unknown = {e.key for e in events if isinstance(e, of_cells) and not self.is_out(e.key)}
        held: set[str] = set()
        if unknown:
            act = partial(held_among, keys=sorted(unknown))
            held = await asyncio.to_thread(self.database.call, act)
        return [e for e in events if not (isinstance(e, of_cells) and e.key in held)]


def spent_usd(attempt: AttemptRow) -> float:
    """What an attempt cost, or may have cost (US dollars)."""
    return attempt.usd or attempt.usd_at_most or 0.0
