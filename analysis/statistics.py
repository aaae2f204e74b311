"""Intervals. Pure; every draw comes from a generator that is passed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from analysis.errors import Undefined

_DRAWS_AT_ONCE: Final = 2_000_000
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval, in the unit of its estimate."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCounts:
    """Right and asked units of the same items under two conditions, each of shape (items,)."""

    right_a: npt.NDArray[np.int64]
    units_a: npt.NDArray[np.int64]
    right_b: npt.NDArray[np.int64]
    units_b: npt.NDArray[np.int64]

    @property
    def difference(self) -> float:
        """Accuracy under A less accuracy under B, units pooled, in [-1, 1]."""
        return float(
            self.right_a.sum() / self.units_a.sum() - self.right_b.sum() / self.units_b.sum()
        )

    @property
    def differing(self) -> int:
        """Items whose accuracy is not the same under both (count)."""
        return int((self.right_a * self.units_b != self.right_b * self.units_a).sum())


def paired_interval(
    counts: PairedCounts,
    *,
    rng: np.random.Generator,
    draws: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval of a paired difference, resampling whole items.

    An item's units and samples move together, since they share a passage.

    Raises:
        Undefined: Fewer than two items, or none differs, or all alike: resampling gives an
            interval of width 0, which is not what is known.

    Source:
        Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.
    """
    items = len(counts.units_a)
    if items < 2:
        raise Undefined("fewer than 2 items")
    if counts.differing == 0:
        raise Undefined("no item differs")
    drawn: list[npt.NDArray[np.float64]] = []
    step = max(1, _DRAWS_AT_ONCE // items)
    for start in range(0, draws, step):
        rows = rng.integers(0, items, size=(min(step, draws - start), items))
        a = counts.right_a[rows].sum(axis=1) / counts.units_a[rows].sum(axis=1)
        b = counts.right_b[rows].sum(axis=1) / counts.units_b[rows].sum(axis=1)
        drawn.append(a - b)
    differences = np.concatenate(drawn)
    if np.ptp(differences) < _ROUNDING:
        raise Undefined("all items differ alike")
    tail = (1 - level) / 2
    low, high = np.quantile(differences, [tail, 1 - tail])
    return Interval(float(low), float(high))
