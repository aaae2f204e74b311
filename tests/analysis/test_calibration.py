"""Planted effects are worked out, and held against estimates, as a hand would do it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import binomtest

from analysis.calibration import (
    Group,
    Planted,
    Verdict,
    Where,
    alarmed,
    calibrated,
    enough_items,
    verdict,
)
from analysis.calibration.compare import wilson
from analysis.contrasts import ORIGIN, Contrast
from tests.analysis.calibration_for_tests import (
    NR,
    WHERE,
    contrast,
    expectation,
    over_tasks,
    planting,
)


def group(contrasts: list[Contrast], planted: float, **said: object) -> Group:
    own = Group(name="subject", limit=None, planted=planting(planted), contrasts=contrasts)
    return replace(own, **said)  # type: ignore[arg-type]


def test_the_planted_difference_weighs_items_by_units_and_leaves_out_what_has_no_pair() -> None:
    """(0.5 + 4 * 0.5 - 0.25 - 4 * 0.25) over 5 units; the other items are asked once only."""
    planted = Planted.of(
        [
            expectation("one", ORIGIN, 1, 0.5),
            expectation("four", ORIGIN, 4, 2.0),
            expectation("lone", ORIGIN, 9, 9.0),
            expectation("one", NR, 1, 0.25),
            expectation("four", NR, 4, 1.0),
            expectation("other", NR, 7, 7.0),
        ]
    )

    assert planted.difference(contrast("s", 0.1)) == pytest.approx(0.25)
    assert planted.difference(replace(contrast("s", 0.1), dataset="another")) is None


def test_over_tasks_each_task_weighs_alike_and_tasks_of_memory_do_not_count() -> None:
    """Task a has 0.4 and 0.2 in two datasets, task b 0.1: (0.3 + 0.1) / 2."""
    effects = {
        Where("a", "x", "open", "own", "none"): 0.4,
        Where("a", "y", "open", "own", "none"): 0.2,
        Where("b", "x", "open", "own", "none"): 0.1,
        Where("source_identification", "x", "open", "own", "none"): 0.9,
        Where("b", "x", "open", "another", "none"): 0.9,
    }
    planted = Planted.of(
        each
        for where, effect in effects.items()
        for each in (
            expectation("i", ORIGIN, 2, 2 * effect, where),
            expectation("i", NR, 2, 0.0, where),
        )
    )

    assert planted.difference(over_tasks(contrast("s", 0.1))) == pytest.approx(0.2)


def test_estimates_are_held_against_what_is_planted() -> None:
    """Two of three intervals hold 0.2, a fourth is undefined; two subjects are significant."""
    own = [
        contrast("s1", 0.15, 0.1, p=0.2),
        contrast("s2", 0.25, 0.1, p=0.05),
        contrast("s3", 0.5, 0.2, p=0.001),
        contrast("s4", 0.0, None, p=1.0),
    ]
    (found,) = calibrated(group(own, 0.2))

    assert found.planted == pytest.approx(0.2)
    assert (found.subjects, found.intervals, found.undefined, found.held) == (4, 3, 1, 2)
    assert found.mean == pytest.approx(0.225)
    assert found.bias == pytest.approx(0.025)
    # deviations -0.075, 0.025, 0.275, -0.225: squares sum to 0.1325
    assert found.bias_error == pytest.approx(math.sqrt(0.1325 / 3) / 2)
    assert found.coverage == pytest.approx(2 / 3)
    assert found.width == pytest.approx((0.2 + 0.2 + 0.4) / 3)
    assert (found.significant, found.tested) == (2, 4)
    assert (found.items, found.clusters, found.clustered_by) == (40, 20, "work")


def test_a_subject_without_an_estimate_counts_nowhere_but_as_undefined() -> None:
    (found,) = calibrated(group([contrast("s", None, None, p=None)], 0.2))

    assert (found.subjects, found.undefined, found.tested) == (0, 1, 0)
    assert (found.mean, found.bias, found.bias_error) == (None, None, None)
    assert (found.coverage, found.coverage_interval, found.width) == (None, None, None)
    assert (found.significant_share, found.significant_interval) == (None, None)


@pytest.mark.parametrize(("count", "of"), [(0, 5), (5, 5), (190, 200), (7, 200), (1, 3)])
def test_shares_have_the_wilson_interval_of_scipy(count: int, of: int) -> None:
    theirs = binomtest(count, of).proportion_ci(method="wilson")
    ours = wilson(count, of)

    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert wilson(0, 0) is None


def test_alarms_are_adjusted_within_each_subject() -> None:
    """0.03 twice is nothing after Holm, 0.02 beside 0.5 is; one pair by two names counts once."""

    def pair(subject: str, first: float, second: float) -> list[Contrast]:
        other = replace(contrast(subject, 0.1, p=second), dataset="novels")
        return [contrast(subject, 0.1, p=first), other]

    named_twice = [
        contrast("s3", 0.1, p=0.04),
        replace(contrast("s3", -0.1, p=0.04), a=NR, b=ORIGIN, contrast="another name"),
    ]

    assert alarmed(pair("s1", 0.03, 0.03)) == (0, 1)
    assert alarmed([*pair("s1", 0.03, 0.03), *pair("s2", 0.5, 0.02)]) == (1, 2)
    assert alarmed(named_twice) == (1, 1)


def subjects(held: int, of: int = 200) -> list[Contrast]:
    """So many intervals hold 0.2; the estimates lie around it evenly."""
    found = []
    for at in range(of):
        away = 0.05 if at < held else 0.15
        found.append(contrast(f"s{at}", 0.2 + (away if at % 2 else -away), 0.1))
    return found


@pytest.mark.parametrize(("held", "sound"), [(190, True), (184, True), (170, False)])
def test_the_verdict_calls_intervals_off_that_hold_too_rarely(held: int, *, sound: bool) -> None:
    said = verdict(calibrated(group(subjects(held), 0.2)))

    assert said.sound is sound
    assert ("85.0%, not 95 %" in " ".join(said.lines)) is not sound


def test_the_verdict_calls_a_biased_estimate_off() -> None:
    """By 5 points at a Monte-Carlo error of 0.4 points; by 1 point at 0.5 it may be chance."""
    assert not verdict(calibrated(group(subjects(200), 0.25))).sound
    assert verdict(calibrated(group(subjects(200), 0.21))).sound


def test_the_bias_of_few_subjects_is_held_against_t() -> None:
    """Four errors are common among 4 subjects (p 0.028), and not among 200 (p 0.0001)."""

    def scattered(of: int, errors: float) -> Verdict:
        spread = [0.1 if at % 2 else -0.1 for at in range(of)]
        error = 0.1 * math.sqrt(of / (of - 1)) / math.sqrt(of)
        own = [contrast(f"s{at}", 0.2 + each, 0.9) for at, each in enumerate(spread)]
        return verdict(calibrated(group(own, 0.2 - errors * error)))

    assert scattered(4, 4.0).sound
    assert not scattered(200, 4.0).sound


def test_the_verdict_calls_a_test_off_that_finds_what_is_not_there() -> None:
    def null(significant: int) -> list[Contrast]:
        own = [0.01] * significant + [0.5] * (200 - significant)
        return [contrast(f"s{at}", 0.01 * (-1) ** at, p=p) for at, p in enumerate(own)]

    assert verdict(calibrated(group(null(14), 0.0))).sound
    assert not verdict(calibrated(group(null(24), 0.0))).sound
    assert verdict(calibrated(group(subjects(190), 0.2))).sound


def test_the_fewest_items_with_enough_power_are_named() -> None:
    def tried(limit: int, significant: int) -> Group:
        own = [
            replace(contrast(f"s{at}", 0.2, p=0.01 if at < significant else 0.5), items=limit)
            for at in range(10)
        ]
        return group(own, 0.2, limit=limit)

    few, some, many = (
        calibrated(tried(limit, count)) for limit, count in ((20, 5), (40, 8), (80, 10))
    )

    assert enough_items([*many, *some, *few]) == [
        "origin - NR, character_guessing: 40 items find it with a chance of 80% or more"
    ]
    assert "none of these numbers" in enough_items([*few, *calibrated(tried(10, 1))])[0]
    assert enough_items(few) == []


def test_nothing_compared_is_said_so() -> None:
    assert "nothing is compared" in verdict([]).lines[0]
    assert WHERE.task == "character_guessing"
