"""A run as a discrete-event simulation, against which the closed form of `probe/scale` is checked.

Every request waits for its turn at the program's own token buckets and for a place among those that
are open, takes the endpoint's latency and its process's time, goes to the hub and the disk, and is
committed and scored by a writer who also reads the cells that are asked. Beside it somebody asks
questions of the growing store. What a reply takes in each part, after so many others, is the
model's; waiting, overlap and sums are its own.

A run of 10^9 replies is simulated as one of some thousands whose store grows so much faster:
`growth_s` is then that of as many replies as one stands for.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

import simpy

from probe.gate import Bucket
from probe.scale.model import (
    Costs,
    Endpoint,
    Experiment,
    Machines,
    database_bytes,
    journal_bytes,
    question_s,
)

Steps: TypeAlias = Generator[simpy.Event, Any, None]
_PAGE: Final = 8
"""Cells that are read at once (count)."""
_COMMIT: Final = 8
"""Replies of one commit at most (count)."""
_BACKLOG: Final = 8
"""Replies that wait for the writer, or for the hub, at most (count)."""
_READING, _COMMITTING = 0.3, 0.1
"""Shares of the writer's time for a reply; the rest is scoring."""


@dataclass(slots=True, kw_only=True)
class Simulated:
    """One run.

    Attributes:
        every_s: Time between two questions (seconds); 0 for none.
        committed: Replies in the database (count).
        open: Requests open now (count); `most_open` at most.
        busy_s: How long each part was at work (seconds).
        answers_s: What each question took (seconds).
        stored_bytes: Written to the disk.
        sent_in: Requests sent in each second since the start (count).
    """

    experiment: Experiment
    endpoint: Endpoint
    machines: Machines
    costs: Costs
    every_s: float = 0.0
    rng: random.Random = field(default_factory=lambda: random.Random(11))
    env: simpy.Environment = field(default_factory=simpy.Environment)
    cells: simpy.Store = field(init=False)
    answered: simpy.Store = field(init=False)
    journalled: simpy.Store = field(init=False)
    gate: simpy.Resource = field(init=False)
    writer: simpy.Resource = field(init=False)
    buckets: list[tuple[Bucket, float]] = field(init=False)
    committed: int = 0
    open: int = 0
    most_open: int = 0
    busy_s: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    answers_s: list[float] = field(default_factory=list)
    stored_bytes: float = 0.0
    sent_in: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        env = self.env
        self.cells = simpy.Store(env, capacity=2 * _PAGE)
        self.answered = simpy.Store(env, capacity=_BACKLOG)
        self.journalled = simpy.Store(env, capacity=_BACKLOG)
        self.gate, self.writer = simpy.Resource(env, 1), simpy.Resource(env, 1)
        told = self.endpoint
        tokens = self.experiment.prompt_tokens + self.experiment.reply_tokens
        limits = ((told.requests_per_min, 1.0), (told.tokens_per_min, tokens))
        self.buckets = [(Bucket(limit, 0.0), units) for limit, units in limits if limit]
        for bucket, _ in self.buckets:
            bucket.level = 0.0  # a long run does not notice that they begin full; a short one would

    def run(self) -> Simulated:
        """Simulate to the last commit; `env.now` is then the time it took (seconds)."""
        env, count = self.env, int(self.experiment.cells)
        processes = max(1, self.machines.workers)
        loops = [simpy.Resource(env, 1) for _ in range(processes)]
        env.process(self._feed(count))
        for place in range(min(count, self.endpoint.in_flight)):
            env.process(self._ask(loops[place % processes]))
        env.process(self._hand_over())
        if self.every_s:
            env.process(self._question())
        env.run(until=env.process(self._write(count)))
        return self

    def _reply_s(self) -> float:
        """The writer's time for a reply, as the store stands."""
        return self.costs.write_s + 2 * self.costs.growth_s * self.committed

    def _use(self, resource: simpy.Resource, name: str, seconds: float) -> Steps:
        with resource.request() as turn:
            yield turn
            yield self.env.timeout(seconds)
        self.busy_s[name] += seconds

    def _feed(self, count: int) -> Steps:
        for start in range(0, count, _PAGE):
            cells = min(_PAGE, count - start)
            yield from self._use(self.writer, "writer", cells * _READING * self._reply_s())
            for _ in range(cells):
                yield self.cells.put(1)

    def _ask(self, loop: simpy.Resource) -> Steps:
        latency = partial(
            self.rng.uniform, 0.5 * self.endpoint.latency_s, 1.5 * self.endpoint.latency_s
        )
        while True:
            yield self.cells.get()
            yield from self._turn()
            self.open += 1
            self.most_open = max(self.most_open, self.open)
            self.sent_in[int(self.env.now)] += 1
            yield self.env.timeout(latency())
            yield from self._use(loop, "process", self.costs.ask_s)
            self.open -= 1
            yield self.answered.put(1)

    def _turn(self) -> Steps:
        """Wait, first come first served, until every limit has room."""
        with self.gate.request() as turn:
            yield turn
            for bucket, units in self.buckets:
                bucket.refill(self.env.now)
                if (wait := bucket.wait_s(units)) > 0:
                    yield self.env.timeout(wait)
            for bucket, units in self.buckets:
                bucket.refill(self.env.now)
                bucket.take(units)

    def _hand_over(self) -> Steps:
        own = journal_bytes(self.experiment, self.costs)
        own += database_bytes(self.experiment, self.costs)
        hub_s = self.costs.hub_s if self.machines.workers else 0.0
        disk_s = own / (self.machines.disk_mb_per_s * 1e6)
        while True:
            yield self.answered.get()
            yield self.env.timeout(max(hub_s, disk_s))  # the one writes while the other takes in
            self.busy_s["hub"] += hub_s
            self.busy_s["disk"] += disk_s
            self.stored_bytes += own
            yield self.journalled.put(1)

    def _write(self, count: int) -> Steps:
        while self.committed < count:
            yield self.journalled.get()
            replies = 1
            while self.journalled.items and replies < _COMMIT:
                yield self.journalled.get()
                replies += 1
            each = self._reply_s()
            yield from self._use(self.writer, "writer", replies * _COMMITTING * each)
            self.committed += replies
            scoring = 1 - _READING - _COMMITTING
            yield from self._use(self.writer, "writer", replies * scoring * each)

    def _question(self) -> Steps:
        while True:
            yield self.env.timeout(self.every_s)
            self.answers_s.append(question_s(self.committed, self.costs))
            yield self.env.timeout(self.answers_s[-1])


def as_fewer(experiment: Experiment, costs: Costs, replies: int) -> tuple[Experiment, Costs, float]:
    """A long run as one of a few replies: its experiment and costs, and how often it fits.

    Its store grows so much faster that it takes that part of the time.
    """
    times = experiment.cells / replies
    return (
        replace(experiment, cells=replies),
        replace(costs, growth_s=costs.growth_s * times),
        times,
    )
