"""Brings a model's cells from the store to its work, page by page, as the plan is recorded.

Two things run side by side: a thread that records the plan, and for each model a reader that
follows it. Memory holds a page or two of each model, however many cells there are.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from probe.plan import Drawn
from probe.providers.base import Request
from probe.record import Recorded, Scope, ToAsk, chunks, to_ask
from probe.run import ModelRun
from probe.turns import Turns
from probe.usage import estimate_tokens
from probe.work import Job
from prompts.tasks import task_named
from store.database import Database

PAGE: Final = 4_096
"""Cells that are read at once (count)."""
_PART: Final = 64
_WIDER: Final = 8
WIDEST: Final = 64
"""Pages that are looked at at once, at most, where nearly all is held (count)."""


@dataclass(slots=True, kw_only=True)
class Recording:
    """The recording of a plan, in a thread of its own.

    Attributes:
        done: How much is recorded.
    """

    database: Database
    drawn: Drawn
    done: Recorded
    _stop: threading.Event = field(default_factory=threading.Event)
    _waiting: Turns = field(default_factory=Turns)

    @property
    def complete(self) -> bool:
        """Whether the whole plan is recorded."""
        return self.done.items >= self.drawn.items

    @property
    def stopped(self) -> bool:
        """Whether nothing more will be recorded."""
        return self._stop.is_set()

    async def run(self) -> None:
        """Record what is left of the plan."""
        loop = asyncio.get_running_loop()
        try:
            if not self.complete:
                await asyncio.to_thread(self._record, loop)
        finally:
            self.stop()  # also where it failed: nobody may wait for more

    def _record(self, loop: asyncio.AbstractEventLoop) -> None:
        for chunk in chunks(self.drawn, self.done):
            if self._stop.is_set():
                return
            self.database.call(chunk.insert)
            loop.call_soon_threadsafe(
                self._reached, Recorded(known=True, items=chunk.end.items, cells=chunk.end.cells)
            )

    def _reached(self, done: Recorded) -> None:
        self.done = done
        self._waiting.wake_all()

    async def more(self, cells: int) -> None:
        """Wait until more than so many cells are recorded, or all, or it is stopped."""
        while self.done.cells <= cells and not self.complete and not self._stop.is_set():
            await self._waiting.wait()

    def stop(self) -> None:
        """Record nothing more after the present piece; the next start goes on from there."""
        self._stop.set()
        self._waiting.wake_all()


class Cells(Protocol):
    """Where one model's cells come from, each handed out once, in the order of asking."""

    async def take(self, most: int) -> list[ToAsk]:
        """The next cells, about so many at most (count); waits for some, none where all are out.

        Samples that one request brings stay together.
        """
        ...


@dataclass(slots=True, kw_only=True)
class StoreCells:
    """One model's cells, read from the store as its plan is recorded."""

    recording: Recording
    scope: Scope
    model: str
    samples: int
    _ready: deque[ToAsk] = field(default_factory=deque)
    _after: int = -1
    _span: int = field(init=False)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._span = self._page_span

    @property
    def _unit(self) -> int:
        return self.recording.drawn.plan.unit

    @property
    def _page_span(self) -> int:
        return self._unit * math.ceil(PAGE / self._unit)

    @property
    def exhausted(self) -> bool:
        """Whether every cell has been handed out, or no more will be recorded."""
        recording = self.recording
        at_end = self._after + 1 >= recording.done.cells
        return not self._ready and at_end and (recording.complete or recording.stopped)

    async def take(self, most: int) -> list[ToAsk]:
        """As `Cells.take`."""
        while not (found := await self.now(most)) and not self.exhausted:
            await self.recording.more(self._after + 1)
        return found

    async def now(self, most: int) -> list[ToAsk]:
        """As `take`, of what is recorded: none where the rest of the plan has still to come."""
        async with self._reading:
            while not self._ready and self._after + 1 < self.recording.done.cells:
                self._ready.extend(await self._page())
            return list(first_cells(self._ready, most, self.samples))

    async def _page(self) -> list[ToAsk]:
        upto = min(self._after + self._span, self.recording.done.cells - 1)
        most = self._page_span + self._unit
        page = await asyncio.to_thread(
            self.recording.database.call,
            partial(
                to_ask,
                scope=self.scope,
                model=self.model,
                after=self._after,
                upto=upto,
                most=most,
            ),
        )
        if len(page) == most:  # there may be more; samples of one request stay together
            upto = page[-1].ordinal // self._unit * self._unit - 1
            page = [cell for cell in page if cell.ordinal <= upto]
        # Where nearly all is held, or other models' cells lie between, look further at once.
        wider = min(self._span * _WIDER, self._page_span * WIDEST)
        self._span = wider if len(page) < PAGE // _WIDER else self._page_span
        self._after = upto
        return page


def first_cells(ready: deque[ToAsk], most: int, samples: int) -> Iterator[ToAsk]:
    """Take cells from the front, about so many, up to the end of a request.

    Args:
        ready: What they are taken from.
        most: Cells (count).
        samples: That one request brings (count).
    """
    while ready:
        cell = ready.popleft()
        yield cell
        most -= 1
        together = ready and request_of(cell, samples) == request_of(ready[0], samples)
        if most <= 0 and not together:
            return


async def feed(run: ModelRun, cells: Cells) -> None:
    """Give a model its cells until there are no more, or the run is stopped."""
    while not run.stopped:
        await run.work.hungry()
        page = await cells.take(PAGE)
        if not page:
            break
        for part in batched(jobs(page, run)):
            run.work.add(part)
            await asyncio.sleep(0)  # thousands of bodies at once would hold up all replies
    run.work.no_more()


async def ask_all(run: ModelRun, cells: Cells) -> None:
    """Ask a model its cells."""
    async with asyncio.TaskGroup() as tasks:
        feeding = tasks.create_task(feed(run, cells))
        await run.run()
        feeding.cancel()  # where the run was stopped, nobody waits for more


def batched(jobs: Iterator[Job]) -> Iterator[list[Job]]:
    """Jobs a few at a time."""
    while part := list(itertools.islice(jobs, _PART)):
        yield part


def request_of(cell: ToAsk, samples: int) -> tuple[str, int]:
    """What cells share that one request answers, where it brings so many samples (count)."""
    return cell.prompt_hash, cell.sample // samples


def jobs(page: list[ToAsk], run: ModelRun) -> Iterator[Job]:
    """Cells as requests: samples that one request brings are put together."""
    samples = run.model.spec.request_samples
    together = itertools.groupby(page, key=lambda cell: request_of(cell, samples))
    for _, group in together:
        cells = list(group)
        first = cells[0]
        task = task_named(first.task)
        request = Request(
            text=first.text,
            sample=first.sample - first.sample % samples,
            schema=first.answer_schema,
            asks=task.asks,
            reply_tokens=task.reply_tokens,
            decoding=task.decoding(first.sample),
        )
        yield Job(
            keys=tuple(cell.key for cell in cells),
            choices=tuple(cell.sample % samples for cell in cells),
            # Of what the endpoint cannot do there is no request.
            body=b"" if task.asks in run.unavailable else run.provider.body(request),
            asks=task.asks,
            input_tokens=estimate_tokens(first.text),
        )
