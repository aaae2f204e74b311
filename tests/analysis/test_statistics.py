"""Intervals and tests against scipy, against plain loops and against cases solved by hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap, permutation_test, t

from analysis.errors import Undefined
from analysis.joint import mean_of
from analysis.metrics import headline_and_each
from analysis.statistics import (
    Estimate,
    Paired,
    estimate,
    flipped,
    holm,
    level_interval,
    mcnemar,
    resampled,
)

Ints = list[int]
Floats = npt.NDArray[np.float64]


def counts(right_a: Ints, units_a: Ints, right_b: Ints, units_b: Ints) -> Paired:
    """One accuracy."""

    def sums(right: Ints, units: Ints) -> Floats:
        nothing = [0] * len(right)
        columns = np.array([right, units, nothing, nothing], dtype=np.float64)
        return columns.T[:, None, :]

    pooling = headline_and_each(np.array([True]), np.array([False]), every_metric=False)
    return Paired(a=sums(right_a, units_a), b=sums(right_b, units_b), pooling=pooling)


def titles(right_a: Ints, right_b: Ints) -> Paired:
    """Items of one unit each."""
    return counts(right_a, [1] * len(right_a), right_b, [1] * len(right_b))


def estimated(of: Paired, *, seed: int = 0, draws: int = 2_000) -> Estimate:
    return estimate(resampled(of, np.random.default_rng(seed), draws), of, 0, "item")


def p(of: Paired, *, seed: int = 0) -> float:
    observed = float(of.values_a[0] - of.values_b[0])
    return flipped(of, np.random.default_rng(seed)).p(observed)


def test_with_one_unit_an_item_the_error_is_scipys_bootstrap_error() -> None:
    """But for n - 1 in place of n, which at 30 items is 1.7 %."""
    rng = np.random.default_rng(1)
    a = (rng.random(30) < 0.6).astype(np.int64)
    b = (a & (rng.random(30) < 0.7)) | (rng.random(30) < 0.1)
    expected = bootstrap(
        ((a - b).astype(np.float64),),
        np.mean,
        n_resamples=100_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).standard_error

    found = estimated(titles(a.tolist(), b.tolist()), draws=100_000)

    assert found.error == pytest.approx(float(expected) * np.sqrt(30 / 29), rel=0.01)
    assert found.error == pytest.approx(float(np.std(a - b, ddof=1)) / np.sqrt(30), rel=0.01)


def test_a_level_s_interval_follows_the_rule_of_differences() -> None:
    """A level is its difference from a condition under which nothing is right."""
    right, units = [3, 0, 9, 1, 2, 2, 30, 1], [4, 2, 12, 3, 2, 5, 40, 2]
    against_nothing = counts(right, units, [0] * 8, units)
    drawn = resampled(against_nothing, np.random.default_rng(0))

    found = level_interval(drawn, against_nothing, 0, "work")

    expected = estimate(drawn, against_nothing, 0, "work").interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    shares = np.array(units) / sum(units)
    assert estimated(against_nothing).freedom == pytest.approx(1 / (shares**2).sum() - 1)


@pytest.mark.parametrize(
    ("right", "units", "why"),
    [
        ([1], [2], "fewer than 2 works"),
        ([1, 2], [2, 4], "all works are alike"),
        ([0, 1], [0, 2], "of 2000 resamples are over nothing"),
    ],
)
def test_a_level_whose_interval_is_undefined_says_why(right: Ints, units: Ints, why: str) -> None:
    of = counts(right, units, right, units)
    drawn = resampled(of, np.random.default_rng(0))

    with pytest.raises(Undefined, match=why):
        level_interval(drawn, of, 0, "work")


def test_the_interval_is_the_paired_t_interval_of_single_answers() -> None:
    """Up to the error of the draws."""
    a, b = [1, 1, 0, 1, 1, 1, 0, 1] * 3, [0, 1, 0, 1, 0, 1, 1, 0] * 3
    apart = np.array(a) - np.array(b)
    low, high = t.interval(0.95, 23, apart.mean(), np.std(apart, ddof=1) / np.sqrt(24))

    found = estimated(titles(a, b), draws=100_000).interval

    assert (found.low, found.high) == pytest.approx((low, high), abs=0.003)


def test_clusters_of_many_units_move_as_wholes() -> None:
    """As in a plain loop that draws clusters and pools what they hold."""
    rng = np.random.default_rng(3)
    units_a, units_b = (rng.integers(1, 7, 40).tolist() for _ in range(2))
    right_a = [int(rng.integers(0, n + 1)) for n in units_a]
    right_b = [int(rng.integers(0, n // 2 + 1)) for n in units_b]
    drawn = []
    for _ in range(10_000):
        at = rng.integers(0, 40, 40).tolist()
        a = sum(right_a[i] for i in at) / sum(units_a[i] for i in at)
        b = sum(right_b[i] for i in at) / sum(units_b[i] for i in at)
        drawn.append((a - b, a))
    expected = np.cov(np.array(drawn).T) * 40 / 39

    found = estimated(counts(right_a, units_a, right_b, units_b), draws=10_000)

    assert found.variance == pytest.approx(expected[0, 0], rel=0.06)
    assert found.variance_a == pytest.approx(expected[1, 1], rel=0.06)
    assert found.covariance == pytest.approx(expected[0, 1], rel=0.15)


def test_few_large_clusters_leave_few_degrees_of_freedom() -> None:
    """Shares of a half and ten of a twentieth are worth 1 / (1/4 + 10/400) = 3.6 alike ones."""
    units = [10, *[1] * 10]
    right = [5, *[1, 0] * 5]

    uneven = estimated(counts(right, units, [0] * 11, units))
    even = estimated(titles([1, 0] * 5, [0] * 10))

    assert uneven.freedom == pytest.approx(1 / 0.275 - 1)
    assert even.freedom == pytest.approx(9)


def test_the_difference_pools_units() -> None:
    """3 of 4 less 1 of 2; the second item is the same under both: 2 of 2 and 1 of 1."""
    both = counts([1, 2], [2, 2], [0, 1], [1, 1])

    assert both.values_a - both.values_b == pytest.approx([0.25])
    assert both.differing == [1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=14))
def test_swapping_the_conditions_turns_the_interval_round(pairs: list[tuple[int, int]]) -> None:
    """And leaves the test as it is."""
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    units = [3] * len(pairs)
    one, other = counts(a, units, b, units), counts(b, units, a, units)
    assert p(one) == pytest.approx(p(other))
    if len({right_a - right_b for right_a, right_b in pairs}) == 1:
        with pytest.raises(Undefined, match=r"no item differs|items differ alike"):
            estimated(one)
        return

    found, turned = estimated(one).interval, estimated(other).interval

    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert found.low <= found.high


def test_draws_come_from_the_generator_alone() -> None:
    """A table rebuilds exactly from its seed."""
    some = counts(
        [1, 0, 4, 1, 2] * 7, [1, 3, 6, 2, 2] * 7, [0, 0, 1, 0, 2] * 7, [1, 2, 6, 5, 2] * 7
    )

    assert estimated(some, seed=4) == estimated(some, seed=4)
    assert estimated(some, seed=4) != estimated(some, seed=5)
    assert p(some, seed=4) == p(some, seed=4)
    assert p(some, seed=4) != p(some, seed=5)


@pytest.mark.parametrize(
    ("of", "why"),
    [
        (titles([1], [0]), "fewer than 2 items"),
        (titles([1, 0, 1], [1, 0, 1]), "no item differs"),
        (counts([1, 2], [2, 4], [2, 1], [4, 2]), "no item differs"),
        (titles([1, 1, 1], [0, 0, 0]), "all items differ alike"),
        (counts([1, 2], [2, 4], [0, 0], [2, 4]), "all items differ alike"),
        (counts([0, 1, 1], [0, 0, 1], [0, 0, 0], [1, 1, 1]), "resamples are over nothing"),
    ],
)
def test_an_interval_that_the_data_do_not_define_is_refused(of: Paired, why: str) -> None:
    """It is never one of width 0."""
    with pytest.raises(Undefined, match=why):
        estimated(of)


def share_outside(a: Estimate, ratio: float) -> bool:
    """Whether t rejects that the difference is this share: of `difference - ratio * value_a`."""
    spread = a.variance - 2 * ratio * a.covariance + ratio**2 * a.variance_a
    return bool(abs(a.difference - ratio * a.value_a) > t.ppf(0.975, a.freedom) * np.sqrt(spread))


def test_the_share_interval_holds_the_shares_that_are_not_rejected() -> None:
    """Fieller's, found again by trying one share after the other."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(2, 5, 25).tolist(), rng.integers(0, 5, 25).tolist()
    own = estimated(counts(a, [5] * 25, b, [5] * 25))
    kept = [ratio for ratio in np.arange(-2, 2, 0.001) if not share_outside(own, ratio)]

    found = own.share_interval

    assert found is not None
    assert (found.low, found.high) == pytest.approx((kept[0], kept[-1]), abs=0.002)
    assert found.low < own.difference / own.value_a < found.high


