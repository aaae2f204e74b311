"""Where requests wait their turn: a ceiling on those open, rates, and pauses a server asks for.

A slot is taken for one attempt and given back before any wait. Nobody polls: whoever waits is woken
by the slot that comes free, or by the one timer set for the moment when the first in line may go.

Rates are token buckets that hold a quarter of a second's worth, so that a limit is kept smoothly. A
bucket is settled with what a request really used, and follows the server's own count where its
headers give one. Where no rate is known, the ceiling itself adapts: it doubles while all is well,
then grows by one a round; a refusal for load ends the doubling and halves it, later ones lower it
by half the share of requests that are refused.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from probe.limits import KINDS, Kind, Observed
from probe.pace import Pace

_BURST_S: Final = 0.25
_SLOW_DOWN: Final = 0.95
_SPEED_UP: Final = 0.002
_SLOWEST: Final = 0.1
_MUCH_SLOWER: Final = 2.0
_QUICK_S: Final = 0.05
_FORGET: Final = 1.0005
_ENOUGH: Final = 8
_NEVER: Final = float("inf")
_SMOOTH: Final = 0.05
_SHARE_SMOOTH: Final = 1 / 64


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None:
        """Do not make it."""
        ...


class Clock(Protocol):
    """The time, and calls made at a time. An asyncio event loop is one."""

    def time(self) -> float:
        """Now, on a clock that never jumps (seconds)."""
        ...

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        """Make a call after a delay (seconds)."""
        ...


@dataclass(slots=True)
class Bucket:
    """A rate limit, kept as a token bucket; what is taken may run ahead by one request.

    Attributes:
        per_min: The limit (units a minute).
        scale: Part of the limit that is used, in (0, 1].
        level: Units there now; negative while what was taken is not there yet.
        taken: Units ever taken (count), by which a server's count is compared with ours.
    """

    per_min: float
    at: float
    scale: float = 1.0
    level: float = field(init=False)
    taken: float = 0.0

    def __post_init__(self) -> None:
        self.level = self.burst

    @property
    def per_s(self) -> float:
        """Units a second."""
        return self.per_min / 60 * self.scale

    @property
    def burst(self) -> float:
        """The most it holds (units)."""
        return max(1.0, self.per_s * _BURST_S)

    def refill(self, now: float) -> None:
        """Add what has come since the last time."""
        self.level = min(self.burst, self.level + max(0.0, now - self.at) * self.per_s)
        self.at = now

    def wait_s(self, units: float) -> float:
        """The wait until units may be taken (seconds); more than it holds may go at once full."""
        return max(0.0, min(units, self.burst) - self.level) / self.per_s

    def take(self, units: float) -> None:
        """Take units, whether they are there or not."""
        self.level -= units
        self.taken += units

    def follow(self, remaining: float, taken_then: float, sent_at: float) -> None:
        """Go down to the server's count: what was left, and what came and went since.

        A difference of less than one unit is the server's rounding.
        """
        since = (self.at - sent_at) * self.per_s - (self.taken - taken_then)
        if remaining + since + 1 < self.level:
            self.level = remaining + since


@dataclass(slots=True)
class Pause:
    """A wait that a server asked of everyone who asks it; the newest request for one counts."""

    clock: Clock
    began: float = -_NEVER
    until: float = 0.0
    why: str = ""
    gates: list[Gate] = field(default_factory=list)

    @property
    def left_s(self) -> float:
        """What is left of it (seconds)."""
        return max(0.0, self.until - self.clock.time())

    def set(self, seconds: float, why: str) -> None:
        """Begin a pause, or move the end of the one that is on."""
        now = self.clock.time()
        if now >= self.until:
            self.began = now
        self.until, self.why = now + seconds, why
        for gate in self.gates:
            gate.wake()


class Slot:
    """One attempt's place; taken with `async with`."""

    __slots__ = ("_gate", "_taken", "cost", "sent_at")

    def __init__(self, gate: Gate, cost: Mapping[Kind, float]) -> None:
        self._gate = gate
        self.cost = cost
        self.sent_at = 0.0
        self._taken: dict[Kind, float] = {}

    async def __aenter__(self) -> Slot:
        """Wait for the turn."""
        await self._gate.enter(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Give the place back."""
        self._gate.leave(self)

    def go(self, buckets: Mapping[Kind, Bucket], now: float) -> None:
        """Take from every bucket; called by the gate when the turn has come."""
        self.sent_at = now
        for kind, bucket in buckets.items():
            bucket.take(self.cost.get(kind, 0.0))
            self._taken[kind] = bucket.taken

    def settle(self, used: Mapping[Kind, float]) -> None:
        """Say what the attempt really used: the difference goes back."""
        for kind in self._taken:
            bucket = self._gate.buckets[kind]
            if kind in used:
                back = self.cost.get(kind, 0.0) - used[kind]
                bucket.level += back
                bucket.taken -= back
                self._taken[kind] -= back

    def observe(self, seen: Iterable[Observed]) -> None:
        """Hand on what the answer's headers say."""
        for each in seen:
            self._gate.learn(each, self._taken.get(each.kind), self.sent_at)


class Gate:
    """Lets one model's requests through at its pace.

    Attributes:
        buckets: The rate limits that are known, by kind.
        window: Requests that may be open at once, as it stands.
        in_flight: Requests open now (count).
    """

    def __init__(self, pace: Pace, pause: Pause) -> None:
        self._clock = pause.clock
        self._pace = pace
        self._most, self._part, self._until = pace.in_flight, 1.0, _NEVER
        self._adapts = pace.window < pace.in_flight
        now = self._clock.time()
        self.buckets: dict[Kind, Bucket] = {
            kind: Bucket(pace.per_min[kind], now) for kind in KINDS if kind in pace.per_min
        }
        self.window = float(pace.window)
        self.in_flight = 0
        self.pause = pause
        pause.gates.append(self)
        self._starting = True
        self._backed_off_at = -_NEVER
        self._replies = 0
        self._usual_s, self._best_s = 0.0, _NEVER
        self._share = 0.0  # of requests that are refused, as of late
        self._waiting: deque[tuple[asyncio.Future[None], Slot]] = deque()
        self._timer: Timer | None = None
        self._closed = False

    def close(self) -> None:
        """Make nobody wait any more; whoever comes through must see that it is over."""
        self._closed = True
        self.wake()

    def share(self, in_flight: int, part: float, until: float = _NEVER) -> None:
        """Keep to a share of the pace: others ask the same model elsewhere.

        Args:
            in_flight: Requests open at once at most (count); 0 lets nobody through.
            part: Of every rate, in [0, 1].
            until: When nobody is let through any more, unless another share comes before (seconds
                on the clock).
        """
        self._until = until
        self.window = float(min(in_flight, self.window) if self._adapts else in_flight)
        if self._adapts and in_flight and self.window < 1:
            self.window = 1.0
        self._most = in_flight
        if part > 0:
            for bucket in self.buckets.values():
                bucket.per_min *= part / self._part
            self._part = part
        self.wake()

    def slot(self, cost: Mapping[Kind, float]) -> Slot:
        """A place for one attempt that will use about so much."""
        return Slot(self, cost)

    @property
    def waiting(self) -> int:
        """Attempts waiting for their turn (count)."""
        return len(self._waiting)

    async def enter(self, slot: Slot) -> None:
        """Wait for a slot's turn. Used through `async with`."""
        if not self._waiting and self._wait_s(slot) <= 0:
            self._let(slot)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((turn, slot))
        self.wake()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(slot)
            raise

    def leave(self, slot: Slot) -> None:
        """Give a slot back. Used through `async with`."""
        del slot
        self.in_flight -= 1
        self.wake()

    def wake(self) -> None:
        """Let everyone in whose turn it is, and set the timer for the next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            turn, slot = self._waiting[0]
            if turn.done():  # its waiter was cancelled
                self._waiting.popleft()
                continue
            wait = self._wait_s(slot)
            if wait > 0:
                if wait < _NEVER:
                    self._timer = self._clock.call_later(wait, self._on_timer)
                return
            self._waiting.popleft()
            self._let(slot)
            turn.set_result(None)

    def _on_timer(self) -> None:
        self._timer = None
        self.wake()

    def _let(self, slot: Slot) -> None:
        self.in_flight += 1
        slot.go(self.buckets, self._clock.time())

    def _wait_s(self, slot: Slot) -> float:
        """The wait until a slot may go (seconds); infinite while it depends on another's end."""
        if self._closed:
            return 0.0
        if self.in_flight >= int(self.window):
            return _NEVER
        now = self._clock.time()
        if now >= self._until:
            return _NEVER
        wait = self.pause.until - now
        for kind, bucket in self.buckets.items():
            bucket.refill(now)
            wait = max(wait, bucket.wait_s(slot.cost.get(kind, 0.0)))
        return wait

    def learn(self, seen: Observed, taken_then: float | None, sent_at: float) -> None:
        """Follow what a server says of one limit; what the file tells is never exceeded."""
        now = self._clock.time()
        told = self._pace.per_min.get(seen.kind)
        per_min = self._part * (seen.per_min if told is None else min(told, seen.per_min))
        bucket = self.buckets.get(seen.kind)
        if bucket is None:
            bucket = self.buckets[seen.kind] = Bucket(per_min, now)
            taken_then = 0.0
        bucket.refill(now)
        bucket.per_min = per_min
        if seen.remaining is not None and taken_then is not None:
            bucket.follow(self._part * seen.remaining, taken_then, sent_at)

    def succeeded(self, slot: Slot) -> None:
        """A reply has come: the server bears what it is asked."""
        for bucket in self.buckets.values():
            bucket.scale = min(1.0, bucket.scale + _SPEED_UP)
        if not self._adapts or self.buckets:
            self._open_up()
            return
        self._share -= self._share * _SHARE_SMOOTH
        slower = self._much_slower(self._clock.time() - slot.sent_at)
        used = self._waiting or self.in_flight >= int(self.window)
        if used and not slower:
            grown = self.window + (1.0 if self._starting else 1.0 / self.window)
            self.window = min(float(self._most), grown)

    def _much_slower(self, took_s: float) -> bool:
        """Whether replies take much longer than they did: requests then only queue at the server.

        Means are compared, since single latencies differ by a multiple anywhere; what was best is
        slowly forgotten, since a server may have become slower for good.
        """
        self._replies += 1
        self._usual_s += (took_s - self._usual_s) * max(_SMOOTH, 1 / self._replies)
        if self._replies < _ENOUGH:
            return False
        self._best_s = min(self._best_s * _FORGET, self._usual_s)
        return self._usual_s > _MUCH_SLOWER * max(self._best_s, _QUICK_S)

    def _open_up(self) -> None:
        """Where a rate is known it holds the pace, and the ceiling need not."""
        if self._adapts and self.window < self._most:
            self.window = float(self._most)

    def refused(self, slot: Slot) -> None:
        """The server bears no more: slow down, once for all that were sent before it said so.

        Source: for the share, Alizadeh et al. (2010), Data Center TCP, section 3. A host that
        refuses at random would bring a ceiling that is halved every time down to one.
        """
        self._share += (1.0 - self._share) * _SHARE_SMOOTH
        if slot.sent_at <= self._backed_off_at:
            return
        now = self._backed_off_at = self._clock.time()
        less = 0.5 if self._starting else self._share / 2
        self._starting = False
        if self.buckets:
            for bucket in self.buckets.values():
                bucket.refill(now)
                bucket.level = min(bucket.level, 0.0)
                bucket.scale = max(_SLOWEST, bucket.scale * _SLOW_DOWN)
        elif self._adapts:
            self.window = max(1.0, self.window * (1.0 - less))
