"""Comparing two runs: cells are matched by their place, and counts and tests are right."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from analysis.comparison.differences import Asked, differences
from analysis.comparison.sides import side, together
from analysis.errors import BadRequest, NoSuchTable
from store.insert import insert
from tests.analysis.comparison_for_tests import Told, compared, only, run, sides
from tests.store.rows_for_tests import experiment_row

CONDITIONS = (("original", "baseline"), ("original", "gist"), ("cross_culture", "baseline"))


def drawn(seed: int, share: float) -> list[Told]:
    """Sixty items under three conditions, each right with a chance; some are not answered."""
    draws = random.Random(seed)
    return [
        Told(
            item=f"i{number}",
            condition=condition,
            right=None if draws.random() < 0.1 else int(draws.random() < share),
        )
        for number in range(60)
        for condition in CONDITIONS
        if draws.random() < 0.95
    ]


def test_counts_and_p_are_those_of_a_hand_count() -> None:
    """Held against dictionaries of the same cells, SciPy's binomial test and Holm by hand."""
    a, b = drawn(1, 0.7), drawn(2, 0.4)
    by_place = [{(each.condition, each.item): each.right for each in own} for own in (a, b)]

    found = compared(a, b)

    p_of: dict[tuple[str, str], float] = {}
    for row in found.conditions:
        at = (row.names, row.prompt)
        own = [{i: right for (c, i), right in place.items() if c == at} for place in by_place]
        shared = own[0].keys() & own[1].keys()
        told = {i: (own[0][i], own[1][i]) for i in shared}
        ways = Counter(pair for pair in told.values() if None not in pair)
        assert row.counts["cells_a"] == len(own[0])
        assert row.counts["only_a"] == len(own[0].keys() - own[1].keys())
        assert row.counts["only_b"] == len(own[1].keys() - own[0].keys())
        assert row.counts["compared"] == len(shared)
        assert row.counts["missing_a"] == sum(pair[0] is None for pair in told.values())
        assert row.counts["missing_b"] == sum(pair[1] is None for pair in told.values())
        assert row.counts["right_to_wrong"] == row.counts["worse"] == ways[1, 0]
        assert row.counts["wrong_to_right"] == row.counts["better"] == ways[0, 1]
        record, n = row.record(), ways.total()
        assert record["items"] == row.counts["scored"] == n
        assert record["value_a"] == pytest.approx((ways[1, 1] + ways[1, 0]) / n)
        assert record["value_b"] == pytest.approx((ways[1, 1] + ways[0, 1]) / n)
        assert record["difference"] == pytest.approx((ways[0, 1] - ways[1, 0]) / n)
        assert record["test"] == "exact McNemar"
        p_of[at] = binomtest(ways[1, 0], ways[1, 0] + ways[0, 1]).pvalue
        assert record["p"] == pytest.approx(p_of[at])
    ranked = sorted(p_of.values())
    holm = [max(min(1, (3 - k) * ranked[k]) for k in range(at + 1)) for at in range(3)]
    assert [row.p_holm for row in found.conditions] == pytest.approx(
        [holm[ranked.index(p_of[row.names, row.prompt])] for row in found.conditions]
    )


def test_the_interval_is_the_paired_ones() -> None:
    """Held against the normal interval of paired differences, which 200 items make nearly exact."""
    draws = np.random.default_rng(5)
    right_a, right_b = draws.random(200) < 0.6, draws.random(200) < 0.5

    row = only(
        compared(
            [Told(item=f"i{n}", right=int(right)) for n, right in enumerate(right_a)],
            [Told(item=f"i{n}", right=int(right)) for n, right in enumerate(right_b)],
        )
    ).record()

    each = right_b.astype(float) - right_a
    reach = 1.96 * each.std(ddof=1) / np.sqrt(200)
    assert (row["low"], row["high"]) == pytest.approx(
        (each.mean() - reach, each.mean() + reach), abs=0.01
    )


def test_the_other_way_round_is_the_same_with_its_sign_changed() -> None:
    a, b = drawn(1, 0.7), drawn(2, 0.4)

    for there, back in zip(compared(a, b).conditions, compared(b, a).conditions, strict=True):
        assert there.counts["right_to_wrong"] == back.counts["wrong_to_right"]
        assert there.record()["difference"] == pytest.approx(-back.record()["difference"])
        assert (there.effect.p, there.p_holm) == (back.effect.p, back.p_holm)


def test_samples_are_matched_one_by_one_and_move_with_their_item() -> None:
    """Three samples of eight items: no answer stands alone, so signs are flipped item by item."""
    a = [Told(item=f"i{n}", sample=s, right=1) for n in range(8) for s in range(3)]
    b = [replace(each, right=int(each.sample == 0)) for each in a if each.sample < 2]

    row = only(compared(a, b))

    assert row.counts["only_a"] == 8
    assert row.counts["right_to_wrong"] == 8
    assert row.record()["test"] == "sign-flip permutation"
    assert row.record()["difference"] == pytest.approx(-0.5)
    assert row.effect.p == pytest.approx(2 / 2**8)


def test_works_move_as_one_where_there_are_enough() -> None:
    a = [Told(item=f"i{n}", work=f"w{n % 6}", right=1) for n in range(12)]
    b = [replace(each, right=int(each.work != "w0")) for each in a]

    row = only(compared(a, b)).record()

    assert (row["clustered_by"], row["clusters"]) == ("work", 6)
    assert row["p"] == 1  # only one work differs: its sign says nothing


def test_answers_of_several_units_are_right_where_all_are() -> None:
    """One that loses a unit is worse; only one that had all, or has all now, flips."""
    a = [
        Told(item=name, right=right, units=3)
        for name, right in zip("abcd", (3, 2, 1, 2), strict=True)
    ]
    b = [
        Told(item=name, right=right, units=3)
        for name, right in zip("abcd", (2, 1, 3, 2), strict=True)
    ]

    row = only(compared(a, b))

    ways = ("right_to_wrong", "wrong_to_right", "worse", "better")
    assert [row.counts[name] for name in ways] == [1, 1, 2, 1]
    assert row.record()["value_a"] == pytest.approx(8 / 12)


def test_answers_that_are_more_or_less_good_get_better_or_worse() -> None:
    a = [Told(item=f"i{n}", score=0.5, task="summarization") for n in range(8)]
    b = [replace(each, score=0.4 if n else 0.9) for n, each in enumerate(a)]

    row = only(compared(a, b))

    ways = ("right_to_wrong", "wrong_to_right", "worse", "better")
    assert [row.counts[name] for name in ways] == [0, 0, 7, 1]
    assert row.record()["test"] == "sign-flip permutation"


def test_other_words_and_other_gold_are_counted_and_can_be_left_out() -> None:
    a = [Told(item=f"i{n}") for n in range(6)]
    b = [
        Told(item="i0", asked="Which book?", right=0),
        Told(item="i1", gold="Dracula", right=0),
        *(Told(item=f"i{n}") for n in range(2, 6)),
    ]

    every, alike = only(compared(a, b)), only(compared(a, b, same_prompts=True))

    for row in (every, alike):
        assert (row.counts["other_prompts"], row.counts["other_gold"]) == (1, 1)
    assert (every.counts["compared"], every.counts["right_to_wrong"]) == (6, 2)
    assert (alike.counts["compared"], alike.counts["right_to_wrong"]) == (4, 0)
    assert alike.record()["undefined"] == "no item differs"


def test_the_same_reply_is_told_from_another_with_the_same_answer() -> None:
    a = [Told(item="i0", reply="Emma"), Told(item="i1", reply="Emma")]
    b = [Told(item="i0", reply="Emma"), Told(item="i1", reply="Dracula")]

    row = only(compared(a, b))

    assert (row.counts["same_replies"], row.counts["other_answers"]) == (1, 1)


