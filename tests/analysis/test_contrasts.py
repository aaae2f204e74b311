"""Contrasts of hand-made stores; every number is worked out by hand."""

from __future__ import annotations

import pytest

from analysis.contrasts import contrasts
from analysis.errors import BadRequest
from analysis.pairs import Condition
from store.read import Connection, ask
from tests.analysis.contrasts_for_tests import (
    GIST,
    NR,
    ORIGIN,
    Asked,
    accuracy,
    both,
    f1,
    named,
    store,
)


def titles(a: str, b: str) -> Connection:
    """Items asked once under origin and NR: 1 right, 0 wrong."""
    marks = [[int(mark) for mark in marks] for marks in (a, b)]
    pairs = enumerate(zip(*marks, strict=True))
    return store([row for at, (x, y) in pairs for row in both(f"i{at}", [x], [y])])


def test_samples_pool_and_items_without_a_pair_are_left_out() -> None:
    """Origin 2 of 2, 1 of 2; NR 1 of 2, 1 of 1. Item c has a reply under origin alone."""
    found = contrasts(
        store(
            [
                *both("a", [1, 1], [1, 0]),
                *both("b", [1, 0], [1]),
                Asked(item="c", condition=ORIGIN, answers=[accuracy(1)]),
                Asked(item="c", condition=NR, answers=[None]),
            ]
        ),
        "small",
        seed=7,
    )

    (only,) = found
    assert (only.value_a, only.value_b) == pytest.approx((3 / 4, 2 / 3))
    assert only.difference == pytest.approx(1 / 12)
    assert only.share == pytest.approx(1 / 9)
    assert (only.items, only.differing, only.missing) == (2, 2, 1)
    assert (only.clusters, only.clustered_by, only.test) == (2, "item", "sign-flip permutation")
    assert only.contrast == "origin - NR"
    assert (only.a, only.b) == (Condition(*ORIGIN), Condition(*NR))
    assert (only.task, only.dataset, only.model) == ("source_identification", "excerpts", "m")
    assert (only.wording, only.descriptions, only.metric) == ("own", "none", "headline")


def test_single_answers_are_tested_as_mcnemar_does() -> None:
    """6 right under origin alone, 1 under NR alone: 2 * (1 + 7) / 2^7."""
    (found,) = contrasts(titles("1111110110", "0000001110"), "small", seed=7)

    assert found.test == "exact McNemar"
    assert found.p == pytest.approx(16 / 128)
    assert found.p_holm == found.p
    assert (found.items, found.differing, found.clusters) == (10, 7, 10)


def test_windows_of_a_document_are_one_and_pool() -> None:
    """Document d: 1 of 2 and 1 of 1 against 0 of 2 and 1 of 1; its window 3 has no pair."""
    rows = [
        Asked(item=f"d#{part}", document="d", condition=condition, answers=[answer])
        for condition, answers in (
            (ORIGIN, [accuracy(1, 2), accuracy(1), accuracy(1, 5)]),
            (NR, [accuracy(0, 2), accuracy(1), None]),
        )
        for part, answer in enumerate(answers)
    ]

    (found,) = contrasts(store([*rows, *both("e", [1], [0])]), "small", seed=7)

    assert (found.value_a, found.value_b) == pytest.approx((3 / 4, 1 / 4))
    assert (found.items, found.missing) == (2, 1)


def coreference(right: int, other: int) -> list[dict[str, object]]:
    """Two F1s of a headline and one beside it: 4 said and 4 there of each."""
    return [
        f1("muc", right, 4, 4),
        f1("b_cubed", other, 4, 4),
        f1("lea", right, 4, 4, headline=False),
    ]


def test_a_headline_is_the_mean_of_its_metrics_and_each_can_stand_alone() -> None:
    """Of muc 6 of 8 and 3 of 8, of b_cubed 4 of 8 and 3 of 8."""
    rows = [
        Asked(item=item, task="coreference", condition=condition, answers=[coreference(*marks)])
        for item, condition, marks in (
            ("a", ORIGIN, (4, 2)),
            ("a", NR, (2, 1)),
            ("b", ORIGIN, (2, 2)),
            ("b", NR, (1, 2)),
        )
    ]

    (headline,) = contrasts(store(rows), "small", seed=7)
    every = contrasts(store(rows), "small", seed=7, every_metric=True)

    assert headline.difference == pytest.approx((6 / 8 - 3 / 8 + 4 / 8 - 3 / 8) / 2)
    assert headline.test == "sign-flip permutation"
    assert {each.metric: each.difference for each in every} == pytest.approx(
        {"headline": 1 / 4, "muc": 3 / 8, "b_cubed": 1 / 8, "lea": 3 / 8}
    )
    assert every[0].difference == headline.difference
    assert [each.p_holm is None for each in every] == [False, True, True, True]
    assert [each.differing for each in every] == [2, 1, 2, 2]  # b_cubed comes before muc


