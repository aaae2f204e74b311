"""Paired intervals, against scipy, against a plain loop and against cases solved by hand."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from analysis.errors import Undefined
from analysis.statistics import Interval, PairedCounts, paired_interval

Ints = list[int]


def counts(right_a: Ints, units_a: Ints, right_b: Ints, units_b: Ints) -> PairedCounts:
    columns = [np.array(each, dtype=np.int64) for each in (right_a, units_a, right_b, units_b)]
    return PairedCounts(
        right_a=columns[0], units_a=columns[1], right_b=columns[2], units_b=columns[3]
    )


def titles(right_a: Ints, right_b: Ints) -> PairedCounts:
    """Items of one unit each."""
    return counts(right_a, [1] * len(right_a), right_b, [1] * len(right_b))


def interval(of: PairedCounts, *, seed: int = 0, level: float = 0.95) -> Interval:
    return paired_interval(of, rng=np.random.default_rng(seed), level=level)


def mean_difference(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], axis: int = -1
) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = np.mean(a, axis=axis) - np.mean(b, axis=axis)
    return found


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_with_one_unit_an_item_it_is_scipys_percentile_bootstrap(level: float) -> None:
    """Up to the error of the draws: one item in 200 is 0.005."""
    rng = np.random.default_rng(1)
    a = (rng.random(200) < 0.6).astype(np.int64)
    b = (a & (rng.random(200) < 0.7)) | (rng.random(200) < 0.1)
    expected = bootstrap(
        (a.astype(np.float64), b.astype(np.float64)),
        mean_difference,
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=10_000,
        confidence_level=level,
        rng=np.random.default_rng(2),
    ).confidence_interval

    found = interval(titles(a.tolist(), b.tolist()), level=level)

    assert found.low == pytest.approx(float(expected.low), abs=0.0051)
    assert found.high == pytest.approx(float(expected.high), abs=0.0051)


def test_items_of_many_units_move_as_wholes() -> None:
    """As in a plain loop that draws items and pools what they hold."""
    plain = random.Random(3)
    units_a = [plain.randint(1, 6) for _ in range(40)]
    units_b = [plain.randint(1, 6) for _ in range(40)]
    right_a = [plain.randint(0, n) for n in units_a]
    right_b = [plain.randint(0, n // 2) for n in units_b]
    drawn = []
    for _ in range(10_000):
        at = plain.choices(range(40), k=40)
        a = sum(right_a[i] for i in at) / sum(units_a[i] for i in at)
        b = sum(right_b[i] for i in at) / sum(units_b[i] for i in at)
        drawn.append(a - b)
    drawn.sort()

    found = interval(counts(right_a, units_a, right_b, units_b))

    assert found.low == pytest.approx(drawn[250], abs=0.01)
    assert found.high == pytest.approx(drawn[-250], abs=0.01)


def test_two_items_are_solved_by_hand() -> None:
    """Differences 1 and 0 give a mean of 0, 1/2 or 1 with chances 1/4, 1/2, 1/4."""
    two = titles([1, 1], [0, 1])

    assert interval(two, level=0.95) == Interval(0.0, 1.0)
    assert interval(two, level=0.40) == Interval(0.5, 0.5)


def test_the_difference_pools_units() -> None:
    """3 of 4 less 1 of 2; the second item is the same under both: 2 of 2 and 1 of 1."""
    pooled = counts([1, 2], [2, 2], [0, 1], [1, 1])

    assert pooled.difference == pytest.approx(0.25)
    assert pooled.differing == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=8))
def test_swapping_the_conditions_turns_the_interval_round(pairs: list[tuple[int, int]]) -> None:
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    units = [3] * len(pairs)
    one, other = counts(a, units, b, units), counts(b, units, a, units)
    if len({right_a - right_b for right_a, right_b in pairs}) == 1:
        with pytest.raises(Undefined, match=r"no item differs|items differ alike"):
            interval(one)
        return

    found, turned = interval(one), interval(other)

    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert -1 <= found.low <= found.high <= 1


def test_draws_come_from_the_generator_alone() -> None:
    """A table rebuilds exactly from its seed."""
    some = counts(
        [1, 0, 4, 1, 2] * 7, [1, 3, 6, 2, 2] * 7, [0, 0, 1, 0, 2] * 7, [1, 2, 6, 5, 2] * 7
    )

    assert interval(some, seed=4) == interval(some, seed=4)
    assert interval(some, seed=4) != interval(some, seed=5)


@pytest.mark.parametrize(
    ("of", "why"),
    [
        (titles([], []), "fewer than 2 items"),
        (titles([1], [0]), "fewer than 2 items"),
        (titles([1, 0, 1], [1, 0, 1]), "no item differs"),
        (counts([1, 2], [2, 4], [2, 1], [4, 2]), "no item differs"),
        (titles([1, 1, 1], [0, 0, 0]), "all items differ alike"),
        (counts([1, 2], [2, 4], [0, 0], [2, 4]), "all items differ alike"),
    ],
)
def test_an_interval_that_the_data_do_not_define_is_refused(of: PairedCounts, why: str) -> None:
    """It is never one of width 0."""
    with pytest.raises(Undefined, match=why):
        interval(of)
