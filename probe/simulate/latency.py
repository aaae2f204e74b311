"""How long replies take: a distribution read from a short text.

Pure: a draw is a function of a number in [0, 1), so the same number gives the same latency.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from probe.simulate.errors import SettingsError

Latency = Callable[[float], float]
"""From a number drawn evenly in [0, 1) to a latency (seconds)."""

_FORMS = "seconds (0.05), uniform:LOW-HIGH (uniform:0.3-1.5) or lognormal:MEDIAN,SIGMA"
_NORMAL = NormalDist()
_SMALLEST = 2.0**-53


def parse_latency(text: str) -> Latency:
    """The distribution a text names.

    Args:
        text: `0.05`, `uniform:0.3-1.5` or `lognormal:0.8,0.5` (seconds; sigma is that of the log).

    Raises:
        SettingsError: The text is none of these, or its numbers cannot be.
    """
    kind, colon, rest = text.partition(":")
    try:
        if not colon:
            return _fixed(float(text))
        if kind == "uniform":
            low, high = map(float, rest.split("-"))
            return _uniform(low, high)
        if kind == "lognormal":
            median, sigma = map(float, rest.split(","))
            return _lognormal(median, sigma)
    except ValueError as error:
        raise SettingsError("latency", repr(text), _FORMS) from error
    raise SettingsError("latency", repr(text), _FORMS)


def _fixed(latency_s: float) -> Latency:
    _check(latency_s)
    return lambda _: latency_s


def _uniform(low_s: float, high_s: float) -> Latency:
    _check(low_s, high_s, high_s - low_s)
    return lambda drawn: low_s + (high_s - low_s) * drawn


def _lognormal(median_s: float, sigma: float) -> Latency:
    _check(median_s, sigma)
    return lambda drawn: median_s * math.exp(sigma * _NORMAL.inv_cdf(max(drawn, _SMALLEST)))


def _check(*numbers: float) -> None:
    if not all(math.isfinite(number) and number >= 0 for number in numbers):
        raise ValueError("a latency is finite and not negative")
