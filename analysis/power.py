"""How many items a paired difference needs, and how small a difference so many items show.

Of a two-sided test at 5 % that rejects with a chance of 80 %. Its power is that of the t test with
the spread seen, whose degrees of freedom grow with the clusters: more items are thought to come as
more clusters of the same kind and size.

Source: Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, ch. 2.
"""

from __future__ import annotations

import math
from typing import Final

from scipy.optimize import brentq
from scipy.special import nctdtr, stdtrit

POWER: Final = 0.8
_TAIL: Final = 0.025
_NORMAL_FROM: Final = 1e6
"""Degrees of freedom from which t is as good as normal."""
_STEP: Final = 0.5
_MOST: Final = 28.0
"""Logarithm of how many times the items there are; beyond that nothing is found."""
_FAR: Final = 5.0


def power(ratio: float, freedom: float) -> float:
    """The chance that the test rejects, in [0.05, 1].

    Args:
        ratio: Of the true difference to its standard error, at least 0.
        freedom: Degrees of freedom of that standard error, above 0.
    """
    freedom = min(freedom, _NORMAL_FROM)
    critical = float(stdtrit(freedom, 1 - _TAIL))
    above = 1 - float(nctdtr(freedom, ratio, critical))
    # Far from 0 a rejection on the other side does not happen, and scipy gives NaN for its chance.
    below = float(nctdtr(freedom, ratio, -critical)) if ratio < _FAR else 0.0
    return above + below


def detectable(error: float, freedom: float) -> float:
    """The smallest difference that is found with a chance of 80 %, in the unit of `error`.

    Args:
        error: Standard error of the difference, above 0.
        freedom: Its degrees of freedom.
    """
    highest = 1.0
    while power(highest, freedom) < POWER:
        highest *= 2
    return error * float(brentq(lambda ratio: power(ratio, freedom) - POWER, 0.0, highest))


def needed(difference: float, error: float, freedom: float, items: int) -> int | None:
    """Items with which a difference like the one seen is found with a chance of 80 % (count).

    Never fewer than make up two clusters, of which there must be a spread.

    Args:
        difference: As seen; its sign does not matter.
        error: Its standard error with the items there are, above 0.
        freedom: Degrees of freedom of that error: clusters less 1, were all of one size.
        items: That there are (count).

    Returns:
        None where no number of items would do: a difference of 0, or one too small to tell from it.
    """
    ratio, clusters = abs(difference) / error, freedom + 1

    def lacking(log_times: float) -> float:
        times = math.exp(log_times)
        return power(ratio * math.sqrt(times), times * clusters - 1) - POWER

    # Not far beyond what is looked for: there scipy gives NaN.
    low = high = math.log(2 / clusters)
    while lacking(high) < 0:
        low, high = high, high + _STEP
        if high > _MOST:
            return None
    log_times = float(brentq(lacking, low, high)) if high > low else high
    return math.ceil(items * math.exp(log_times) - 1e-9)
