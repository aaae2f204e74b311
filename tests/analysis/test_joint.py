"""Means over tasks that share works: what a model knows of a work moves all of them at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.joint import Moving, flipped_together, mean_of, shares_clusters
from analysis.metrics import SUMS, Floats, Pooling
from analysis.statistics import Estimate, Paired, estimate, flipped, resampled

WORKS = 30
TASKS = 3
EACH = 4
NAMES = tuple(f"work {number}" for number in range(WORKS))
ACCURACY = Pooling(with_recall=np.zeros(1, dtype=np.bool_), weights=np.ones((1, 1)))


def drawn_tasks(rng: np.random.Generator, known: float) -> list[Paired]:
    """Tasks over the same works, a share of which the model knows and answers when names are kept.

    Each has `EACH` items a work, right half of the time where nothing is known.
    """
    knows = rng.random(WORKS) < known
    tasks = []
    for _ in range(TASKS):
        sums = np.zeros((2, WORKS, 1, SUMS))
        sums[..., 1] = EACH
        sums[0, :, 0, 0] = rng.binomial(EACH, np.where(knows, 1.0, 0.5))
        sums[1, :, 0, 0] = rng.binomial(EACH, 0.5, WORKS)
        tasks.append(Paired(a=sums[0], b=sums[1], pooling=ACCURACY))
    return tasks


def estimates(tasks: list[Paired], rng: np.random.Generator) -> list[Estimate]:
    return [estimate(resampled(own, rng, draws=400), own, 0, "work", NAMES) for own in tasks]


def mean(own: list[Estimate]) -> Estimate:
    return mean_of(own, [1 / len(own)] * len(own))


def test_the_mean_of_an_estimate_with_itself_is_as_uncertain_as_it_is() -> None:
    rng = np.random.default_rng(3)
    (own,) = estimates(drawn_tasks(rng, 0.5)[:1], rng)

    found = mean([own, own])

    assert found.variance == pytest.approx(own.variance)
    assert found.variance_a == pytest.approx(own.variance_a)
    assert found.freedom == pytest.approx(own.freedom)


def test_works_that_are_not_shared_say_each_their_own() -> None:
    rng = np.random.default_rng(4)
    first, second = estimates(drawn_tasks(rng, 0.5)[:2], rng)
    elsewhere = replace(second, names=tuple(f"other {name}" for name in second.names))

    found = mean([first, elsewhere])

    assert found.variance == pytest.approx((first.variance + second.variance) / 4)


def test_pulls_are_what_leaving_a_work_out_moves() -> None:
    """Three works of one item: right under both, under the first, under the first. 2/3 without any.

    Leaving one out moves the difference by 2/3 - 1, 2/3 - 1/2, 2/3 - 1/2 and the first value, which
    is 1 whatever is left, not at all.
    """
    a, b = np.zeros((2, 3, 1, SUMS))
    a[:, 0, :2] = [[1, 1], [1, 1], [1, 1]]
    b[:, 0, :2] = [[1, 1], [0, 1], [0, 1]]
    own = Paired(a=a, b=b, pooling=ACCURACY)

    found = estimate(resampled(own, np.random.default_rng(0)), own, 0, "work", NAMES[:3])

    moved = np.array([2 / 3 - 1, 2 / 3 - 1 / 2, 2 / 3 - 1 / 2])
    expected: Floats = moved * np.sqrt(found.variance / (moved**2).sum())
    assert found.pulls[0] == pytest.approx(expected)
    assert found.pulls[1] == pytest.approx(0)


def test_intervals_of_a_mean_hold_the_truth_where_tasks_share_works() -> None:
    """Half of the works are known: a difference of 0.25. As if independent, they hold it less."""
    held = alone = 0
    experiments = 500
    for seed in range(experiments):
        rng = np.random.default_rng([17, seed])
        own = estimates(drawn_tasks(rng, 0.5), rng)
        joint = mean(own).interval
        apart = mean([replace(each, names=()) for each in own]).interval
        held += joint.low <= 0.25 <= joint.high
        alone += apart.low <= 0.25 <= apart.high

    assert 0.93 <= held / experiments <= 0.975
    assert alone / experiments < 0.90


def swinging_tasks(rng: np.random.Generator) -> list[Paired]:
    """Tasks over the same works whose differences go up or down with the work: 0 on average."""
    swing = rng.choice([-0.35, 0.35], WORKS)
    tasks = []
    for _ in range(TASKS):
        sums = np.zeros((2, WORKS, 1, SUMS))
        sums[..., 1] = EACH
        sums[0, :, 0, 0] = rng.binomial(EACH, 0.5 + swing)
        sums[1, :, 0, 0] = rng.binomial(EACH, 0.5 - swing)
        tasks.append(Paired(a=sums[0], b=sums[1], pooling=ACCURACY))
    return tasks


def test_a_true_null_is_rejected_as_often_as_it_should_where_tasks_share_works() -> None:
    """One time in twenty; flipped each by itself, the tasks reject it far more often."""
    together = apart = 0
    experiments = 300
    for seed in range(experiments):
        rng = np.random.default_rng([18, seed])
        tasks = swinging_tasks(rng)
        observed = float(np.mean([own.values_a - own.values_b for own in tasks]))
        parts = [Moving(paired=own, statistic=0, names=NAMES) for own in tasks]
        weights = [1 / TASKS] * TASKS
        together += flipped_together(parts, weights, rng).p(observed) <= 0.05
        loose = [replace(part, names=()) for part in parts]
        apart += flipped_together(loose, weights, rng).p(observed) <= 0.05

    assert together / experiments <= 0.085
    assert apart / experiments > 0.15


def test_one_part_is_flipped_as_it_would_be_alone() -> None:
    rng = np.random.default_rng(5)
    (own,) = drawn_tasks(rng, 0.2)[:1]
    observed = float((own.values_a - own.values_b)[0])
    part = Moving(paired=own, statistic=0, names=NAMES)

    found = flipped_together([part], [1.0], rng).p(observed)

    assert not shares_clusters([part])
    assert shares_clusters([part, part])
    assert found == pytest.approx(flipped(own, rng).p(observed), abs=0.02)
