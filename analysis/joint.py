"""Means of estimates that share clusters: what lies in one work moves in all of them at once. Pure.

Tasks over the same works are not independent. Taken as such, an interval of their mean is too
narrow where a model that knows a work does better in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.metrics import Floats
from analysis.statistics import FLIPS, Estimate, Flipped, Paired, drawn_swaps

_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """Clusters of one estimate, for flipping them together with others'.

    Attributes:
        statistic: Which of the pooling's statistics (index).
        names: Of the clusters.
    """

    paired: Paired
    statistic: int
    names: tuple[str, ...]


def mean_of(estimates: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """The weighted mean of estimates; clusters of the same name move together, others alone.

    Its degrees of freedom are Satterthwaite's, those of its widest parts, and fewer by as much as
    shared clusters widen the error: parts that say the same have those of one of them.

    Source: Satterthwaite (1946), Biometrics Bulletin 2(6).
    """
    parts = list(zip(estimates, weights, strict=True))
    alone = sum((weight**2 * _spread(each) for each, weight in parts), start=np.zeros((2, 2)))
    spread = alone + _shared(parts)
    variances = [weight**2 * each.variance for each, weight in parts]
    freedom = alone[0, 0] ** 2 / sum(
        own**2 / each.freedom for own, (each, _) in zip(variances, parts, strict=True)
    )
    fewer = min(1.0, alone[0, 0] / spread[0, 0]) if spread[0, 0] > 0 else 1.0
    return Estimate(
        difference=sum(weight * each.difference for each, weight in parts),
        value_a=sum(weight * each.value_a for each, weight in parts),
        variance=float(max(0.0, spread[0, 0])),
        variance_a=float(max(0.0, spread[1, 1])),
        covariance=float(spread[0, 1]),
        freedom=max(min(each.freedom for each in estimates), freedom * fewer),
    )


def _spread(own: Estimate) -> Floats:
    return np.array([[own.variance, own.covariance], [own.covariance, own.variance_a]])


def _shared(parts: Sequence[tuple[Estimate, float]]) -> Floats:
    """What clusters that several parts have add to the variances and the covariance."""
    moves: dict[str, list[Floats]] = {}
    for each, weight in parts:
        for name, pull in zip(each.names, each.pulls.T, strict=False):
            moves.setdefault(name, []).append(weight * pull)
    found = np.zeros((2, 2))
    for own in moves.values():
        if len(own) > 1:
            total = np.sum(own, axis=0)
            found += np.outer(total, total) - sum(np.outer(pull, pull) for pull in own)
    return found


def shares_clusters(parts: Sequence[Moving]) -> bool:
    """Whether a name stands in more than one part."""
    names = [name for each in parts for name in each.names]
    return len(set(names)) < len(names)


def flipped_together(
    parts: Sequence[Moving], weights: Sequence[float], rng: np.random.Generator
) -> Flipped:
    """Sign-flip permutations of a weighted mean of differences, shape (flips, 1).

    The two conditions are swapped in a cluster for all parts that have it. A part whose clusters
    have no names is swapped by itself.
    """
    number: dict[str, int] = {}
    places = []
    for at, each in enumerate(parts):
        names = each.names or tuple(f"{at} {own}" for own in range(len(each.paired.a)))
        places.append([number.setdefault(name, len(number)) for name in names])
    found = np.zeros((FLIPS, 1))
    step = max(1, _AT_ONCE // max(1, len(number)))
    for start in range(0, FLIPS, step):
        swaps = drawn_swaps(rng, min(step, FLIPS - start), len(number))
        for each, own, weight in zip(parts, places, weights, strict=True):
            paired = each.paired
            everyone = np.ones(len(paired.a), dtype=np.bool_)
            moved = paired.pooling.swapped(paired.a, paired.b, swaps[:, own], everyone)
            found[start : start + len(swaps), 0] += weight * moved[:, each.statistic]
    return Flipped(differences=found, exact=False)