def test_a_share_of_what_may_be_0_is_anything() -> None:
    """One item right of thirty: its share of that is not known."""
    own = estimated(titles([1, *[0] * 29], [0] * 29 + [1]))

    assert own.share_interval is None


@pytest.mark.parametrize("clusters", [2, 5, 9])
def test_up_to_twelve_clusters_every_flip_is_tried_as_scipy_does(clusters: int) -> None:
    rng = np.random.default_rng(clusters)
    a, b = (rng.integers(0, 9, clusters) for _ in range(2))
    units = [8] * clusters
    expected = permutation_test(
        (a / 8, b / 8),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=10_000,
    ).pvalue

    assert p(counts(a.tolist(), units, b.tolist(), units)) == pytest.approx(float(expected))


def test_above_twelve_flips_are_drawn() -> None:
    """13 that differ and 7 that do not; all 8,192 flips tried by a plain loop."""
    apart = np.array([3, 2, 2, -1, 1, 2, -2, 1, 3, -1, 1, 1, 2])
    tried = (1 - 2 * ((np.arange(2**13)[:, None] >> np.arange(13)) & 1)) @ apart
    expected = float((np.abs(tried) >= apart.sum()).mean())
    a = [4 + int(each) for each in apart] + [4] * 7

    found = p(counts(a, [8] * 20, [4] * 20, [8] * 20))

    assert found == pytest.approx(expected, abs=4 * np.sqrt(expected / 10_000))
    assert found != expected


