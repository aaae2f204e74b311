"""Several runs on one lake share an experiment: who records its plan, and who asks which cells.

A plan is cut into stretches of some hundred places. A run reads a stretch's cells once it has
claimed it, so what another asks it never sees; what another has answered is in the lake before the
claim is free again. At the end a run waits for what others are asking, and takes over where they
died or gave up.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from probe.feed import Cells, Recording, StoreCells, first_cells
from probe.plan import Drawn
from probe.record import (
    PAGE_OF_MODEL,
    Recorded,
    Scope,
    ToAsk,
    chunks,
    recorded,
    still_open,
    to_ask,
)
from store.database import Database
from store.lake.claims import PLAN, Claims
from store.lake.database import LakeDatabase
from store.read import ask

_STRETCH: Final = 256
_LEAST: Final = 8
_PARTS: Final = 32
_MOST_AT_ONCE: Final = 16
_SHARE: Final = 8
_LOOK_EVERY_S: Final = 1.0
_UNSETTLED: Final = f"{still_open(PAGE_OF_MODEL)} SELECT DISTINCT ordinal // $size FROM still_open"


@dataclass(slots=True, kw_only=True)
class SharedRecording(Recording):
    """The recording of a plan by one of several runs; the others follow it."""

    def _record(self, loop: asyncio.AbstractEventLoop) -> None:
        claims, plan = _lake(self.database).claims, self.drawn.experiment_id
        model, stretch = PLAN
        while not self._stop.is_set():
            done = _lake(self.database).read(lambda owner: recorded(owner, plan))
            loop.call_soon_threadsafe(self._reached, done)
            if done.items >= self.drawn.items:
                return
            if claims.take(plan, model, [stretch]):
                try:
                    self._go_on(done, loop)
                finally:
                    claims.release(plan, model, [stretch])
            else:
                self._stop.wait(_LOOK_EVERY_S)

    def _go_on(self, done: Recorded, loop: asyncio.AbstractEventLoop) -> None:
        for chunk in chunks(self.drawn, done):
            if self._stop.is_set() or not self.database.call(chunk.insert):
                return
            loop.call_soon_threadsafe(
                self._reached, Recorded(known=True, items=chunk.end.items, cells=chunk.end.cells)
            )


@dataclass(slots=True, kw_only=True)
class SharedCells:
    """One model's cells, those that this run has claimed."""

    recording: Recording
    scope: Scope
    model: str
    samples: int
    _ready: deque[ToAsk] = field(default_factory=deque)
    _next: int = 0
    _mine: set[int] = field(default_factory=set)
    _others: list[int] = field(default_factory=list)

    async def take(self, most: int) -> list[ToAsk]:
        """As `probe.feed.Cells.take`: what this run is to ask, none where all is settled."""
        recording = self.recording
        while not self._ready:
            if self._next < self._recorded:
                self._ready.extend(await asyncio.to_thread(self._claim_next))
            elif not recording.complete:
                if recording.stopped:
                    break
                await recording.more(recording.done.cells)
            elif not await asyncio.to_thread(self._look_around):
                break
            elif not self._ready:
                await asyncio.sleep(_LOOK_EVERY_S)
        return list(first_cells(self._ready, most, self.samples))

    @property
    def _claims(self) -> Claims:
        return _lake(self.recording.database).claims

    @property
    def _size(self) -> int:
        """Places of a stretch (count): a multiple of what stays together, on every machine."""
        unit = self.recording.drawn.plan.unit
        places = min(_STRETCH, max(_LEAST, self.recording.drawn.cells // _PARTS))
        return unit * math.ceil(places / unit)

    @property
    def _recorded(self) -> int:
        """Stretches that are recorded whole (count); at the end the last one counts as well."""
        cells = self.recording.done.cells
        return math.ceil(cells / self._size) if self.recording.complete else cells // self._size

    def _claim_next(self) -> list[ToAsk]:
        """Claim the next few stretches: many at first, the last ones singly, to end alike."""
        few = max(1, min(_MOST_AT_ONCE, (self._recorded - self._next) // _SHARE))
        wanted = list(range(self._next, min(self._next + few, self._recorded)))
        self._next = wanted[-1] + 1
        mine = self._claims.take(self.scope.experiment_id, self.model, wanted)
        self._mine.update(mine)
        self._others += [each for each in wanted if each not in set(mine)]
        return self._read(mine)

    def _look_around(self) -> bool:
        """After a first pass: give back what is settled, take what others left.

        Returns:
            Whether anything may still be to ask, by this run or another.
        """
        unsettled = set(self._unsettled([*self._mine, *self._others]))
        done = [each for each in self._mine if each not in unsettled]
        self._claims.release(self.scope.experiment_id, self.model, done)
        self._mine.difference_update(done)
        self._others = [each for each in self._others if each in unsettled]
        if self._others:
            mine = self._claims.take(self.scope.experiment_id, self.model, self._others)
            self._mine.update(mine)
            self._others = [each for each in self._others if each not in set(mine)]
            self._ready.extend(self._read(mine))
        return bool(self._others or self._ready)

    def _unsettled(self, stretches: Sequence[int]) -> list[int]:
        """Those of some stretches with cells that are to be asked, by whomever."""
        if not stretches:
            return []
        bound = {
            **self.scope.bound,
            "model": self.model,
            "size": self._size,
            "after": min(stretches) * self._size - 1,
            "upto": (max(stretches) + 1) * self._size - 1,
        }
        rows = _lake(self.recording.database).read(lambda owner: ask(owner, _UNSETTLED, bound).rows)
        return [int(str(row[0])) for row in rows]

    def _read(self, stretches: Sequence[int]) -> list[ToAsk]:
        found: list[ToAsk] = []
        for first, last in _runs(stretches):
            found += self._cells(first, last, most=(last - first + 1) * self._size)
        return found

    def _cells(self, first: int, last: int, *, most: int) -> list[ToAsk]:
        return _lake(self.recording.database).read(
            partial(
                to_ask,
                scope=self.scope,
                model=self.model,
                after=first * self._size - 1,
                upto=(last + 1) * self._size - 1,
                most=most,
            )
        )


def _runs(stretches: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Stretches that follow one another, as first and last."""
    for _, group in itertools.groupby(enumerate(sorted(stretches)), lambda p: p[1] - p[0]):
        members = [each for _, each in group]
        yield members[0], members[-1]


def _lake(database: Database) -> LakeDatabase:
    if not isinstance(database, LakeDatabase):
        raise TypeError("only runs on a lake share an experiment")
    return database


def recording_for(database: Database, run_id: str, drawn: Drawn, done: Recorded) -> Recording:
    """How a plan is recorded: by this run alone, or on a lake by one of several."""
    if not isinstance(database, LakeDatabase):
        return Recording(database=database, drawn=drawn, done=done)
    database.claims.enrol(run_id)
    return SharedRecording(database=database, drawn=drawn, done=done)


def cells_for(recording: Recording, scope: Scope, model: str, samples: int) -> Cells:
    """Where one model's cells come from: all of the plan's, or on a lake those that are claimed."""
    if isinstance(recording, SharedRecording):
        return SharedCells(recording=recording, scope=scope, model=model, samples=samples)
    return StoreCells(recording=recording, scope=scope, model=model, samples=samples)
