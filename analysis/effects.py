"""What documents under two conditions say of their difference, by statistic and over tasks.

Pure: `analysis.pairs` brings the documents, `analysis.contrasts` says which conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from analysis.errors import Undefined
from analysis.joint import Moving, flipped_together, mean_of, shares_clusters
from analysis.metrics import Floats
from analysis.pairs import Documents, Gaps
from analysis.power import detectable, needed
from analysis.statistics import (
    FLIPS,
    Clusters,
    Estimate,
    Flipped,
    Interval,
    Paired,
    clustered,
    estimate,
    flipped,
    mcnemar,
    resampled,
)

HEADLINE: Final = "headline"
NO_OVERLAP: Final = "no item has replies under both conditions"
OVER_NOTHING: Final = "the metric is over nothing"
MCNEMAR: Final = "exact McNemar"
SIGN_FLIP: Final = "sign-flip permutation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The difference of one statistic; `analysis.contrasts.Contrast` says what each number is.

    Attributes:
        bounded: Whether the statistic lies in [0, 1] whatever is answered.
        undefined: Why there is no estimate; None where there is one.
        estimate: The difference and its spread.
        flips: Differences with conditions swapped, shape (flips, 1).
        moving: What was swapped.
    """

    metric: str
    missing: int
    lowest: float | None
    highest: float | None
    bounded: bool
    value_a: float | None = None
    value_b: float | None = None
    items: int = 0
    differing: int = 0
    clusters: int = 0
    clustered_by: str = "item"
    undefined: str | None = NO_OVERLAP
    p: float | None = None
    test: str | None = None
    estimate: Estimate | None = None
    flips: Flipped | None = None
    moving: Moving | None = None

    @property
    def difference(self) -> float | None:
        """First condition less second."""
        if self.value_a is None or self.value_b is None:
            return None
        return self.value_a - self.value_b

    @property
    def share(self) -> float | None:
        """The difference over the first condition's value."""
        return (
            self.difference / self.value_a if self.value_a and self.difference is not None else None
        )

    @property
    def interval(self) -> Interval | None:
        """95 % of the difference, within what it can be."""
        if self.estimate is None:
            return None
        own = self.estimate.interval
        return Interval(max(-1.0, own.low), min(1.0, own.high)) if self.bounded else own

    @property
    def share_interval(self) -> Interval | None:
        """95 % of the share, within what it can be."""
        own = self.estimate.share_interval if self.estimate else None
        return Interval(own.low, min(1.0, own.high)) if own and self.bounded else own

    @property
    def needed(self) -> int | None:
        """Documents that would show such a difference."""
        own = self.estimate
        if own is None:
            return None
        return needed(own.difference, own.error, own.freedom, self.items)

    @property
    def detectable(self) -> float | None:
        """The difference that these documents would show."""
        own = self.estimate
        return detectable(own.error, own.freedom) if own else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """Documents, and what was drawn from their clusters for all statistics at once."""

    paired: Paired
    clusters: Clusters
    moving: Paired
    drawn: Floats
    flips: Flipped


def effects(own: Documents | None, lacking: Gaps | None, rng: np.random.Generator) -> list[Effect]:
    """The headline's effect and, where they are statistics, those of the metrics after it.

    Args:
        own: The documents under both conditions; None without any, which leaves one effect that
            says so.
        lacking: What is missing of those asked; None where both conditions ask no item.
        rng: Of all draws.
    """
    if own is None:
        return [_blank(HEADLINE, lacking, 0)]
    clusters = clustered(own.works, own.scenes)
    moving = own.paired.grouped(clusters.of)
    sample = _Sample(
        paired=own.paired,
        clusters=clusters,
        moving=moving,
        drawn=resampled(moving, rng),
        flips=flipped(moving, rng),
    )
    names = (HEADLINE, *own.metrics)[: len(own.paired.pooling.weights)]
    return [_effect(_blank(name, lacking, at), sample, at) for at, name in enumerate(names)]


def _blank(metric: str, lacking: Gaps | None, at: int) -> Effect:
    """An effect of which nothing is known but what is missing."""
    if lacking is None:
        return Effect(metric=metric, missing=0, lowest=None, highest=None, bounded=False)
    bounded = lacking.bounded[at]
    within = bounded and bool(np.isfinite(lacking.lowest[at] + lacking.highest[at]))
    return Effect(
        metric=metric,
        missing=lacking.cells,
        lowest=float(lacking.lowest[at]) if within else None,
        highest=float(lacking.highest[at]) if within else None,
        bounded=bounded,
    )


