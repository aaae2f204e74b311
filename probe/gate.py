"""Where requests wait their turn: a ceiling on those open, and token buckets for rates.

A slot is taken for one attempt and given back before any wait. A waiter sleeps until its turn and
never polls. Buckets hold one second's worth, so a rate is kept smoothly rather than in bursts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from probe.pace import Pace

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Bucket:
    """A rate limit: `per_min` units a minute, `burst` of them at once.

    Reservations may run ahead: `reserve` says how long to wait for what it takes, in order.
    """

    per_min: float
    burst: float
    now: Clock
    level: float = field(init=False)
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.level = self.burst
        self.at = self.now()

    def reserve(self, units: float) -> float:
        """Take units; return the wait until they are there (seconds)."""
        moment = self.now()
        self.level = min(self.burst, self.level + (moment - self.at) * self.per_min / 60)
        self.at = moment
        self.level -= units
        return max(0.0, -self.level * 60 / self.per_min)


class Gate:
    """Lets one model's requests through at its pace."""

    def __init__(self, pace: Pace, *, now: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self._open = asyncio.Semaphore(pace.in_flight)
        self._sleep = sleep
        requests, tokens = pace.requests_per_min, pace.tokens_per_min
        self._requests = Bucket(requests, max(1.0, requests / 60), now) if requests else None
        self._tokens = Bucket(tokens, max(1.0, tokens / 60), now) if tokens else None
        self.in_flight = 0

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[None]:
        """Hold a slot for one attempt of so many tokens."""
        waits = [self._requests.reserve(1)] if self._requests else []
        waits += [self._tokens.reserve(tokens)] if self._tokens else []
        wait = max(waits, default=0.0)
        if wait > 0:
            await self._sleep(wait)
        async with self._open:
            self.in_flight += 1
            try:
                yield
            finally:
                self.in_flight -= 1
