"""Well-known beside little-known passages: by hand, and over samples of a known truth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from analysis.studies.memory.kinds import (
    COLUMNS,
    DIFFERENCE,
    LITTLE_KNOWN,
    WELL_KNOWN,
    Document,
    Number,
    by_kind,
    stream,
)


def document(
    kind: str, a: float, b: float | None, *, work: str = "Emma", scene: str = "", tokens: float = 10
) -> Document:
    """Means over tokens under both conditions; each passage in a scene of its own."""
    under_b = None if b is None else (b * tokens, tokens)
    return Document(kind=kind, work=work, scene=scene, a=(a * tokens, tokens), b=under_b)


def numbered(documents: Sequence[Document]) -> list[Document]:
    """Every passage in a scene of its own."""
    return [
        Document(kind=each.kind, work=each.work, scene=f"s{at}", a=each.a, b=each.b)
        for at, each in enumerate(documents)
    ]


def found(documents: Sequence[Document], *, share: bool = False) -> dict[str, Number]:
    return by_kind(documents, np.random.default_rng(0), share=share)


WELL = ((-2.0, -2.5), (-2.2, -2.5), (-1.9, -2.6))
LITTLE = ((-3.0, -3.1), (-2.8, -2.8), (-2.9, -3.1), (-3.2, -3.1))


def passages() -> list[Document]:
    return numbered(
        [
            *(document(WELL_KNOWN, a, b) for a, b in WELL),
            *(document(LITTLE_KNOWN, a, b) for a, b in LITTLE),
        ]
    )


def test_a_change_is_own_names_less_others_and_pools_over_tokens() -> None:
    """0.5, 0.3 and 0.7 for the well known; 0.1, 0, 0.2 and -0.1 for the others."""
    own = found(passages())

    assert own[WELL_KNOWN].value == pytest.approx(0.5)
    assert own[LITTLE_KNOWN].value == pytest.approx(0.05)
    assert own[DIFFERENCE].value == pytest.approx(0.45)
    assert [own[column].n for column in COLUMNS] == [3, 4, 7]
    assert {own[column].clustered_by for column in COLUMNS} == {"item"}


def test_a_long_passage_weighs_more() -> None:
    """30 tokens at 0.4 and 10 at 0: 0.3, not 0.2."""
    own = found(
        numbered(
            [
                document(WELL_KNOWN, -1.0, -1.4, tokens=30),
                document(WELL_KNOWN, -1.0, -1.0, tokens=10),
            ]
        )
    )

    assert own[WELL_KNOWN].value == pytest.approx(0.3)


def test_passages_that_move_alone_are_two_independent_samples() -> None:
    """Intervals are those of the t-test of differences, and of Welch's, but for bootstrap noise."""
    own = found(passages())
    well, little = ([a - b for a, b in pairs] for pairs in (WELL, LITTLE))
    one = stats.ttest_1samp(well, 0).confidence_interval(0.95)
    both = stats.ttest_ind(well, little, equal_var=False).confidence_interval(0.95)

    for number, exact in ((own[WELL_KNOWN], one), (own[DIFFERENCE], both)):
        assert number.interval is not None
        near = 0.06 * float(exact.high - exact.low)
        assert number.interval.low == pytest.approx(float(exact.low), abs=near)
        assert number.interval.high == pytest.approx(float(exact.high), abs=near)


