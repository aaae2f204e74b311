"""Means of differences over tasks, and their spread over wordings; worked out by hand."""

from __future__ import annotations

from functools import partial

import pytest

from analysis.contrasts import ALL_TASKS, contrasts, spread_over_wordings
from tests.analysis import contrasts_for_tests
from tests.analysis.contrasts_for_tests import Asked, store

both = partial(contrasts_for_tests.both, task="question_answering")


def two_tasks() -> list[Asked]:
    """Question answering: 1 of 2 less 0 of 2. Personality: 6 of 8 less 4 of 8."""
    second = [
        row
        for at, (a, b) in enumerate(zip([1] * 6 + [0] * 2, [1, 0] * 4, strict=True))
        for row in both(f"p{at}", [a], [b], task="personality")
    ]
    return [*both("a", [1], [0]), *both("b", [0], [0]), *second]


def test_tasks_weigh_alike_in_their_mean() -> None:
    """(1/2 + 1/4) / 2; 10 items pooled would give 3/10."""
    found = contrasts(store(two_tasks()), "small", seed=7)

    assert [each.task for each in found] == ["personality", "question_answering", ALL_TASKS]
    mean = found[-1]
    assert (mean.value_a, mean.value_b) == pytest.approx((5 / 8, 1 / 4))
    assert mean.difference == pytest.approx(3 / 8)
    assert (mean.lowest, mean.highest) == pytest.approx((3 / 8, 3 / 8))
    assert (mean.items, mean.differing, mean.clusters) == (10, 5, 10)
    assert (mean.dataset, mean.choices, mean.descriptions) == ("all", "all", "all")
    assert mean.interval is not None
    assert mean.interval.low < 3 / 8 < mean.interval.high


def test_a_task_asked_in_two_ways_weighs_no_more_than_another() -> None:
    """Question answering (1/2 + 0) / 2 with descriptions and without, personality 1/4."""
    described = [
        *both("a", [1], [1], descriptions="cards.jsonl"),
        *both("b", [1], [1], descriptions="cards.jsonl"),
    ]

    mean = contrasts(store([*two_tasks(), *described]), "small", seed=7)[-1]

    assert mean.difference == pytest.approx((1 / 4 + 1 / 4) / 2)
    assert mean.undefined == "question_answering: no item differs"


def test_a_task_of_memory_is_no_part_of_the_mean() -> None:
    """A mean of what is understood would hide in it what is remembered."""
    source = [
        row for item in ("c", "d") for row in both(item, [1], [0], task="source_identification")
    ]

    found = contrasts(store([*two_tasks(), *source]), "small", seed=7)

    assert len({each.task for each in found}) == 4
    assert found[-1].difference == pytest.approx(3 / 8)


def test_the_test_of_a_mean_flips_each_task_by_itself() -> None:
    """Half of the flips make 1/2 of the first task, and 5 of 16 make 1/4 or 1/2 of the other.

    With each other these are as far as 3/8 from 0, and as often on the other side: 2 * 5 of 32.
    """
    mean = contrasts(store(two_tasks()), "small", seed=7)[-1]

    assert mean.test == "sign-flip permutation"
    assert mean.p == pytest.approx(10 / 32, abs=0.02)


def test_a_mean_over_a_task_that_is_undefined_is_so_too() -> None:
    """It names the task."""
    rows = [row for row in two_tasks() if row.item != "b"]

    mean = contrasts(store(rows), "small", seed=7)[-1]

    assert mean.difference == pytest.approx((1 + 1 / 4) / 2)
    assert (mean.interval, mean.p) == (None, None)
    assert mean.undefined == "question_answering: fewer than 2 items"


def test_wordings_are_replicates() -> None:
    """Differences 1/2 and 0 of question answering, over items that do not mix."""
    other = [*both("a", [1], [1], wording="mine"), *both("b", [0], [0], wording="mine")]
    found = contrasts(store([*two_tasks(), *other]), "small", seed=7)

    (spread,) = spread_over_wordings(found)

    assert (spread.task, spread.contrast) == ("question_answering", "origin - NR")
    assert (spread.wordings, spread.mean, spread.lowest, spread.highest) == (2, 0.25, 0.0, 0.5)
    assert spread.spread == pytest.approx(0.125**0.5)