def test_models_of_other_names_are_held_together_where_the_user_says_so() -> None:
    a = [Told(item=f"i{n}", model="small") for n in range(4)]
    b = [Told(item=f"i{n}", model="large", right=0) for n in range(4)]
    b += [Told(item=f"i{n}", model="third", right=0) for n in range(4)]

    row = only(compared(a, b, "small=large"))

    assert (row.model, row.counts["right_to_wrong"]) == ("small → large", 4)


def test_two_models_of_one_experiment_are_compared() -> None:
    own = run(
        [
            Told(item=f"i{n}", model=model, right=int(model == "x=1"))
            for n in range(4)
            for model in ("x=1", "y")
        ]
    )
    both = side(own, "it")

    found = differences(both, both, Asked(models=together(both, both, ["x=1=y"])))

    assert only(found).counts["right_to_wrong"] == 4


def test_every_cell_that_changed_is_listed() -> None:
    a, b = drawn(1, 0.7), drawn(2, 0.4)

    found = compared(a, b, changed=True)

    kinds = Counter(row["change"] for row in found.changed)
    totals = Counter[str]()
    for row in found.conditions:
        totals["right to wrong"] += row.counts["right_to_wrong"]
        totals["wrong to right"] += row.counts["wrong_to_right"]
    assert kinds == totals
    assert all(
        (row["score_a"], row["score_b"])
        == ((1, 0) if row["change"] == "right to wrong" else (0, 1))
        for row in found.changed
    )


def test_examples_come_from_all_ways_and_conditions_and_are_the_same_each_time() -> None:
    a, b = drawn(1, 0.7), drawn(2, 0.4)

    found = compared(a, b, examples=6).examples

    assert len({(row["names"], row["prompt"], row["change"]) for row in found}) == 6
    assert found == compared(a, b, examples=6).examples
    assert compared(a, b, examples=0).examples == []


@pytest.mark.parametrize(
    ("b", "models", "message"),
    [
        (
            [Told(item="i1", model="other")],
            (),
            r"no model is in both: A has m, B has other; .*m=other",
        ),
        ([Told(item="other")], (), "share conditions, but no item"),
        (
            [Told(item="i1", condition=("masked", "gist"))],
            (),
            "names is original in A, masked in B; prompt is baseline",
        ),
        ([Told(item="i1")], ("x",), r"--model x: write it as A=B with a model of A \(m\)"),
        ([Told(item="i1")], ("m", "m=m"), "names m of A twice"),
    ],
)
def test_what_cannot_be_compared_is_said(
    b: list[Told], models: tuple[str, ...], message: str
) -> None:
    with pytest.raises(BadRequest, match=message):
        compared([Told(item="i1")], b, *models)


def test_prompts_that_all_differ_leave_nothing_to_compare() -> None:
    with pytest.raises(BadRequest, match="no cell that was asked in the same words"):
        compared([Told(item="i")], [Told(item="i", asked="Who?")], same_prompts=True)


def test_an_experiment_is_named_where_a_store_has_several() -> None:
    store = run([Told(item="i1")])
    insert(store, [experiment_row("plan-2", experiment="second")])

    with pytest.raises(
        BadRequest, match="A holds the experiments second, small; name one as A:EXP"
    ):
        side(store, "A")
    with pytest.raises(NoSuchTable, match="no experiment is called 'third'; the store has second"):
        side(store, "A", "third")
    assert side(store, "A", "small").model_names == ["m"]


def test_sides_tell_served_models_and_parser_versions() -> None:
    a, b = sides(run([Told(item="i1")]), run([Told(item="i1", version=2)]))

    assert a.models == ({"model": "m", "cells": 1, "builds": ["served"]},)
    assert [row["version"] for each in (a, b) for row in each.versions] == [1, 2]
