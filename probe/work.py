"""One model's jobs: new ones as they come out of the store, and those to be tried again.

A job that waits for another try holds no worker: it lies in a heap until it is due. Where many
wait, no new ones are begun, so that memory does not grow with failures.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from probe.gate import Clock, Timer
from probe.turns import Turns
from prompts.tasks.base import Asks


@dataclass(slots=True, kw_only=True, eq=False)
class Job:
    """One request: the cells it answers, and the bytes that are sent in every attempt.

    Attributes:
        keys: Of its cells; more than one where a request brings several samples.
        choices: Of the request's replies, from 0, those that are theirs; by default in turn.
        input_tokens: Of its prompt, estimated.
        attempts: Attempts sent (count).
        tries: Of them, those that used up one of the tries a cell has (count).
    """

    keys: tuple[str, ...]
    body: bytes
    input_tokens: float
    choices: tuple[int, ...] = ()
    asks: Asks = "reply"
    attempts: int = 0
    tries: int = 0

    def __post_init__(self) -> None:
        self.choices = self.choices or tuple(range(len(self.keys)))


@dataclass(slots=True, kw_only=True)
class Work:
    """The jobs of one model, for its workers to take.

    Attributes:
        most_waiting: Jobs that may wait for another try before new ones are held back (count).
    """

    clock: Clock
    most_waiting: int
    taken: int = 0
    _new: deque[Job] = field(default_factory=deque)
    _due: deque[Job] = field(default_factory=deque)
    _later: list[tuple[float, int, Job]] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _idle: Turns = field(default_factory=Turns)
    _hungry: asyncio.Event = field(default_factory=asyncio.Event)
    _timer: Timer | None = None
    _all_new: bool = False
    _stopped: bool = False

    def __post_init__(self) -> None:
        self._hungry.set()

    @property
    def later(self) -> int:
        """Jobs waiting for another try (count)."""
        return len(self._later) + len(self._due)

    async def next(self) -> Job | None:
        """The next job; None when there is and will be none."""
        while not self._stopped:
            if self._due:
                return self._take(self._due)
            if self._new and len(self._later) < self.most_waiting:
                return self._take(self._new)
            if self._all_new and not self._new and not self._later and not self.taken:
                break
            await self._idle.wait()
        self._idle.wake_all()  # the others will find none either
        return None

    def _take(self, jobs: deque[Job]) -> Job:
        self.taken += 1
        job = jobs.popleft()
        if len(self._new) < self.most_waiting:
            self._hungry.set()
        return job

    def add(self, jobs: Iterable[Job]) -> None:
        """Add new jobs."""
        before = len(self._new)
        self._new.extend(jobs)
        self._idle.wake(len(self._new) - before)

    def no_more(self) -> None:
        """No new job will be added."""
        self._all_new = True
        self._idle.wake_all()

    async def hungry(self) -> None:
        """Wait until there is room for new jobs."""
        if len(self._new) >= self.most_waiting and not self._stopped:
            self._hungry.clear()
            await self._hungry.wait()

    def again(self, job: Job, after_s: float) -> None:
        """Give a job back, to be tried again after a wait (seconds)."""
        self.taken -= 1
        if after_s <= 0:
            self._due.append(job)
            self._idle.wake(1)
            return
        heapq.heappush(self._later, (self.clock.time() + after_s, next(self._numbers), job))
        self._set_timer()

    def done(self) -> None:
        """A job that was taken is settled."""
        self.taken -= 1
        if not self.taken and self._all_new:
            self._idle.wake_all()

    def drop(self, keys: set[str]) -> None:
        """Forget jobs whose cells are all among some keys, unless they have been taken."""
        self._new = deque(job for job in self._new if not keys.issuperset(job.keys))
        self._due = deque(job for job in self._due if not keys.issuperset(job.keys))
        self._later = [each for each in self._later if not keys.issuperset(each[2].keys)]
        heapq.heapify(self._later)
        self._set_timer()
        self._hungry.set()
        self._idle.wake_all()

    @property
    def waiting(self) -> int:
        """New jobs that nobody has taken yet (count)."""
        return len(self._new)

    def stop(self) -> None:
        """Hand out nothing more."""
        self._stopped = True
        self._hungry.set()
        if self._timer is not None:
            self._timer.cancel()
        self._idle.wake_all()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._later and not self._stopped:
            wait = max(0.0, self._later[0][0] - self.clock.time())
            self._timer = self.clock.call_later(wait, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        now = self.clock.time()
        held_back = len(self._later) >= self.most_waiting
        due = 0
        while self._later and self._later[0][0] <= now:
            self._due.append(heapq.heappop(self._later)[2])
            due += 1
        if held_back and len(self._later) < self.most_waiting:
            due += len(self._new)
        self._idle.wake(due)
        self._set_timer()