def test_six_works_move_with_their_passages_of_both_kinds() -> None:
    """What a work has in common cancels in the difference: its interval is that of a paired t."""
    rng = np.random.default_rng(3)
    common = rng.normal(0, 1.0, (8, 1))
    lost = common + np.array([0.4, 0.1]) + rng.normal(0, 0.02, (8, 2))
    own = found(
        numbered(
            [
                document(kind, -2.0, -2.0 - float(lost[at, number]), work=f"W{at}")
                for at in range(8)
                for number, kind in enumerate((WELL_KNOWN, LITTLE_KNOWN))
            ]
        )
    )

    well, difference = own[WELL_KNOWN].interval, own[DIFFERENCE].interval
    exact = stats.ttest_1samp(lost[:, 0] - lost[:, 1], 0).confidence_interval(0.95)
    assert own[DIFFERENCE].clustered_by == "work"
    assert own[DIFFERENCE].clusters == 8
    assert well is not None
    assert difference is not None
    assert difference.high - difference.low < 0.1 * (well.high - well.low)
    assert difference.low == pytest.approx(float(exact.low), abs=0.004)
    assert difference.high == pytest.approx(float(exact.high), abs=0.004)


def test_a_level_is_a_ratio_with_the_mean_s_interval() -> None:
    """Five of eight verbatim, against none of four."""
    marks = [1.0] * 5 + [0.0] * 3
    own = found(
        numbered(
            [
                *(document(WELL_KNOWN, mark, None, tokens=1) for mark in marks),
                *(document(LITTLE_KNOWN, 0.0, None, tokens=1) for _ in range(4)),
            ]
        ),
        share=True,
    )
    reach = float(stats.t.ppf(0.975, 7)) * float(np.std(marks, ddof=1)) / math.sqrt(8)

    assert own[WELL_KNOWN].value == pytest.approx(5 / 8)
    assert own[WELL_KNOWN].interval is not None
    assert own[WELL_KNOWN].interval.low == pytest.approx(5 / 8 - reach, abs=0.03)
    assert own[WELL_KNOWN].interval.high == 1.0
    assert own[LITTLE_KNOWN].value == 0.0
    assert own[LITTLE_KNOWN].undefined == "all passages have 0"
    assert own[DIFFERENCE].value == pytest.approx(5 / 8)
    assert own[DIFFERENCE].interval is None


def test_what_is_over_nothing_says_why() -> None:
    only = found(numbered([document(WELL_KNOWN, -1.0, -2.0)]))
    nothing = found(numbered([document(WELL_KNOWN, 0.0, 0.0, tokens=0)]))

    assert (only[WELL_KNOWN].value, only[WELL_KNOWN].undefined) == (1.0, "fewer than 2 items")
    assert only[LITTLE_KNOWN].value is None
    assert only[DIFFERENCE].undefined == "no little-known passage"
    assert nothing[WELL_KNOWN].undefined == "no well-known passage"
    assert nothing[DIFFERENCE].value is None


def planted(number: int, works: int, each: int) -> list[Document]:
    """Well-known passages lose 0.4 and others 0.1, in works that differ in both."""
    rng = np.random.default_rng([11, number])
    rows = []
    for work in range(works):
        own = rng.normal(0, 0.1)
        for kind, lost in ((WELL_KNOWN, 0.4), (LITTLE_KNOWN, 0.1)):
            more = rng.normal(0, 0.05) if works > 5 else 0.0
            for _ in range(each):
                change = lost + own + more + rng.normal(0, 0.2)
                rows.append(document(kind, -2.0, -2.0 - change, work=f"W{work}"))
    return numbered(rows)


@pytest.mark.parametrize(("works", "each"), [(1, 5), (1, 15), (8, 3)])
def test_intervals_of_the_difference_hold_what_was_planted(works: int, each: int) -> None:
    """0.3, in 91 to 99 of 100: with 300 samples a share of 95 % has a standard error of 1.3."""
    held = 0
    for number in range(300):
        own = by_kind(planted(number, works, each), np.random.default_rng(number))[DIFFERENCE]
        assert own.interval is not None
        held += own.interval.low <= 0.3 <= own.interval.high

    assert 0.91 <= held / 300 <= 0.99


def test_every_number_has_draws_of_its_own() -> None:
    assert stream(7, "a", "b").random() == stream(7, "a", "b").random()
    assert stream(7, "a", "b").random() != stream(7, "a", "c").random()
    assert stream(7, "a", "b").random() != stream(8, "a", "b").random()
