"""A clock that moves only when a test moves it."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class FakeTimer:
    """A call that is due later."""

    at: float
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass(slots=True)
class FakeClock:
    """Attributes: calls: How often something was asked to be called later."""

    now_s: float = 100.0
    calls: int = 0
    _timers: list[tuple[float, int, FakeTimer]] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def time(self) -> float:
        return self.now_s

    def call_later(self, delay: float, callback: Callable[[], None], /) -> FakeTimer:
        timer = FakeTimer(self.now_s + delay, callback)
        heapq.heappush(self._timers, (timer.at, next(self._numbers), timer))
        self.calls += 1
        return timer

    @property
    def pending(self) -> int:
        """Calls that are still due (count)."""
        return sum(not timer.cancelled for _, _, timer in self._timers)

    async def advance(self, seconds: float) -> None:
        """Let time pass: every call is made at its moment, and what it wakes runs then."""
        await settle()
        end = self.now_s + seconds
        while self._timers and self._timers[0][0] <= end + 1e-9:
            at, _, timer = heapq.heappop(self._timers)
            if timer.cancelled:
                continue
            self.now_s = max(self.now_s, at) + 1e-9  # time never stands still
            timer.callback()
            await settle()
        self.now_s = end
        await settle()


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(4):
        await asyncio.sleep(0)
