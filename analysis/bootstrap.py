"""Percentile bootstrap intervals of what is measured on characters, resampling the characters.

A character's rows move together, and a pair of characters weighs the product of how often its two
were drawn: pairs that share a character are not independent. Pure and vectorised; every draw comes
from a generator that is passed in.

Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13; for pairs the vertex
bootstrap of Snijders & Borgatti (1999), Non-parametric standard errors and tests for network
statistics, Connections 22(2). They fill in the pair of a character drawn twice with itself; here it
is left out, since there is no such pair to measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from analysis.errors import Undefined
from analysis.statistics import Interval

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

DRAWS: Final = 2_000
_LEVEL: Final = 0.95
_ROUNDING: Final = 1e-12
_AT_ONCE: Final = 2_000_000
"""Weights of pairs held at a time (count)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Two numbers of each of many pairs of characters.

    Attributes:
        first: Which character comes first, shape (pairs,), from 0 to `characters` exclusive.
        second: Which one comes second, likewise.
        x: One number of each pair, shape (pairs,), finite.
        y: The other.
        characters: How many there are to draw from (count).
    """

    first: Places
    second: Places
    x: Floats
    y: Floats
    characters: int


def mean_interval(
    totals: Floats, counts: Floats, *, rng: np.random.Generator, draws: int = DRAWS
) -> Interval:
    """95 % interval of the mean of all rows, resampling characters with their rows.

    Args:
        totals: Sum of each character's rows, shape (characters,).
        counts: How many rows each has, shape (characters,), each at least 1.
        rng: Passed in, never global, so that a table can be made again.
        draws: Resamples (count).

    Raises:
        Undefined: Fewer than two characters, or all alike: resampling would give an interval of
            width 0, which is not what is known.
    """
    if len(totals) < 2:
        raise Undefined("fewer than 2 characters")
    if np.ptp(totals / counts) < _ROUNDING:
        raise Undefined("all characters have the same value")
    drawn = drawn_counts(len(totals), rng, draws)
    return _interval((drawn @ totals) / (drawn @ counts))


def correlation(x: Floats, y: Floats) -> float:
    """Pearson's correlation, in [-1, 1].

    Raises:
        Undefined: Fewer than three pairs, or one of the two does not vary.
    """
    if len(x) < 3:
        raise Undefined("fewer than 3 pairs")
    if np.ptp(x) < _ROUNDING or np.ptp(y) < _ROUNDING:
        raise Undefined("cosines or counts do not vary")
    return float(np.corrcoef(x, y)[0, 1])


def correlation_interval(pairs: Pairs, *, rng: np.random.Generator, draws: int = DRAWS) -> Interval:
    """95 % interval of Pearson's correlation over pairs, resampling characters.

    Raises:
        Undefined: The correlation itself is, or so it is in more resamples than lie in one tail.
    """
    correlation(pairs.x, pairs.y)
    drawn = drawn_counts(pairs.characters, rng, draws)
    step = max(1, _AT_ONCE // len(pairs.x))
    n, x, y, xx, yy, xy = np.concatenate(
        [_moments(pairs, drawn[at : at + step]) for at in range(0, draws, step)], axis=1
    )
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    # Sums of equal numbers differ by rounding: that is no spread.
    varies = (spread_x > _ROUNDING * n * n * pairs.x.var()) & (
        spread_y > _ROUNDING * n * n * pairs.y.var()
    )
    if (flat := draws - int(varies.sum())) > draws * (1 - _LEVEL) / 2:
        raise Undefined(f"{flat} of {draws} resamples do not vary")
    return _interval((n * xy - x * y)[varies] / np.sqrt(spread_x[varies] * spread_y[varies]))


def drawn_counts(characters: int, rng: np.random.Generator, draws: int) -> Floats:
    """How often each character is drawn in each resample, shape (draws, characters)."""
    chosen = rng.integers(0, characters, size=(draws, characters))
    flat = chosen + characters * np.arange(draws)[:, None]
    counts = np.bincount(flat.ravel(), minlength=draws * characters)
    return counts.reshape(draws, characters).astype(np.float64)


def _moments(pairs: Pairs, drawn: Floats) -> Floats:
    """Weighted sums of 1, x, y, xx, yy and xy in each resample, shape (6, draws).

    x and y are taken from their means first: that changes no correlation, and less is lost.
    """
    x, y = pairs.x - pairs.x.mean(), pairs.y - pairs.y.mean()
    by_character = np.ascontiguousarray(drawn.T)  # so that a pair's counts lie side by side
    weights = by_character[pairs.first] * by_character[pairs.second]
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y]) @ weights


def _interval(drawn: Floats) -> Interval:
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Interval(float(low), float(high))