def test_a_headline_of_two_metrics_is_no_single_answer() -> None:
    """However right or wrong each is."""
    rows = [
        Asked(
            item=f"i{at}",
            condition=condition,
            answers=[[*accuracy(at % step), {**accuracy(at % 2)[0], "metric": "other"}]],
        )
        for at in range(4)
        for step, condition in ((2, ORIGIN), (1, NR))
    ]

    headline, first, _ = contrasts(store(rows), "small", seed=7, every_metric=True)

    assert (headline.test, first.test) == ("sign-flip permutation", "exact McNemar")


def test_values_are_those_of_the_view_of_headlines() -> None:
    """Where every item stands on both sides."""
    rows = [
        Asked(
            item=f"i{at}",
            task="coreference",
            condition=condition,
            answers=[coreference((at * step) % 5, (at + step) % 5)] * (1 + at % 3),
        )
        for at in range(7)
        for step, condition in ((2, ORIGIN), (3, NR), (1, GIST))
    ]
    connection = store(rows)
    query = "SELECT names, prompt, value FROM headlines WHERE experiment = 'small'"
    views = {(names, prompt): value for names, prompt, value in ask(connection, query).rows}

    found = contrasts(connection, "small", seed=7)

    assert len(found) == 3
    for each in found:
        assert each.value_a == pytest.approx(views[each.a.names, each.a.prompt])
        assert each.value_b == pytest.approx(views[each.b.names, each.b.prompt])


def six_conditions() -> list[Asked]:
    return [
        Asked(
            item=f"i{at}",
            condition=(names, prompt),
            answers=[accuracy((at * step) % 7 > step % 5 + 1)],
        )
        for at in range(12)
        for step, (names, prompt) in enumerate(
            (names, prompt)
            for names in ("original", "cross_culture")
            for prompt in ("baseline", "verbatim", "gist")
        )
    ]


def test_prompts_are_compared_under_each_strategy_that_was_asked() -> None:
    found = contrasts(store(six_conditions()), "small", seed=7)

    assert [each.contrast for each in found] == [
        "origin - NR",
        "NR - NR+GIST",
        "verbatim - baseline (original)",
        "verbatim - baseline (cross_culture)",
        "gist - baseline (original)",
        "gist - baseline (cross_culture)",
    ]
    by_name = named(found)
    one, other = by_name["NR - NR+GIST"], by_name["gist - baseline (cross_culture)"]
    assert one.interval is not None
    assert other.interval is not None
    assert one.difference == -(other.difference or 0)
    assert (one.interval.low, one.interval.high) == pytest.approx(
        (-other.interval.high, -other.interval.low)
    )
    assert (one.p, one.p_holm) == (other.p, other.p_holm)


def test_holm_takes_a_pair_of_two_names_once() -> None:
    """Six contrasts, five tests."""
    found = contrasts(store(six_conditions()), "small", seed=7)
    least = min(each.p or 1 for each in found)

    assert min(each.p_holm or 1 for each in found) == pytest.approx(min(1, 5 * least))


def test_nr_is_the_strategy_that_one_asks_for() -> None:
    rows = [
        *both("a", [1], [0]),
        *both("b", [1], [1]),
        Asked(item="a", condition=("masked", "baseline"), answers=[accuracy(1)]),
        Asked(item="b", condition=("masked", "baseline"), answers=[accuracy(0)]),
    ]

    (found,) = contrasts(store(rows), "small", seed=7, nr="masked")

    assert (found.b, found.difference) == (Condition("masked", "baseline"), 0.5)
    assert contrasts(store(rows), "small", seed=7, nr="same_culture") == []
    with pytest.raises(BadRequest, match="NR cannot stand for 'original'"):
        contrasts(store(rows), "small", seed=7, nr="original")