def test_no_p_is_0() -> None:
    """40 clusters that all differ one way: no draw is as far, and the data are one flip."""
    of = counts([4, 3] * 20, [4] * 40, [0] * 40, [4] * 40)

    assert p(of) == pytest.approx(1 / 10_001)


def test_a_pooled_ratio_is_pooled_anew_by_each_flip() -> None:
    """Two items, 1 of 1 and 0 of 9 against 0 of 3 and 2 of 2: 0.1 less 0.4.

    Swapping the first gives 0/12 - 3/3, swapping the second turns that round: two of four are as
    far as -0.3 but for these, which are farther.
    """
    assert p(counts([1, 0], [1, 9], [0, 2], [3, 2])) == 1.0
    assert p(counts([0, 0], [3, 9], [1, 2], [1, 2])) == 0.5


def test_with_nothing_to_swap_nothing_is_unlikely() -> None:
    assert p(titles([1, 0, 1], [1, 0, 1])) == 1.0


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_a_binomial_test_of_one_half(only_a: int, only_b: int) -> None:
    expected = 1.0
    if only_a + only_b:
        expected = float(binomtest(only_a, only_a + only_b, 0.5).pvalue)

    assert mcnemar(only_a, only_b) == pytest.approx(expected)


def test_mcnemar_equals_the_flips_of_single_answers() -> None:
    """9 right under the first alone, 2 under the second: 2 * 67 / 2048."""
    a, b = [1] * 9 + [0] * 2 + [1, 0], [0] * 9 + [1] * 2 + [1, 0]

    assert mcnemar(9, 2) == pytest.approx(134 / 2048)
    assert p(titles(a, b)) == pytest.approx(134 / 2048)


def test_holm_multiplies_by_the_tests_left_and_never_falls() -> None:
    """0.01 * 4, 0.015 * 3, 0.03 * 2, and 0.05, which is raised to 0.06; none exceeds 1."""
    assert holm([0.03, 0.01, 0.05, 0.015]) == pytest.approx([0.06, 0.04, 0.06, 0.045])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_mean_of_estimates_adds_their_variances() -> None:
    """Weights of a half: (0.04 + 0.01) / 4. Satterthwaite: 0.05^2 / (0.04^2 / 4 + 0.01^2 / 9)."""
    first = Estimate(
        difference=0.2, value_a=0.6, variance=0.04, variance_a=0.02, covariance=0.01, freedom=4
    )
    second = Estimate(
        difference=0.1, value_a=0.8, variance=0.01, variance_a=0.02, covariance=0.0, freedom=9
    )

    found = mean_of([first, second], [0.5, 0.5])

    assert (found.difference, found.value_a) == pytest.approx((0.15, 0.7))
    assert (found.variance, found.variance_a) == pytest.approx((0.0125, 0.01))
    assert found.covariance == pytest.approx(0.0025)
    assert found.freedom == pytest.approx(0.0025 / (0.0004 + 0.0001 / 9))


def test_the_interval_reaches_as_far_as_t_says() -> None:
    """With 4 degrees of freedom 2.776 errors of 0.2, by any table of t."""
    own = Estimate(
        difference=0.1, value_a=0.6, variance=0.04, variance_a=0.0, covariance=0.0, freedom=4
    )

    assert own.interval.low == pytest.approx(0.1 - 0.5553, abs=1e-4)
    assert own.interval.high == pytest.approx(0.1 + 0.5553, abs=1e-4)
