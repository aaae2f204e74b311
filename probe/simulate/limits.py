"""Rate limits as hosts keep them: token buckets with continuous refill, and the headers they send.

Nothing here sleeps; time is a parameter.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from probe.simulate.settings import Settings

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """A request that came over a limit.

    Attributes:
        unit: `requests` or `tokens`.
        a_min: The limit (count in 60 s).
        wait_s: Until it would have been admitted (seconds).
    """

    unit: str
    a_min: int
    wait_s: float


class Bucket:
    """One limit: refilled all the time, full at the start, never over its capacity.

    What costs more than the capacity is admitted by a full bucket and leaves it in debt, so nothing
    is refused for ever and the rate still holds.
    """

    def __init__(self, unit: str, a_min: int, burst_s: float, now_s: float) -> None:
        self.unit, self.a_min = unit, a_min
        self._a_second = a_min / 60
        self._capacity = max(1.0, self._a_second * burst_s)
        self._level = self._capacity
        self._at_s = now_s

    def refill(self, now_s: float) -> None:
        """Add what came since the last refill."""
        came = (now_s - self._at_s) * self._a_second
        self._level = min(self._capacity, self._level + came)
        self._at_s = now_s

    def wait_s(self, cost: float) -> float:
        """Seconds until a cost would be admitted; 0 where it is now."""
        missing = min(cost, self._capacity) - self._level
        return missing / self._a_second if missing > _ROUNDING else 0.0

    def take(self, cost: float) -> None:
        """Charge an admitted cost."""
        self._level -= cost

    @property
    def remaining(self) -> int:
        """What would be admitted now (count)."""
        return max(0, math.floor(self._level + _ROUNDING))

    @property
    def full_in_s(self) -> float:
        """Until it is full again (seconds)."""
        return (self._capacity - self._level) / self._a_second


class Limits:
    """The limits of one endpoint, those that are set."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._headers = settings.headers
        limits = {"requests": settings.rpm, "tokens": settings.tpm}
        self._set = [
            Bucket(unit, a_min, settings.burst_s, clock())
            for unit, a_min in limits.items()
            if a_min is not None
        ]

    def admit(self, tokens: int) -> Over | None:
        """Charge a request on every limit, or on none and say which it is over for longest."""
        if not self._set:
            return None
        self._refill()
        costs = [(bucket, tokens if bucket.unit == "tokens" else 1) for bucket in self._set]
        over = [
            Over(unit=bucket.unit, a_min=bucket.a_min, wait_s=wait_s)
            for bucket, cost in costs
            if (wait_s := bucket.wait_s(cost))
        ]
        if over:
            return max(over, key=lambda one: one.wait_s)
        for bucket, cost in costs:
            bucket.take(cost)
        return None

    def headers(self) -> dict[str, str]:
        """The state of the limits now, in the form of one host's headers."""
        if not self._set or self._headers == "none":
            return {}
        self._refill()
        form = _openai if self._headers == "openai" else _anthropic
        return {name: value for bucket in self._set for name, value in form(bucket).items()}

    def _refill(self) -> None:
        now_s = self._clock()
        for bucket in self._set:
            bucket.refill(now_s)


def _openai(bucket: Bucket) -> dict[str, str]:
    return {
        f"x-ratelimit-limit-{bucket.unit}": str(bucket.a_min),
        f"x-ratelimit-remaining-{bucket.unit}": str(bucket.remaining),
        f"x-ratelimit-reset-{bucket.unit}": go_duration(bucket.full_in_s),
    }


def _anthropic(bucket: Bucket) -> dict[str, str]:
    full_at = datetime.fromtimestamp(math.ceil(time.time() + bucket.full_in_s), tz=UTC)
    start = f"anthropic-ratelimit-{bucket.unit}"
    return {
        f"{start}-limit": str(bucket.a_min),
        f"{start}-remaining": str(bucket.remaining),
        f"{start}-reset": f"{full_at:%Y-%m-%dT%H:%M:%SZ}",
    }


def go_duration(duration_s: float) -> str:
    """A duration as Go prints it, to the millisecond above: `120ms`, `1.2s`, `1m3s`, `1h0m0s`."""
    milliseconds = math.ceil(duration_s * 1000 - _ROUNDING)
    if milliseconds <= 0:
        return "0s"
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    seconds = f"{rest / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds
