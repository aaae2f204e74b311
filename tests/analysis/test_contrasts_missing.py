"""What missing answers could make of a difference; worked out by hand."""

from __future__ import annotations

import pytest

from analysis.contrasts import contrasts
from tests.analysis.contrasts_for_tests import NR, ORIGIN, Asked, Measured, accuracy, f1, store


def test_missing_answers_bound_the_difference() -> None:
    """Origin 1 of 3 and one sample of 3 missing; NR 2 of 3 twice; an item has no answer under NR.

    That item is 1 of 1 under origin. So origin is 2 of 4 and 3 open, NR 4 of 6 and 1 open:
    lowest 2/7 - 5/7, highest 5/7 - 4/7. Seen is 1/3 - 2/3.
    """
    rows = [
        Asked(item="a", condition=ORIGIN, answers=[accuracy(1, 3), None]),
        Asked(item="a", condition=NR, answers=[accuracy(2, 3), accuracy(2, 3)]),
        Asked(item="b", condition=ORIGIN, answers=[accuracy(1)]),
        Asked(item="b", condition=NR, answers=[None]),
    ]

    (found,) = contrasts(store(rows), "small", seed=7)

    assert found.difference == pytest.approx(-1 / 3)
    assert (found.lowest, found.highest) == pytest.approx((-3 / 7, 1 / 7))
    assert found.missing == 2


def test_a_missing_answer_of_an_f1_says_as_much_as_there_is_to_find() -> None:
    """Item b has 4 to find and no answer under NR: none right of 4 said, or 4 of 4.

    Origin: 3 + 2 of 5 + 3 said, of 6 + 4 there: 10/18. NR: 2 of 2 said, of 6 there; with b it is 2
    of 6 and of 10, or 6 of 6 and of 10: 4/16 and 12/16.
    """
    rows = [
        Asked(item=item, task="coreference", condition=condition, answers=[answer])
        for item, condition, answer in (
            ("a", ORIGIN, [f1("muc", 3, 5, 6)]),
            ("a", NR, [f1("muc", 2, 2, 6)]),
            ("b", ORIGIN, [f1("muc", 2, 3, 4)]),
            ("b", NR, None),
        )
    ]

    (found,) = contrasts(store(rows), "small", seed=7)

    assert found.difference == pytest.approx(6 / 11 - 4 / 8)
    assert (found.lowest, found.highest) == pytest.approx((10 / 18 - 12 / 16, 10 / 18 - 4 / 16))


def test_windows_that_are_answered_as_one_are_missing_as_one() -> None:
    """A summary of three windows, two of them without a reply: one answer of 1 is open."""
    rouge: list[Measured] = [{"metric": "rouge1", "num": 0.5, "den": 1, "headline": True}]
    rows = [
        Asked(
            item=f"d#{part}", document="d", task="summarization", condition=condition, answers=[own]
        )
        for condition, answers in ((ORIGIN, [rouge, [], []]), (NR, [None, None, None]))
        for part, own in enumerate(answers)
    ]

    (found,) = contrasts(store(rows), "small", seed=7)

    assert (found.lowest, found.highest) == pytest.approx((0.5 - 1, 0.5 - 0))
    assert found.missing == 3


def test_a_metric_without_a_ceiling_has_no_bounds() -> None:
    """Such as words a summary, of which there may be any number."""
    said = {("a", ORIGIN): 20, ("a", NR): 30, ("b", ORIGIN): 60, ("b", NR): 40}
    rows = []
    for (item, condition), words in said.items():
        own: Measured = {"metric": "words", "num": words, "den": 1, "headline": True}
        rows.append(Asked(item=item, condition=condition, answers=[[own]]))

    (found,) = contrasts(store(rows), "small", seed=7)

    assert found.difference == pytest.approx((20 + 60 - 30 - 40) / 2)
    assert (found.lowest, found.highest) == (None, None)
    assert found.interval is not None
    assert found.interval.high > 1
