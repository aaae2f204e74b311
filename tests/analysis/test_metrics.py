"""Pooled sums: ratios, F1s and headlines, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.metrics import Pooling, headline_and_each, pooled

Sums = tuple[float, float, float, float]


def one(sums: Sums, *, recall: bool) -> float:
    """A metric of one set of sums."""
    found = pooled(np.array([sums], dtype=np.float64), np.array([recall]))
    return float(found[0])


@pytest.mark.parametrize(
    ("sums", "recall", "expected"),
    [
        ((3, 4, 0, 0), False, 0.75),
        ((2, 3, 2, 4), True, 4 / 7),  # 2/3 and 1/2
        ((1, 1, 1, 4), True, 0.4),
        ((0, 3, 0, 4), True, 0.0),
        ((0, 0, 0, 4), True, 0.0),  # nothing said: precision counts 0
        ((0, 3, 0, 0), True, 0.0),  # nothing to find: recall counts 0
    ],
)
def test_a_metric_is_a_ratio_or_an_f1(sums: Sums, recall: bool, expected: float) -> None:  # noqa: FBT001
    assert one(sums, recall=recall) == pytest.approx(expected)


@pytest.mark.parametrize("recall", [False, True])
def test_a_metric_over_nothing_is_undefined_and_not_0(recall: bool) -> None:  # noqa: FBT001
    """Recall sums make a plain metric no less so."""
    assert math.isnan(one((0, 0, 0, 0), recall=recall))
    assert math.isnan(one((0, 0, 5, 5), recall=False))


def pooling(*, every_metric: bool) -> Pooling:
    """Two F1s of a headline, and an accuracy that is not part of it."""
    return headline_and_each(
        np.array([True, True, False]), np.array([True, True, False]), every_metric=every_metric
    )


SUMS = np.array([[2, 3, 2, 4], [1, 1, 1, 4], [1, 4, 0, 0]], dtype=np.float64)


def test_a_headline_is_the_mean_of_its_metrics() -> None:
    """4/7 and 2/5; the accuracy of 1/4 is left out."""
    (found,) = pooling(every_metric=False).values(SUMS)

    assert found == pytest.approx((4 / 7 + 2 / 5) / 2)


def test_each_metric_can_follow_the_headline() -> None:
    found = pooling(every_metric=True).values(SUMS)

    assert found[1:].tolist() == pytest.approx([4 / 7, 2 / 5, 1 / 4])


def test_a_metric_over_nothing_leaves_the_others_be() -> None:
    """But not a headline that it is part of."""
    nothing = SUMS.copy()
    nothing[0] = 0

    headline, first, second, accuracy = pooling(every_metric=True).values(nothing)

    assert math.isnan(headline)
    assert math.isnan(first)
    assert (second, accuracy) == pytest.approx((2 / 5, 1 / 4))


def test_without_a_headline_there_is_no_number() -> None:
    without = headline_and_each(np.array([False]), np.array([False]), every_metric=True)

    headline, accuracy = without.values(np.array([[1.0, 4.0, 0.0, 0.0]]))

    assert math.isnan(headline)
    assert accuracy == 0.25


counts = st.integers(0, 5)


@given(st.lists(st.tuples(counts, counts, counts), min_size=1, max_size=6))
def test_resamples_are_pooled_as_each_would_be_alone(found: list[tuple[int, int, int]]) -> None:
    """Against Python's own arithmetic; F1 from counts is 2 right / (said + there)."""
    sums = [(min(s, t, r), s, min(s, t, r), t) for r, s, t in found]

    together = pooled(np.array(sums, dtype=np.float64)[:, None, :], np.array([True]))[:, 0]

    for (right, said, _, there), value in zip(sums, together, strict=True):
        if said + there == 0:
            assert math.isnan(value)
        else:
            assert value == pytest.approx(2 * right / (said + there))
