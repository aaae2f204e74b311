"""Intervals and tests of paired differences. Pure; every draw comes from a generator passed in.

Both move whole clusters, under both conditions at once: what lies in one work, scene or document is
not independent. Which clusters is for `clustered` to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, stdtrit

from analysis.errors import Undefined
from analysis.metrics import Bools, Floats, Pooling

DRAWS: Final = 2_000
"""Resamples for a standard error (count): it is off by about 1.6 %."""
FLIPS: Final = 10_000
"""Draws of a permutation test (count)."""
FEWEST: Final = 6
"""Clusters of one kind that are enough (count): with fewer no sign-flip test can reach 5 %."""
_EXACT_TO: Final = 12
"""Clusters that differ up to which every flip is tried (count)."""
_AT_ONCE: Final = 2_000_000
_ROUNDING: Final = 1e-12
_TAIL: Final = 0.025
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval, in the unit of its estimate."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Sums of the same clusters under two conditions.

    Attributes:
        a: Shape (clusters, metrics, 4), as `Pooling` takes them.
        b: Likewise.
    """

    a: Floats
    b: Floats
    pooling: Pooling

    @property
    def values_a(self) -> Floats:
        """Each statistic under the first condition, shape (statistics,)."""
        return self.pooling.values(self.a.sum(axis=0))

    @property
    def values_b(self) -> Floats:
        """Each statistic under the second."""
        return self.pooling.values(self.b.sum(axis=0))

    @property
    def differing(self) -> Places:
        """Clusters that are not alike under both, by statistic: shape (statistics,) (counts)."""
        counts = (self.pooling.weights != 0) @ self._unlike.T
        found: Places = (counts > 0).sum(axis=1, dtype=np.int64)
        return found

    @property
    def _unlike(self) -> Bools:
        """Whether a metric's shares differ, shape (clusters, metrics); a share of nothing is 0."""
        apart = np.abs(_shares(self.a) - _shares(self.b))
        found: Bools = np.any(apart > _ROUNDING, axis=-1)
        return found

    def grouped(self, cluster: Places) -> Paired:
        """The sums of larger clusters.

        Args:
            cluster: Of each present one, from 0 without gaps, shape (clusters,).
        """
        a, b = (np.zeros((cluster.max() + 1, *self.a.shape[1:])) for _ in range(2))
        np.add.at(a, cluster, self.a)
        np.add.at(b, cluster, self.b)
        return Paired(a=a, b=b, pooling=self.pooling)


def _shares(sums: Floats) -> Floats:
    num, den = sums[..., 0::2], sums[..., 1::2]
    return np.divide(num, den, out=np.zeros_like(num), where=den != 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """What moves together.

    Attributes:
        by: "work", "scene" or "item".
        of: Cluster of each item, from 0 without gaps, shape (items,).
        names: Clusters of other samples with the same name are the same work, or scene of it;
            empty where nothing tells.
    """

    by: str
    of: Places
    names: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.of.max()) + 1 if len(self.of) else 0


