"""Intervals over characters against the same resamples worked out one by one."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.bootstrap import (
    Floats,
    Pairs,
    correlation,
    correlation_interval,
    drawn_counts,
    mean_interval,
)
from analysis.errors import Undefined
from analysis.similarity import Case, Place, correlation_cell, mean_cell
from analysis.similarity.rows import PairRow

DRAWS = 400


def quantiles(values: list[float]) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def pairs_of(characters: int, rng: np.random.Generator) -> Pairs:
    first, second = np.triu_indices(characters, k=1)
    kept = rng.random(len(first)) < 0.6
    first, second = first[kept], second[kept]
    x = rng.normal(size=len(first))
    return Pairs(
        first=first.astype(np.int64),
        second=second.astype(np.int64),
        x=x,
        y=np.round(3 + x + rng.normal(size=len(first))),
        characters=characters,
    )


def test_every_resample_draws_as_many_characters_as_there_are() -> None:
    counts = drawn_counts(7, np.random.default_rng(1), DRAWS)

    assert counts.shape == (DRAWS, 7)
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean() == pytest.approx(1)
    assert len(np.unique(counts, axis=0)) > DRAWS / 4


def test_a_mean_s_interval_is_that_of_rows_written_out() -> None:
    """A character drawn twice brings its rows twice."""
    rng = np.random.default_rng(2)
    rows = [list(rng.random(size=int(rng.integers(1, 4)))) for _ in range(9)]
    totals: Floats = np.array([sum(own) for own in rows])
    counts: Floats = np.array([len(own) for own in rows], dtype=np.float64)

    found = mean_interval(totals, counts, rng=np.random.default_rng(3), draws=DRAWS)

    written = [
        float(np.mean([x for own, n in zip(rows, drawn, strict=True) for x in own * int(n)]))
        for drawn in drawn_counts(9, np.random.default_rng(3), DRAWS)
    ]
    assert (found.low, found.high) == pytest.approx(quantiles(written))


def test_a_correlation_s_interval_is_that_of_pairs_written_out() -> None:
    """A pair stands as often as the product of how often its two characters were drawn."""
    pairs = pairs_of(12, np.random.default_rng(4))

    found = correlation_interval(pairs, rng=np.random.default_rng(5), draws=DRAWS)

    written = []
    for drawn in drawn_counts(12, np.random.default_rng(5), DRAWS):
        times = (drawn[pairs.first] * drawn[pairs.second]).astype(int)
        x, y = np.repeat(pairs.x, times), np.repeat(pairs.y, times)
        written.append(float(np.corrcoef(x, y)[0, 1]))
    assert (found.low, found.high) == pytest.approx(quantiles(written))


def test_many_pairs_are_weighed_a_few_resamples_at_a_time() -> None:
    """With the same result: the steps leave nothing out."""
    pairs = pairs_of(130, np.random.default_rng(6))
    assert len(pairs.x) * DRAWS > 1_000_000

    found = correlation_interval(pairs, rng=np.random.default_rng(7), draws=DRAWS)

    drawn = drawn_counts(130, np.random.default_rng(7), DRAWS)
    weights = drawn[:, pairs.first] * drawn[:, pairs.second]
    written = [float(_weighted(pairs, own)) for own in weights]
    assert (found.low, found.high) == pytest.approx(quantiles(written))


def _weighted(pairs: Pairs, weights: Floats) -> float:
    spread = np.cov(np.stack([pairs.x, pairs.y]), aweights=weights, ddof=0)
    return float(spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]))


def test_the_correlation_is_numpy_s() -> None:
    pairs = pairs_of(20, np.random.default_rng(8))

    assert correlation(pairs.x, pairs.y) == pytest.approx(np.corrcoef(pairs.x, pairs.y)[0, 1])


def test_shared_characters_make_an_interval_wider_than_pairs_alone_would() -> None:
    """Where a character's pairs are alike, resampling pairs would be too sure."""
    rng = np.random.default_rng(9)
    own = rng.normal(size=14)
    pairs = pairs_of(14, rng)
    x = own[pairs.first] + own[pairs.second]
    alike = Pairs(
        first=pairs.first,
        second=pairs.second,
        x=x,
        y=x + rng.normal(size=len(x)),
        characters=14,
    )

    by_character = correlation_interval(alike, rng=rng)
    rows = rng.integers(0, len(x), size=(2_000, len(x)))
    low, high = quantiles([float(np.corrcoef(x[row], alike.y[row])[0, 1]) for row in rows])

    assert by_character.high - by_character.low > high - low


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([0.5], "fewer than 2 characters"),
        ([0.0, 0.0, 0.0], "all characters have the same value"),
        ([1.0, 1.0], "all characters have the same value"),
    ],
)
def test_a_mean_without_spread_has_no_interval(values: list[float], why: str) -> None:
    """And keeps its value: what is undefined is said, never 0."""
    cell = mean_cell(
        Place("t", "r", "c"), [Case(str(at), value) for at, value in enumerate(values)], 0
    )

    assert cell.value == values[0]
    assert (cell.n, cell.interval, cell.undefined) == (len(values), None, why)


def test_a_mean_of_nothing_is_undefined() -> None:
    cell = mean_cell(Place("t", "r", "c"), [], 0)

    assert (cell.value, cell.n, cell.undefined) == (None, 0, "no character to measure it on")


def test_a_character_s_cases_move_together() -> None:
    """Each case counts in the mean; two characters with many cases are still two."""
    cases = [Case("Ann", 1.0), Case("Ann", 1.0), Case("Ann", 0.0), Case("Bob", 0.0)]

    cell = mean_cell(Place("t", "r", "c"), cases, 0)

    assert (cell.value, cell.n) == (0.5, 4)
    assert cell.interval is not None
    assert cell.interval.low == 0
    assert cell.interval.high == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "fewer than 3 pairs"),
        ([(0.1, 1), (0.2, 2)], "fewer than 3 pairs"),
        ([(0.1, 2), (0.2, 2), (0.4, 2)], "cosines or counts do not vary"),
        ([(0.3, 1), (0.3, 2), (0.3, 5)], "cosines or counts do not vary"),
    ],
)
def test_a_correlation_without_spread_is_undefined(rows: list[tuple[float, int]], why: str) -> None:
    cell = correlation_cell(Place("t", "r", "c"), _pair_rows(rows), 0)

    assert (cell.value, cell.n, cell.interval, cell.undefined) == (None, len(rows), None, why)


def test_a_correlation_that_most_resamples_leave_flat_has_no_interval() -> None:
    """Its value stands; the reason says in how many resamples nothing varies."""
    cell = correlation_cell(Place("t", "r", "c"), _pair_rows([(0.1, 1), (0.2, 3), (0.4, 2)]), 0)

    assert cell.value is not None
    assert cell.interval is None
    assert cell.undefined is not None
    assert cell.undefined.endswith("of 2000 resamples do not vary")


def test_a_wrong_mean_interval_is_not_an_error_of_numpy() -> None:
    with pytest.raises(Undefined, match="fewer than 2 characters"):
        mean_interval(np.array([1.0]), np.array([1.0]), rng=np.random.default_rng(0))


def _pair_rows(rows: list[tuple[float, int]]) -> list[PairRow]:
    return [
        PairRow(
            system="s", a=f"a{at}", a_work="A", b=f"b{at}", b_work="B", cosine=cosine, count=count
        )
        for at, (cosine, count) in enumerate(rows)
    ]
