"""What the sums of measures come to: ratios, F1s, and the means of several that are a headline.

Pure, and vectorised over any leading axes, so that resamples are pooled all at once. The views
`metrics` and `headlines` pool by the same rule, which `prompts.tasks.base.Measure` states.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SUMS: Final = 4
"""num, den, recall_num and recall_den of a metric, in that order; the last two 0 without recall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """How sums become numbers.

    Attributes:
        with_recall: Whether each metric is an F1, shape (metrics,).
        weights: What each metric counts in each statistic, shape (statistics, metrics): 1 for the
            metric itself, 1/n for each of the n metrics of a headline.
    """

    with_recall: Bools
    weights: Floats

    def values(self, sums: Floats) -> Floats:
        """Each statistic of pooled sums, shape (..., statistics).

        Args:
            sums: Shape (..., metrics, 4).

        Returns:
            NaN where a metric that counts is over nothing, or none counts.
        """
        metrics = pooled(sums, self.with_recall)
        found = np.full((*metrics.shape[:-1], len(self.weights)), np.nan)
        for at, row in enumerate(self.weights):
            if row.any():
                found[..., at] = metrics[..., row != 0] @ row[row != 0]
        return found

    def swapped(self, a: Floats, b: Floats, swaps: Floats, among: Bools) -> Floats:
        """Differences a - b of each statistic with the sides of some clusters swapped.

        Args:
            a: Sums of clusters, shape (clusters, metrics, 4).
            b: Likewise.
            swaps: 1 where a cluster is swapped, else 0: shape (draws, clusters among).
            among: Clusters that may be swapped, shape (clusters,).

        Returns:
            Shape (draws, statistics).
        """
        shape = a.shape[1:]
        more = (a[among] - b[among]).reshape(-1, math.prod(shape))
        moved = (swaps @ more).reshape(len(swaps), *shape)
        return self.values(a.sum(axis=0) - moved) - self.values(b.sum(axis=0) + moved)


def headline_and_each(headline: Bools, with_recall: Bools, *, every_metric: bool) -> Pooling:
    """The headline, and if asked for each single metric after it in their order."""
    weights = (headline / max(1, headline.sum()))[None, :]
    if every_metric:
        weights = np.concatenate([weights, np.eye(len(headline))])
    return Pooling(with_recall=with_recall, weights=weights)


def pooled(sums: Floats, with_recall: Bools) -> Floats:
    """Each metric of pooled sums, shape (..., metrics); NaN where it is over nothing.

    A plain metric is `num / den`. One with recall is the harmonic mean of that and
    `recall_num / recall_den`, of which one that is over nothing counts 0 if the other is over
    something; where both are 0, so is their mean.

    Args:
        sums: Shape (..., metrics, 4).
        with_recall: Shape (metrics,).
    """
    num, den, recall_num, recall_den = np.moveaxis(sums, -1, 0)
    nothing = np.where(with_recall, (den == 0) & (recall_den == 0), den == 0)
    precision, recall = _ratio(num, den), _ratio(recall_num, recall_den)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return np.where(nothing, np.nan, np.where(with_recall, f1, precision))


def _ratio(num: Floats, den: Floats) -> Floats:
    """0 where there is nothing to divide by."""
    return np.divide(num, den, out=np.zeros(np.broadcast(num, den).shape), where=den != 0)
