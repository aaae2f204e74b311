"""Brings a model's cells from the store to its work, page by page, as the plan is recorded.

Two things run side by side: a thread that records the plan, and for each model a reader that
follows it. Memory holds a page or two of each model, however many cells there are.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from probe.plan import Drawn
from probe.providers.base import Request
from probe.record import Recorded, Scope, ToAsk, chunks, to_ask
from probe.run import ModelRun
from probe.turns import Turns
from probe.usage import estimate_tokens
from probe.work import Job
from prompts.tasks import task_named
from store.database import Database

_PAGE: Final = 4_096
_PART: Final = 64
_WIDER: Final = 8


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


async def feed(run: ModelRun, recording: Recording, scope: Scope) -> None:
    """Give a model its cells until all of the plan has been gone through, or the run is stopped."""
    unit = recording.drawn.plan.unit
    page_span = unit * math.ceil(_PAGE / unit)
    most = page_span + unit
    after, span = -1, page_span
    while not run.stopped:
        await run.work.hungry()
        complete, cells = recording.complete, recording.done.cells
        if after + 1 < cells:
            upto = min(after + span, cells - 1)
            page = await asyncio.to_thread(
                recording.database.call,
                partial(
                    to_ask,
                    scope=scope,
                    model=run.model.spec.name,
                    after=after,
                    upto=upto,
                    most=most,
                ),
            )
            if len(page) == most:  # there may be more; samples of one request stay together
                upto = page[-1].ordinal // unit * unit - 1
                page = [cell for cell in page if cell.ordinal <= upto]
            for part in batched(jobs(page, run)):
                run.work.add(part)
                await asyncio.sleep(0)  # thousands of bodies at once would hold up all replies
            # Where nearly all is held, or other models' cells lie between, look further at once.
            span = span * _WIDER if len(page) < _PAGE // _WIDER else page_span
            after = upto
        elif complete or recording.stopped:
            break
        else:
            await recording.more(cells)
    run.work.no_more()


def batched(jobs: Iterator[Job]) -> Iterator[list[Job]]:
    """Jobs a few at a time."""
    while part := list(itertools.islice(jobs, _PART)):
        yield part


def jobs(page: list[ToAsk], run: ModelRun) -> Iterator[Job]:
    """Cells as requests: samples that one request brings are put together."""
    samples = run.model.spec.request_samples
    together = itertools.groupby(page, key=lambda cell: (cell.prompt_hash, cell.sample // samples))
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
