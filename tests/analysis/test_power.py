"""Numbers of items against published tables, and against each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.power import POWER, detectable, needed, power


def error(spread: float, items: int) -> float:
    """The standard error of a mean of so many."""
    return spread / math.sqrt(items)


@pytest.mark.parametrize(("effect", "expected"), [(0.2, 199), (0.5, 34), (0.8, 15)])
@pytest.mark.parametrize("seen", [5, 12, 300])
def test_items_needed_are_those_of_the_paired_t_test(
    effect: float, expected: int, seen: int
) -> None:
    """Small, middling and large effects of Cohen's, as G*Power has them, whatever was seen."""
    assert needed(effect, error(1, seen), seen - 1, seen) == expected
    assert needed(-effect, error(1, seen), seen - 1, seen) == expected


@pytest.mark.parametrize(("items", "expected"), [(12, 0.88865), (40, 0.45426)])
def test_the_detectable_effect_is_that_of_the_paired_t_test(items: int, expected: float) -> None:
    """As statsmodels' TTestPower solves it."""
    assert detectable(error(1, items), items - 1) == pytest.approx(expected, abs=1e-5)


def test_items_come_as_whole_clusters_of_the_same_size() -> None:
    """34 clusters of 7 items, seen as 10 of them."""
    assert needed(0.5, error(1, 10), 9, 70) == pytest.approx(34 * 7, abs=7)


@given(st.floats(0.05, 3), st.integers(2, 200))
def test_with_the_items_needed_the_effect_is_just_detectable(effect: float, seen: int) -> None:
    found = needed(effect, error(1, seen), seen - 1, seen)

    assert found is not None
    assert detectable(error(1, found), found - 1) <= effect + 1e-9
    if found > 2:
        assert detectable(error(1, found - 1), found - 2) > effect - 1e-9


def test_no_effect_is_found_by_no_number_of_items() -> None:
    assert needed(0.0, 0.1, 9, 10) is None


def test_a_large_effect_needs_two_clusters_at_least() -> None:
    """Of one there is no spread."""
    assert needed(1e6, 1.0, 9, 30) == 6


def test_without_an_effect_the_test_rejects_at_its_level() -> None:
    assert power(0.0, 9) == pytest.approx(0.05)
    assert power(detectable(1.0, 9), 9) == pytest.approx(POWER)
    assert power(5.0, 1e9) == pytest.approx(0.99882, abs=1e-5)  # the normal beyond 1.96 - 5
