"""What a run may spend: the worst case is reserved before sending, the bill settles it after.

Concurrent requests cannot overshoot: what is open counts as spent in full until its bill is known.
An attempt that broke after it was sent may have been billed; it stays counted at its worst case.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from probe.turns import Turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The most an experiment may use, earlier runs on the same store included.

    Attributes:
        usd: US dollars; None for no ceiling.
        requests: Attempts sent (count); None for no ceiling.
    """

    usd: float | None = None
    requests: int | None = None


@dataclass(slots=True, kw_only=True)
class Budget:
    """What is spent, reserved and left, for all models of a run.

    Attributes:
        usd: Billed by usage, earlier runs included (US dollars).
        uncertain_usd: Reserved by attempts that ended without a bill (US dollars).
        reserved_usd: Reserved by attempts that are open (US dollars).
        requests: Attempts sent (count).
        open: Attempts open (count).
        provisional: Whether the ceiling is a share that may grow: what does not fit then waits.
        wanted_usd: The most that any who waits wants to reserve (US dollars).
    """

    ceiling: Ceiling
    usd: float = 0.0
    uncertain_usd: float = 0.0
    reserved_usd: float = 0.0
    requests: int = 0
    open: int = 0
    provisional: bool = False
    wanted_usd: float = 0.0
    _waiting: Turns = field(default_factory=Turns)
    _closed: bool = False

    @property
    def waiting(self) -> int:
        """Requests that wait for room (count)."""
        return len(self._waiting)

    async def reserve(self, most_usd: float) -> bool:
        """Reserve one attempt; waits where open attempts may leave room, False where none can."""
        while not self._fits(most_usd):
            can_wait = self.open and self._may_fit(most_usd)
            if self._closed or not (can_wait or self.provisional):
                return False
            self.wanted_usd = max(self.wanted_usd, most_usd)
            await self._waiting.wait()
        self.reserved_usd += most_usd
        self.requests += 1
        self.open += 1
        return True

    def _fits(self, most_usd: float) -> bool:
        asked, limit = self.ceiling.requests, self.ceiling.usd
        if asked is not None and self.requests >= asked:
            return False
        spent = self.usd + self.uncertain_usd + self.reserved_usd
        return limit is None or spent + most_usd <= limit

    def _may_fit(self, most_usd: float) -> bool:
        """Whether it would fit if all that is open cost nothing."""
        asked, limit = self.ceiling.requests, self.ceiling.usd
        if asked is not None and self.requests - self.open >= asked:
            return False
        return limit is None or self.usd + self.uncertain_usd + most_usd <= limit

    def settle(self, most_usd: float, *, usd: float, uncertain_usd: float = 0.0) -> None:
        """Replace a reservation by what the attempt cost, or may have cost."""
        self.usd += usd
        self.uncertain_usd += uncertain_usd
        self._give_back(most_usd)

    def release(self, most_usd: float) -> None:
        """Give back the reservation of an attempt that was never sent."""
        self.requests -= 1
        self._give_back(most_usd)

    def _give_back(self, most_usd: float) -> None:
        self.open -= 1
        self.reserved_usd = self.reserved_usd - most_usd if self.open else 0.0
        self.wake()

    def try_reserve(self, most_usd: float) -> bool:
        """Reserve one attempt where there is room now; nobody waits."""
        if self._closed or not self._fits(most_usd):
            return False
        self.adopt(most_usd)
        return True

    def adopt(self, most_usd: float) -> None:
        """Count an attempt as open that was sent before, whatever the ceiling."""
        self.reserved_usd += most_usd
        self.requests += 1
        self.open += 1

    def wake(self) -> None:
        """Let whoever waits look again, such as when a run is stopped."""
        self._waiting.wake_all()

    def share(self, ceiling: Ceiling) -> None:
        """Take another share of what all may spend; who waits looks again."""
        self.ceiling, self.provisional, self.wanted_usd = ceiling, True, 0.0
        self.wake()

    def close(self) -> None:
        """Let nobody wait for a larger share any more."""
        self._closed = True
        self.wake()