@pytest.mark.parametrize(
    ("a", "b", "why", "p"),
    [
        ("1", "0", "fewer than 2 items", None),
        ("101", "101", "no item differs", 1.0),
        ("1111", "0000", "all items differ alike", 2 / 16),
    ],
)
def test_what_is_undefined_says_why_and_is_never_0(
    a: str, b: str, why: str, p: float | None
) -> None:
    """The difference is still there, and a p where items can be flipped."""
    (found,) = contrasts(titles(a, b), "small", seed=7)

    assert (found.interval, found.undefined, found.p) == (None, why, p)
    assert found.difference == pytest.approx((a.count("1") - b.count("1")) / len(a))
    assert (found.share_interval, found.needed, found.detectable) == (None, None, None)


def test_conditions_without_a_common_item_are_reported() -> None:
    """Whether no item was asked under both, or none has its replies yet."""
    apart = [
        Asked(item="a", condition=ORIGIN, answers=[accuracy(1)]),
        Asked(item="b", condition=NR, answers=[accuracy(0)]),
    ]
    pending = [
        Asked(item="a", condition=ORIGIN, answers=[accuracy(1), None]),
        Asked(item="a", condition=NR, answers=[None, None]),
    ]

    turned = [
        Asked(item="a", condition=ORIGIN, answers=[None]),
        Asked(item="a", condition=NR, answers=[accuracy(1)]),
    ]
    cases = (
        (apart, 0, (None, None)),
        (pending, 3, (-0.5, 1.0)),
        (turned, 1, (-1.0, 0.0)),
    )
    for rows, missing, bounds in cases:
        (found,) = contrasts(store(rows), "small", seed=7)

        assert found.undefined == "no item has replies under both conditions"
        assert (found.value_a, found.difference, found.p, found.interval) == (None,) * 4
        assert (found.items, found.missing) == (0, missing)
        assert (found.lowest, found.highest) == bounds


def test_what_was_not_asked_or_is_not_measured_has_no_contrast() -> None:
    """Tasks in which nothing is right or wrong have replies, and no measures."""
    unmeasured = [
        Asked(item=item, condition=condition, answers=[[]])
        for item in "ab"
        for condition in (ORIGIN, NR)
    ]
    alone = [Asked(item="a", condition=ORIGIN, answers=[accuracy(1)])]
    waiting = [Asked(item="a", condition=condition, answers=[None]) for condition in (ORIGIN, NR)]

    for rows in (unmeasured, alone, waiting, []):
        assert contrasts(store(rows), "small", seed=7) == []


def test_a_share_of_nothing_is_undefined() -> None:
    (found,) = contrasts(titles("0000", "0110"), "small", seed=7)

    assert found.difference == -0.5
    assert (found.share, found.share_interval) == (None, None)


def test_works_move_together_where_there_are_six() -> None:
    rows = [
        row
        for work in range(6)
        for at in range(4)
        for row in both(f"{work} {at}", [1], [int(at < work)], work=f"w{work}", scene=f"s{at // 2}")
    ]

    (by_work,) = contrasts(store(rows), "small", seed=7)
    (by_scene,) = contrasts(store(rows[:40]), "small", seed=7)

    assert (by_work.clustered_by, by_work.clusters, by_work.items) == ("work", 6, 24)
    assert by_work.test == "sign-flip permutation"
    assert by_work.p == 2 / 16  # two of the six do not differ
    assert (by_scene.clustered_by, by_scene.clusters) == ("scene", 10)


def test_descriptions_and_models_are_compared_each_with_itself() -> None:
    rows = [
        *both("a", [1], [0], descriptions="cards.jsonl"),
        *both("a", [1], [1]),
        *both("a", [0], [1], model="n"),
    ]

    found = contrasts(store(rows), "small", seed=7)

    assert [(each.model, each.descriptions, each.difference) for each in found] == [
        ("m", "cards.jsonl", 1),
        ("m", "none", 0),
        ("n", "none", -1),
    ]


def test_one_seed_gives_one_table_and_no_contrast_changes_anothers_draws() -> None:
    rows = six_conditions()
    connection = store(rows)

    found = contrasts(connection, "small", seed=7)

    assert found == contrasts(connection, "small", seed=7)
    assert found != contrasts(connection, "small", seed=8)
    fewer = [row for row in rows if row.condition in {ORIGIN, NR}]
    (alone,) = contrasts(store(fewer), "small", seed=7)
    assert alone.interval == named(found)["origin - NR"].interval


def test_another_experiment_has_contrasts_of_its_own() -> None:
    assert contrasts(titles("10", "00"), "other", seed=7) == []