def _effect(blank: Effect, sample: _Sample, at: int) -> Effect:
    value_a, value_b = float(sample.paired.values_a[at]), float(sample.paired.values_b[at])
    known = replace(
        blank,
        items=len(sample.paired.a),
        differing=int(sample.paired.differing[at]),
        clusters=sample.clusters.count,
        clustered_by=sample.clusters.by,
        undefined=OVER_NOTHING,
    )
    if not np.isfinite(value_a - value_b):
        return known
    known = _tested(replace(known, value_a=value_a, value_b=value_b), sample, at)
    try:
        if known.items > 1 and not known.differing:
            raise Undefined("no item differs")
        clusters = sample.clusters
        own = estimate(sample.drawn, sample.moving, at, clusters.by, clusters.names)
    except Undefined as error:
        return replace(known, undefined=str(error))
    return replace(known, estimate=own, undefined=None)


def _tested(known: Effect, sample: _Sample, at: int) -> Effect:
    observed = known.difference
    if known.items < 2 or observed is None:
        return known
    flips = Flipped(differences=sample.flips.differences[:, [at]], exact=sample.flips.exact)
    moving = Moving(paired=sample.moving, statistic=at, names=sample.clusters.names)
    known = replace(known, flips=flips, moving=moving)
    counts = _right_or_wrong(sample, at)
    if counts is None:
        return replace(known, p=flips.p(observed), test=SIGN_FLIP)
    return replace(known, p=mcnemar(*counts), test=MCNEMAR)


def _right_or_wrong(sample: _Sample, at: int) -> tuple[int, int] | None:
    """Items right under one condition only; None unless each is one answer that moves alone."""
    pooling = sample.paired.pooling
    counted = pooling.weights[at] != 0
    both = np.stack([sample.paired.a, sample.paired.b])[:, :, counted]
    if counted.sum() != 1 or pooling.with_recall[counted].any():
        return None
    right, answers = both[..., 0, 0], both[..., 0, 1]
    alone = sample.clusters.count == len(sample.paired.a)
    if not (alone and (answers == 1).all() and np.isin(right, (0, 1)).all()):
        return None
    return int((right[0] > right[1]).sum()), int((right[0] < right[1]).sum())


def mean_effect(parts: Sequence[tuple[str, Effect]], rng: np.random.Generator) -> Effect:
    """The mean of tasks' effects: each task weighs alike, and within it each of its effects.

    Works, or scenes, that several parts have move in all of them at once.

    Args:
        parts: Task and effect, at least one.
        rng: Of the draws that put their flips together.
    """
    tasks = [task for task, _ in parts]
    weights = [1 / len(set(tasks)) / tasks.count(task) for task in tasks]
    own = [each for _, each in parts]
    because = [f"{task}: {each.undefined}" for task, each in parts if each.undefined]
    found = Effect(
        metric=own[0].metric,
        missing=sum(each.missing for each in own),
        lowest=_mean([each.lowest for each in own], weights),
        highest=_mean([each.highest for each in own], weights),
        bounded=all(each.bounded for each in own),
        value_a=_mean([each.value_a for each in own], weights),
        value_b=_mean([each.value_b for each in own], weights),
        items=sum(each.items for each in own),
        differing=sum(each.differing for each in own),
        clusters=sum(each.clusters for each in own),
        clustered_by=", ".join(dict.fromkeys(each.clustered_by for each in own)),
        undefined=because[0] if because else None,
    )
    estimates = [each.estimate for each in own if each.estimate]
    if len(estimates) == len(own):
        found = replace(found, estimate=mean_of(estimates, weights))
    flips = [each.flips for each in own if each.flips]
    if len(flips) == len(own) and found.difference is not None:
        moving = [each.moving for each in own if each.moving]
        together = (
            flipped_together(moving, weights, rng)
            if shares_clusters(moving)
            else _together(flips, weights, rng)
        )
        found = replace(found, p=together.p(found.difference), test=SIGN_FLIP)
    return found


def _mean(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
    """None where any is."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return sum(value * weight for value, weight in zip(known, weights, strict=True))


def _together(
    flips: Sequence[Flipped], weights: Sequence[float], rng: np.random.Generator
) -> Flipped:
    total = np.zeros((FLIPS, 1))
    for own, weight in zip(flips, weights, strict=True):
        at = rng.integers(0, len(own.differences), FLIPS) if own.exact else np.arange(FLIPS)
        total += weight * own.differences[at]
    return Flipped(differences=total, exact=False)
