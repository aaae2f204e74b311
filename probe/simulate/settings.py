"""What a simulated endpoint is started with, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from probe.simulate.errors import SettingsError
from probe.simulate.latency import parse_latency
from probe.simulate.replies import MAKERS

COUNTS: Final = ("usage", "reserved")
PLANTED: Final = "planted"
"""The replies of subjects with planted memory, which know an experiment."""
HEADERS: Final = ("openai", "anthropic", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the endpoint behaves; each field is the flag of the same name.

    Attributes:
        port: Port on 127.0.0.1; 0 takes a free one.
        models: The models it serves; empty serves any.
        key: The only key it takes; None takes any, and none.
        latency: A fixed latency or a distribution, see `parse_latency` (seconds).
        replies: The maker of replies, one of `MAKERS`, or `planted`, whose maker is handed over.
        reply_tokens: Replies are padded to about so many tokens; None leaves them as made.
        rpm: Requests a minute; None is no limit.
        tpm: Tokens a minute; None is no limit.
        burst_s: Capacity of both token buckets, as seconds of their refill.
        count: Tokens charged on admission: prompt and reply (`usage`), or prompt and max_tokens
            (`reserved`).
        headers: Whose rate limit headers responses carry.
        max_open: Requests open at once beyond which it responds 503; None is no limit.
        rate_429: Probability of a 429 with a short wait, in [0, 1], as are those that follow.
        rate_500: Of a 500.
        rate_503: Of a 503.
        rate_reset: Of a connection reset before any byte of the response.
        rate_truncated: Of a response cut in its body.
        rate_malformed: Of a 200 that is not JSON.
        rate_hang: Of no response at all.
        seed: Of the draws of faults and latencies.
        record: A file to append one JSON line an event to.
    """

    port: int = 0
    models: tuple[str, ...] = ()
    key: str | None = None
    latency: str = "0"
    replies: str = "option"
    reply_tokens: int | None = None
    rpm: int | None = None
    tpm: int | None = None
    burst_s: float = 1.0
    count: str = "usage"
    headers: str = "openai"
    max_open: int | None = None
    rate_429: float = 0.0
    rate_500: float = 0.0
    rate_503: float = 0.0
    rate_reset: float = 0.0
    rate_truncated: float = 0.0
    rate_malformed: float = 0.0
    rate_hang: float = 0.0
    seed: int = 0
    record: Path | None = None

    def __post_init__(self) -> None:
        parse_latency(self.latency)
        _in_range("port", self.port, 0, 65535)
        for flag in ("rpm", "tpm", "max_open", "reply_tokens"):
            number = getattr(self, flag)
            if number is not None:
                _in_range(flag, number, 1, 2**53)
        if not (math.isfinite(self.burst_s) and self.burst_s > 0):
            raise SettingsError("burst-s", self.burst_s, "a number of seconds over 0")
        _one_of("count", self.count, COUNTS)
        _one_of("headers", self.headers, HEADERS)
        _one_of("replies", self.replies, (*MAKERS, PLANTED))
        self._check_rates()

    def _check_rates(self) -> None:
        rates = self.rates()
        for fault, rate in rates.items():
            _in_range(f"rate-{fault}", rate, 0, 1)
        total = math.fsum(rates.values())
        if total > 1 + 1e-9:  # ten rates of 0.1 are allowed, whatever their sum as floats
            raise SettingsError("rate-… in sum", f"{total:g}", "at most 1: a request has one fault")

    def rates(self) -> Mapping[str, float]:
        """The probability of each fault, by its name in the statistics."""
        return {
            "429": self.rate_429,
            "500": self.rate_500,
            "503": self.rate_503,
            "reset": self.rate_reset,
            "truncated": self.rate_truncated,
            "malformed": self.rate_malformed,
            "hang": self.rate_hang,
        }


def _in_range(flag: str, found: float, low: int, high: int) -> None:
    if not low <= found <= high:  # so worded that NaN is refused
        raise SettingsError(flag.replace("_", "-"), found, f"between {low} and {high}")


def _one_of(flag: str, found: str, allowed: tuple[str, ...]) -> None:
    if found not in allowed:
        raise SettingsError(flag, repr(found), f"one of {', '.join(allowed)}")
