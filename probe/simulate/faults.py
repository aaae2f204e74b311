"""What befalls a request: its fault, if any, and its latency, drawn from the request itself.

Draws hash the seed, the body and how often that body came before: the same seed gives the same
faults whatever the order in which requests arrive.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Final

from probe.simulate.latency import parse_latency
from probe.simulate.settings import Settings

EARLY: Final = frozenset({"429", "503"})
"""Faults of a host's front door, which come at once; the others come after the latency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What befalls one request.

    Attributes:
        fault: Its name, None where all goes well.
        latency_s: Until the response (seconds).
        variant: For faults of more than one form, in [0, 1).
    """

    fault: str | None
    latency_s: float
    variant: float


class Draws:
    """The draws of one endpoint; counts how often each body came."""

    def __init__(self, settings: Settings) -> None:
        self._latency = parse_latency(settings.latency)
        self._rates = [(fault, rate) for fault, rate in settings.rates().items() if rate > 0]
        self._seed = settings.seed
        self._seen: Counter[bytes] = Counter()
        always = self._rates == [] and ":" not in settings.latency
        self._always = (
            Drawn(fault=None, latency_s=self._latency(0.0), variant=0.0) if always else None
        )

    def draw(self, body: bytes) -> Drawn:
        """What befalls this request; the next with the same body draws anew."""
        if self._always is not None:  # nothing to draw, so no body has to be kept in mind
            return self._always
        digest = hashlib.sha256(body).digest()
        times = self._seen[digest]
        self._seen[digest] = times + 1
        drawn = hashlib.sha256(b"%d:%d:%b" % (self._seed, times, digest)).digest()
        return Drawn(
            fault=self._fault(_even(drawn[:8])),
            latency_s=self._latency(_even(drawn[8:16])),
            variant=_even(drawn[16:24]),
        )

    def _fault(self, drawn: float) -> str | None:
        for fault, rate in self._rates:
            drawn -= rate
            if drawn < 0:
                return fault
        return None


def _even(drawn: bytes) -> float:
    """Eight bytes as a number in [0, 1); 53 bits of them, so that it never rounds up to 1."""
    return (int.from_bytes(drawn, "big") >> 11) / 2**53
