"""Experiments drawn from a known truth, many a second, for the statistics to find again.

Each design says what an item's chances are under two conditions; their difference is known without
drawing anything. Effects of works, scenes and items are drawn for each condition by itself and
alike, so that with no effect planted either condition could as well be the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.metrics import Bools, Floats, Pooling, headline_and_each
from analysis.statistics import Clusters, Paired, clustered, flipped, mcnemar

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """One experiment: its items under both conditions."""

    paired: Paired
    works: tuple[str, ...]
    scenes: tuple[str, ...]

    @property
    def clusters(self) -> Clusters:
        return clustered(self.works, self.scenes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How experiments are made.

    Attributes:
        draw: Makes one, with the effect planted or with none.
        truth: The difference with the effect planted.
    """

    name: str
    draw: Callable[[np.random.Generator, bool], Planted]
    truth: float


def pooling(recall: list[bool]) -> Pooling:
    """The mean of that many metrics, with or without recall."""
    with_recall: Bools = np.array(recall)
    return headline_and_each(np.ones_like(with_recall), with_recall, every_metric=False)


def planted(a: Floats, b: Floats, work: Places, scene: Places, recall: list[bool]) -> Planted:
    """From sums of shape (items, metrics, 4) and the number of each item's work and scene."""
    return Planted(
        paired=Paired(a=a, b=b, pooling=pooling(recall)),
        works=tuple(f"w{at}" for at in work),
        scenes=tuple(f"s{at}" for at in scene),
    )


def plain(right: Places, units: Places) -> Floats:
    """Sums of one plain metric, shape (items, 1, 4)."""
    nothing = np.zeros_like(right)
    return np.stack([right, units, nothing, nothing], axis=-1)[:, None, :].astype(np.float64)


def speakers(*, works: int, scenes: int = 8, unequal: bool = False, effect: float = 0.15) -> Design:
    """Accuracy over the speakers of scenes, whose works differ in what a condition does to them."""

    def draw(rng: np.random.Generator, has_effect: bool) -> Planted:  # noqa: FBT001
        sizes = np.full(works, scenes)
        if unequal:
            sizes = 1 + rng.negative_binomial(1.5, 1.5 / (1.5 + scenes - 1), works)
        work = np.repeat(np.arange(works), sizes)
        items = len(work)
        units = 1 + rng.poisson(2, items)
        shared = rng.uniform(-0.1, 0.1, works)[work] + rng.uniform(-0.1, 0.1, items)
        right = []
        for less in (0.0, effect if has_effect else 0.0):
            own = rng.uniform(-0.15, 0.15, works)[work] + rng.uniform(-0.05, 0.05, items)
            right.append(plain(rng.binomial(units, 0.58 - less + shared + own), units))
        return planted(right[0], right[1], work, np.arange(items), [False])

    return Design(
        name=f"speakers, {works} works{' of unequal size' if unequal else ''}",
        draw=draw,
        truth=effect,
    )


def answers(rng: np.random.Generator, items: int, effect: float) -> Places:
    """One answer an item, right (1) or wrong (0), under both conditions: shape (2, items).

    Half of the items are alike under both; the others are answered anew.
    """
    a = rng.random(items) < 0.6
    b = np.where(rng.random(items) < 0.5, a, rng.random(items) < 0.6 - 2 * effect)
    return np.stack([a, b]).astype(np.int64)


def titles(*, items: int, effect: float = 0.1) -> Design:
    """Items that are right or wrong, each a work's excerpt that stands alone."""

    def draw(rng: np.random.Generator, has_effect: bool) -> Planted:  # noqa: FBT001
        units, at = np.ones(items, dtype=np.int64), np.arange(items)
        a, b = answers(rng, items, effect if has_effect else 0.0)
        return planted(plain(a, units), plain(b, units), np.zeros_like(at), at, [False])

    return Design(name=f"titles, {items} items", draw=draw, truth=effect)


