"""A gate on a clock of its own, and requests that go through it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from probe.gate import Gate, Pause, Slot
from probe.limits import Kind
from probe.pace import Pace
from tests.probe.clock_for_tests import FakeClock

ONE: Final[Mapping[Kind, float]] = {"requests": 1}


MANY: Final = 10_000


@dataclass(slots=True, eq=False)
class Bench:
    """A gate on a clock of its own, with the requests that go through it."""

    pace: Pace
    clock: FakeClock = field(default_factory=FakeClock)
    shared: Pause | None = None
    sent: list[tuple[str, float]] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    most_open: int = 0
    gate: Gate = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate(self.pace, self.shared or Pause(self.clock))

    @property
    def times(self) -> list[float]:
        """When requests were sent, in order."""
        return [at for _, at in self.sent]

    async def sleep(self, seconds: float) -> None:
        end: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not end.done():
                end.set_result(None)

        self.clock.call_later(seconds, wake)
        await end

    async def _ask(
        self, name: str, cost: Mapping[Kind, float], took_s: float, used: Mapping[Kind, float]
    ) -> None:
        async with self.gate.slot(cost) as slot:
            self.sent.append((name, self.clock.time()))
            self.most_open = max(self.most_open, self.gate.in_flight)
            if took_s:
                await self.sleep(took_s)
            slot.settle(used)
            self.gate.succeeded(slot)

    def ask(
        self,
        count: int = 1,
        *,
        name: str = "",
        cost: Mapping[Kind, float] = ONE,
        took_s: float = 0.0,
        used: Mapping[Kind, float] | None = None,
    ) -> list[asyncio.Task[None]]:
        """Start requests that succeed after a while."""
        new = [
            asyncio.create_task(self._ask(name or str(n), cost, took_s, used or {}))
            for n in range(count)
        ]
        self.tasks += new
        return new

    async def enter(self, cost: Mapping[Kind, float] = ONE) -> Slot:
        """Take a slot that stays taken."""
        slot = self.gate.slot(cost)
        await slot.__aenter__()
        return slot

    async def end(self) -> None:
        """Cancel what still waits."""
        for task in self.tasks:
            task.cancel()
        await asyncio.wait(self.tasks)


def fixed(in_flight: int = MANY, **per_min: float) -> Pace:
    """A ceiling that does not move, and rates."""
    limits: dict[Kind, float] = {}
    for kind in ("requests", "tokens", "input_tokens", "output_tokens"):
        if kind in per_min:
            limits[kind] = per_min[kind]
    return Pace(in_flight=in_flight, window=in_flight, per_min=limits)