def clustered(works: Sequence[str], scenes: Sequence[str]) -> Clusters:
    """Works where there are at least six of them, else scenes, else items.

    With t and the spread of the works' own sums, six works of unequal size still cover (see
    `bench/coverage.py`). With fewer an interval says little, and no sign-flip test reaches 5 %, so
    scenes are taken, or items: such an interval speaks of these works alone, not of others.

    Args:
        works: Of each item.
        scenes: Of each item, likewise; names need be unique only within a work.
    """
    for by, names in (("work", list(works)), ("scene", list(zip(works, scenes, strict=True)))):
        number = {name: at for at, name in enumerate(dict.fromkeys(names))}
        alone = by == "scene" and len(number) == len(names)
        if len(number) >= FEWEST and not alone:
            of = np.array([number[name] for name in names], dtype=np.int64)
            return Clusters(by=by, of=of, names=tuple(f"{by} {name}" for name in number))
    told = tuple(f"scene {name}" for name in number) if alone else ()
    return Clusters(by="item", of=np.arange(len(works)), names=told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A paired difference and its spread, each in the unit of the statistic.

    Attributes:
        difference: First condition less second.
        value_a: Under the first.
        variance: Squared standard error of the difference.
        variance_a: Of `value_a`.
        covariance: Of both.
        freedom: Degrees of freedom of the errors.
        names: Of the clusters, as `Clusters.names`.
        pulls: What each cluster adds to the errors of the difference and of `value_a`, shape
            (2, clusters); their squares sum to `variance` and `variance_a`.
    """

    difference: float
    value_a: float
    variance: float
    variance_a: float
    covariance: float
    freedom: float
    names: tuple[str, ...] = ()
    pulls: Floats = field(default_factory=lambda: np.zeros((2, 0)), repr=False, compare=False)

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return math.sqrt(self.variance)

    @property
    def interval(self) -> Interval:
        """95 %: the difference and as many bootstrap standard errors as t has it.

        Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 6 and 12. The
        percentiles of the draws, which use no t, are too narrow where clusters are few.
        """
        reach = _reach(self.variance, self.freedom)
        return Interval(self.difference - reach, self.difference + reach)

    @property
    def share_interval(self) -> Interval | None:
        """95 % of the difference as a share of `value_a`; it holds 0 where `interval` does.

        None where `value_a` itself cannot be told from 0, and the share may be anything.

        Source: Fieller (1954), Some problems in interval estimation, JRSS B 16(2).
        """
        squared = float(stdtrit(self.freedom, 1 - _TAIL)) ** 2
        leading = self.value_a**2 - squared * self.variance_a
        if leading <= 0:
            return None
        middle = self.value_a * self.difference - squared * self.covariance
        last = self.difference**2 - squared * self.variance
        root = math.sqrt(max(0.0, middle**2 - leading * last))
        return Interval((middle - root) / leading, (middle + root) / leading)


def estimate(
    drawn: Floats, paired: Paired, statistic: int, by: str, names: tuple[str, ...] = ()
) -> Estimate:
    """A statistic's difference with its bootstrap standard error.

    Args:
        drawn: What `resampled` drew.
        paired: What it was drawn from.
        statistic: Which one (index).
        by: What the clusters are, for the message.
        names: Of the clusters.

    Raises:
        Undefined: Fewer than two clusters, or none differs, or all alike: resampling gives an
            interval of width 0, which is not what is known. Or a metric is over nothing in more
            draws than lie in one tail.
    """
    if len(paired.a) > 1 and paired.differing[statistic] == 0:
        raise Undefined(f"no {by} differs")
    values_a, differences = drawn[:, :, statistic]
    spread = _spread(np.stack([differences, values_a]), len(paired.a), by, "differ alike")
    value_a, value_b = paired.values_a[statistic], paired.values_b[statistic]
    return Estimate(
        difference=float(value_a - value_b),
        value_a=float(value_a),
        variance=float(spread[0, 0]),
        variance_a=float(spread[1, 1]),
        covariance=float(spread[0, 1]),
        freedom=max(1.0, _alike(paired, statistic) - 1),
        names=names,
        pulls=_pulls(paired, statistic, np.diag(spread)),
    )


def _pulls(paired: Paired, statistic: int, variances: Floats) -> Floats:
    """How far the difference and the first value move with each cluster, scaled to variances."""
    without = [
        paired.pooling.values(side.sum(axis=0) - side)[:, statistic]
        for side in (paired.a, paired.b)
    ]
    value_a, value_b = paired.values_a[statistic], paired.values_b[statistic]
    moved = np.stack([(value_a - value_b) - (without[0] - without[1]), value_a - without[0]])
    moved = np.nan_to_num(moved)
    total = (moved**2).sum(axis=1)
    scale = np.sqrt(np.divide(variances, total, out=np.zeros(2), where=total > 0))
    found: Floats = moved * scale[:, None]
    return found


def level_interval(drawn: Floats, paired: Paired, statistic: int, by: str) -> Interval:
    """95 % of a statistic's value under the first condition, by the rule of `Estimate.interval`.

    Raises:
        Undefined: As for `estimate`, of the values themselves.
    """
    spread = _spread(drawn[:1, :, statistic], len(paired.a), by, "are alike")
    reach = _reach(float(spread[0, 0]), max(1.0, _alike(paired, statistic) - 1))
    value = float(paired.values_a[statistic])
    return Interval(value - reach, value + reach)


def _reach(variance: float, freedom: float) -> float:
    return float(stdtrit(freedom, 1 - _TAIL)) * math.sqrt(variance)


def _spread(drawn: Floats, clusters: int, by: str, alike: str) -> Floats:
    """Variances of what resamples gave, shape (values, draws) -> (values, values).

    Raises:
        Undefined: The first value has no spread that could be known.
    """
    if clusters < 2:
        raise Undefined(f"fewer than 2 {by}s")
    known = np.isfinite(drawn[0])
    if (lost := int((~known).sum())) > len(known) * _TAIL:
        raise Undefined(f"{lost} of {len(known)} resamples are over nothing")
    if np.ptp(drawn[0, known]) < _ROUNDING:
        raise Undefined(f"all {by}s {alike}")
    # A resample spreads by the clusters' variance over n, not over n - 1 as it should.
    found: Floats = np.atleast_2d(np.cov(drawn[:, known])) * clusters / (clusters - 1)
    return found


def _alike(paired: Paired, statistic: int) -> float:
    """How many clusters of one size would say as much as these (count).

    A few large ones decide the difference, and so also its error, which is then known less well
    than the number of clusters has it.

    Source: Kish (1965), Survey Sampling, for the count; Carter, Schnepel & Steigerwald (2017),
    Asymptotic behavior of a t-test robust to cluster heterogeneity, REStat 99(4), for its use.
    """
    counted = paired.pooling.weights[statistic] != 0
    sizes = (paired.a + paired.b)[:, counted, 1::2].reshape(len(paired.a), -1)
    total = sizes.sum(axis=0)
    shares = (sizes[:, total > 0] / total[total > 0]).sum(axis=1)
    return float(shares.sum() ** 2 / (shares**2).sum())


def resampled(paired: Paired, rng: np.random.Generator, draws: int = DRAWS) -> Floats:
    """Values under A and differences in resamples of whole clusters, shape (2, draws, statistics).

    NaN where a drawn metric is over nothing.
    """
    clusters, shape = len(paired.a), paired.a.shape[1:]
    flat = np.stack([paired.a, paired.b], axis=1).reshape(clusters, -1)
    found: list[Floats] = []
    step = max(1, _AT_ONCE // clusters)
    for start in range(0, draws, step):
        own = min(step, draws - start)
        chosen = rng.integers(0, clusters, size=(own, clusters), dtype=np.int64)
        chosen += clusters * np.arange(own)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=own * clusters).reshape(own, clusters)
        found.append((counts.astype(np.float64) @ flat).reshape(own, 2, *shape))
    values = paired.pooling.values(np.concatenate(found))
    return np.stack([values[:, 0], values[:, 0] - values[:, 1]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Flipped:
    """Differences with the conditions swapped in some clusters, as likely where nothing differs.

    Attributes:
        differences: Shape (flips, statistics).
        exact: Whether these are all the flips there are.
    """

    differences: Floats
    exact: bool

    def p(self, observed: float, statistic: int = 0) -> float:
        """How often a difference is at least as far from 0, in (0, 1].

        One that is over nothing counts as that far. The data as seen are one of the flips, so
        draws count it in: no p is 0.

        Source: Phipson & Smyth (2010), Permutation p-values should never be zero.
        """
        own = self.differences[:, statistic]
        far = ~(np.abs(own) < abs(observed) * (1 - 1e-9) - _ROUNDING)
        if self.exact:
            return float(far.mean())
        return float((1 + far.sum()) / (1 + len(own)))


def flipped(paired: Paired, rng: np.random.Generator, flips: int = FLIPS) -> Flipped:
    """The sign-flip permutations of a paired difference: all of them up to 12 clusters that differ.

    Under the null the two conditions of a cluster could as well be the other way round. So they
    are swapped there and pooled anew, which for sums of equal counts turns the sign of the
    cluster's difference round, and is right for ratios and F1s as well. Clusters whose sums are
    the same under both have nothing to swap.
    """
    differs = (paired.a != paired.b).any(axis=(1, 2))
    clusters = int(differs.sum())
    exact = clusters <= _EXACT_TO
    total = 2**clusters if exact else flips
    step = max(1, _AT_ONCE // max(1, clusters))
    found: list[Floats] = []
    for start in range(0, total, step):
        rows = np.arange(start, min(start + step, total))
        swapped = _swaps(rows, clusters) if exact else drawn_swaps(rng, len(rows), clusters)
        found.append(paired.pooling.swapped(paired.a, paired.b, swapped, differs))
    return Flipped(differences=np.concatenate(found), exact=exact)


def _swaps(numbers: Places, clusters: int) -> Floats:
    return ((numbers[:, None] >> np.arange(clusters)) & 1).astype(np.float64)


def drawn_swaps(rng: np.random.Generator, draws: int, clusters: int) -> Floats:
    """Which clusters are swapped in each draw, 0 or 1 as likely: shape (draws, clusters)."""
    packed = rng.integers(0, 256, size=(draws, -(-clusters // 8)), dtype=np.uint8)
    return np.unpackbits(packed, axis=1, count=clusters).astype(np.float64)


def mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided exact p of items right under one condition only, in (0, 1].

    Of those items as many are right under either, up to chance: a binomial test of one half.

    Args:
        only_a: Right under the first alone (count).
        only_b: Right under the second alone (count).

    Source: McNemar (1947), Psychometrika 12(2).
    """
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def holm(p: Sequence[float]) -> list[float]:
    """Each p adjusted so that the chance of any false rejection in the family stays below a level.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6.
    """
    adjusted, highest = [0.0] * len(p), 0.0
    for rank, at in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, min(1.0, (len(p) - rank) * p[at]))
        adjusted[at] = highest
    return adjusted