def samples(*, items: int, asked: int = 5, effect: float = 0.15) -> Design:
    """Each item asked several times, with a chance of its own under each condition."""

    def draw(rng: np.random.Generator, has_effect: bool) -> Planted:  # noqa: FBT001
        units = np.full(items, asked)
        shared = rng.uniform(-0.2, 0.2, items)
        right = []
        for less in (0.0, effect if has_effect else 0.0):
            own = rng.uniform(-0.2, 0.2, items)
            right.append(plain(rng.binomial(units, 0.58 - less + shared + own), units))
        at = np.arange(items)
        return planted(right[0], right[1], np.zeros_like(at), at, [False])

    return Design(name=f"samples, {items} items asked {asked} times", draw=draw, truth=effect)


FOUND = (0.7, 0.55, 0.4)
INVENTED = 0.3


def f1s(*, works: int, documents: int = 3, effect: float = 0.15) -> Design:
    """The mean of three F1s pooled over documents, as of clusters of mentions.

    Of what there is to find a share is found, by metric, document and work; what is invented comes
    in proportion to what there is. So precision is found / (found + invented), recall found.
    """

    def value(less: float) -> float:
        f1 = [2 * (at - less) / (1 + at - less + INVENTED) for at in FOUND]
        return sum(f1) / len(f1)

    def draw(rng: np.random.Generator, has_effect: bool) -> Planted:  # noqa: FBT001
        work = np.repeat(np.arange(works), documents)
        items = len(work)
        there = 4 + rng.poisson(8, items)
        shared = rng.uniform(-0.05, 0.05, works)[work] + rng.uniform(-0.05, 0.05, items)
        sides = []
        for less in (0.0, effect if has_effect else 0.0):
            own = rng.uniform(-0.05, 0.05, works)[work] + rng.uniform(-0.1, 0.1, items)
            metrics = []
            for share in FOUND:
                found = rng.binomial(there, share - less + shared + own)
                said = found + rng.poisson(INVENTED * there)
                metrics.append(np.stack([found, said, found, there], axis=-1))
            sides.append(np.stack(metrics, axis=1).astype(np.float64))
        return planted(sides[0], sides[1], work, np.arange(items), [True, True, True])

    return Design(
        name=f"mean of three F1s, {works} works",
        draw=draw,
        truth=value(0.0) - value(effect),
    )


def episodes(*, scenes: int, items: int = 4, effect: float = 0.15) -> Design:
    """Items of the episodes of three shows, each of which the conditions change in its own way.

    The truth is the mean of these three shows: nothing is said of others.
    """
    of_show = np.array([-0.1, 0.0, 0.1])

    def draw(rng: np.random.Generator, has_effect: bool) -> Planted:  # noqa: FBT001
        scene = np.repeat(np.arange(scenes), items)
        work = scene % 3
        units = np.ones(len(scene), dtype=np.int64)
        shared = rng.uniform(-0.1, 0.1, scenes)[scene]
        right = []
        for less in (np.zeros(3), effect + of_show if has_effect else np.zeros(3)):
            own = rng.uniform(-0.2, 0.2, scenes)[scene]
            right.append(plain(rng.binomial(units, 0.57 - less[work] + shared + own), units))
        return planted(right[0], right[1], work, scene, [False])

    return Design(name=f"episodes, {scenes} of 3 shows", draw=draw, truth=effect)


def rejected(design: Design, experiments: int, flips: int) -> float:
    """How often the sign-flip test finds at 5 % what was not planted."""
    found = 0
    for number in range(experiments):
        rng = np.random.default_rng([2, number])
        one = design.draw(rng, False)  # noqa: FBT003
        moving = one.paired.grouped(one.clusters.of)
        observed = float(moving.values_a[0] - moving.values_b[0])
        found += flipped(moving, rng, flips).p(observed) <= 0.05
    return found / experiments


def mcnemar_rejected(items: int, experiments: int) -> float:
    """How often the exact test finds at 5 % what was not planted."""
    found = 0
    for number in range(experiments):
        a, b = answers(np.random.default_rng([3, number]), items, effect=0.0)
        found += mcnemar(int((a > b).sum()), int((a < b).sum())) <= 0.05
    return found / experiments
