"""The thread that computes: what is asked while it works goes through the model together."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from probe.providers.scoring.batches import Ids
from probe.providers.scoring.engine import Engine
from probe.providers.scoring.errors import ScoringError
from probe.providers.scoring.places import Places
from probe.providers.scoring.write import Wish, Written

_GAP_S: Final = 0.02
"""Requests that follow each other within it go together (seconds)."""
_TOGETHER_S: Final = 0.25
"""How long the first of some requests waits for the others at most (seconds)."""
_MOST: Final = 64
_FAILURES: Final = (ScoringError, RuntimeError, MemoryError)
"""What one batch may fail of; torch says RuntimeError, also where memory runs out."""

Asked = TypeVar("Asked")
Result = TypeVar("Result")


@dataclass(frozen=True)  # with slots, Python 3.11 cannot make a generic one
class _Job(Generic[Asked, Result]):
    asked: Asked
    answer: Future[Result] = field(default_factory=Future)


_ToScore: TypeAlias = _Job[Ids, Places]
_ToWrite: TypeAlias = _Job[Wish, Written]


class Worker:
    """Asks the engine for several requests at once, in a thread of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._jobs: queue.SimpleQueue[tuple[_ToScore | None, _ToWrite | None]]
        self._jobs = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True, name="model").start()

    async def score(self, ids: Ids) -> Places:
        """What the model says of each token of a text."""
        job = _ToScore(ids)
        self._jobs.put((job, None))
        return await asyncio.wrap_future(job.answer)

    async def write(self, wish: Wish) -> Written:
        """A continuation."""
        job = _ToWrite(wish)
        self._jobs.put((None, job))
        return await asyncio.wrap_future(job.answer)

    def _work(self) -> None:
        while True:
            jobs = self._next()
            _do([job for job, _ in jobs if job], self._engine.scorer.score)
            _do([job for _, job in jobs if job], self._engine.writer.write)

    def _next(self) -> list[tuple[_ToScore | None, _ToWrite | None]]:
        """What is asked now, at least one."""
        jobs = [self._jobs.get()]
        until = time.monotonic() + _TOGETHER_S
        while len(jobs) < _MOST and time.monotonic() < until:
            try:
                jobs.append(self._jobs.get(timeout=_GAP_S))
            except queue.Empty:
                break
        return jobs


def _do(
    jobs: Sequence[_Job[Asked, Result]], call: Callable[[Sequence[Asked]], Sequence[Result]]
) -> None:
    """Answer some jobs that are still wanted."""
    _answer([job for job in jobs if job.answer.set_running_or_notify_cancel()], call)


def _answer(
    jobs: Sequence[_Job[Asked, Result]], call: Callable[[Sequence[Asked]], Sequence[Result]]
) -> None:
    """Answer together; where that fails, one by one, so that only the guilty fails."""
    if not jobs:
        return
    try:
        results = call([job.asked for job in jobs])
    except _FAILURES as error:
        if len(jobs) == 1:
            jobs[0].answer.set_exception(error)
            return
        for job in jobs:
            _answer([job], call)
        return
    for job, result in zip(jobs, results, strict=True):
        job.answer.set_result(result)
