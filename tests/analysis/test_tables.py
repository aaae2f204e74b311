"""Tables and contrasts of a hand-made store; every number is worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from analysis.contrasts import contrasts
from analysis.errors import NoSuchTable
from analysis.tables import experiment_table
from store.insert import insert
from store.read import Connection
from store.rows import PromptRow, SetAsideRow
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    failure_row,
    item_row,
    memory,
    model_row,
    prompt_row,
    reply_row,
    score_row,
)

Marks = Mapping[tuple[str, str, str], str]
"""Item, names, prompt -> one character a sample: 1 right, 0 wrong, - not asked."""

ORIGIN = ("original", "baseline")
NR = ("cross_culture", "baseline")
GIST = ("cross_culture", "gist")


def store(marks: Marks) -> Connection:
    """One model asked by these marks."""
    connection = memory()
    insert(connection, [experiment_row(), model_row(note="A note.")])
    insert(connection, [item_row(item) for item in sorted({place[0] for place in marks})])
    for place, samples in marks.items():
        prompt = prompt_row(*place)
        cells = [cell_row(prompt, sample=number) for number in range(len(samples))]
        asked = [
            (cell, int(mark)) for cell, mark in zip(cells, samples, strict=True) if mark != "-"
        ]
        insert(connection, [prompt, *cells])
        insert(connection, [reply_row(cell.key) for cell, _ in asked])
        insert(connection, [score_row(cell, right) for cell, right in asked])
    return connection


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ({("a", *ORIGIN): "1", ("a", *NR): "0"}, "fewer than 2 items"),
        (
            {(item, *where): "1" for item in "ab" for where in (ORIGIN, NR)},
            "no item differs",
        ),
    ],
)
def test_an_interval_that_is_undefined_says_why(marks: Marks, why: str) -> None:
    """The difference is still shown."""
    connection = store(marks)

    (found,) = contrasts(connection, "small", seed=7)
    records = experiment_table(connection, "small").records()

    assert (found.interval, found.undefined) == (None, why)
    assert records[-1]["difference"] == found.difference
    assert (records[-1]["low"], records[-1]["undefined"]) == (None, why)


def test_the_seed_is_the_plans() -> None:
    """A table is the same each time it is made."""
    marks = {
        (f"{n}", *where): f"{int(n % (2 + at) == 0)}" * (n % 5 + 1)
        for n in range(20)
        for at, where in enumerate((ORIGIN, NR))
    }
    connection = store(marks)

    table = experiment_table(connection, "small")

    assert table == experiment_table(connection, "small")
    assert table.contrasts == contrasts(connection, "small", seed=7)
    assert table.contrasts != contrasts(connection, "small", seed=8)


def test_the_table_lists_conditions_in_the_order_of_the_design() -> None:
    """Names as in the papers, then prompts; accuracies as the view has them."""
    prompts = [("original", "baseline"), ("original", "verbatim"), ("original", "gist")]
    names = [("masked", "baseline"), ("same_culture", "baseline"), ("cross_culture", "baseline")]
    places = prompts + names
    connection = store({("a", *place): "10" for place in reversed(places)})

    table = experiment_table(connection, "small")

    assert [(row["names"], row["prompt"]) for row in table.accuracy] == places
    assert [row["accuracy"] for row in table.accuracy] == [0.5] * len(places)
    assert "experiment" not in table.accuracy[0]
    assert [(row["names"], row["prompt"]) for row in table.headlines] == places
    assert [row["value"] for row in table.headlines] == [0.5] * len(places)
    kinds = [row["table"] for row in table.records()]
    both = ["accuracy"] * len(places) + ["headlines"] * len(places)
    assert kinds == both + ["contrasts"] * len(table.contrasts)


def test_notes_say_what_is_missing() -> None:
    """Four samples: a right reply, one cut and unparsed, one failed, one to ask."""
    connection = store({("a", *ORIGIN): "1---"})
    prompt = prompt_row("a", *ORIGIN)
    cut, failed = (cell_row(prompt, sample=number) for number in (1, 2))
    insert(connection, [reply_row(cut.key, text="It", outcome="truncated")])
    insert(connection, [score_row(cut, 0, answer=None, unparsed="no title")])
    insert(connection, [failure_row(failed.key, error="timed out")])

    (found,) = experiment_table(connection, "small").notes

    assert found == {
        "model": "m",
        "cells": 4,
        "replies": 2,
        "unparsed": 1,
        "wrong_unparsed": 1,
        "most_common_reason": "no title",
        "truncated": 1,
        "failed": 1,
        "most_common_error": "timed out",
        "unavailable": 0,
        "why_unavailable": None,
        "filtered": 0,
        "pending": 1,
        "note": "A note.",
        "repeats": 0,
        "same": 0,
        "builds": ["served"],
    }


def shown(item: str, names: str, replaced: int, leaks: str, suspects: str) -> PromptRow:
    prompt = prompt_row(item, names)
    return replace(prompt, replaced=replaced, leaks=leaks, suspects=suspects)


def aside(item: str, names: str, experiment_id: str = "plan-1") -> SetAsideRow:
    return SetAsideRow(
        experiment_id=experiment_id,
        task="source_identification",
        dataset="excerpts",
        item_id=item,
        names=names,
        reason="no list",
    )


def test_the_audit_of_replacement_counts_each_item_once() -> None:
    """However many prompts and samples show it; a strategy that shows no item is still there."""
    prompts = [
        shown("a", "cross_culture", 3, "{}", '{"Zed":1}'),
        shown("b", "cross_culture", 4, '{"Ann":2,"$Bob":1,"\\"Cy\\"":1}', '{"/Di":5}'),
        shown("a", "masked", 1, "{}", "{}"),
    ]
    prompts.append(replace(prompts[0], prompt="gist", prompt_hash="a cross_culture gist"))
    connection = memory()
    insert(connection, [experiment_row(), item_row("a"), item_row("b"), *prompts])
    insert(connection, [cell_row(prompt, sample=n) for prompt in prompts for n in range(2)])
    insert(connection, [aside("c", "cross_culture"), aside("a", "same_culture")])
    insert(connection, [aside("b", "same_culture"), aside("a", "masked", "another plan")])

    found = experiment_table(connection, "small").replacement

    assert [tuple(row.values()) for row in found] == [
        ("masked", 1, 1, 0, 0, 0),
        ("same_culture", 0, 0, 0, 0, 2),
        ("cross_culture", 2, 7, 4, 6, 1),
    ]
    assert list(found[0]) == ["names", "items", "replaced", "leaks", "suspects", "set_aside"]


def test_an_unknown_experiment_is_told_those_there_are() -> None:
    connection = memory()

    with pytest.raises(NoSuchTable, match="no experiment is called 'smal'; the store is empty"):
        experiment_table(connection, "smal")

    insert(connection, [experiment_row(), experiment_row("other", experiment="other")])

    with pytest.raises(NoSuchTable, match="'smal'; the store has other, small"):
        experiment_table(connection, "smal")


@pytest.mark.parametrize(
    ("units", "measures", "wrong"),
    [
        (1, '[{"metric":"accuracy","num":0,"den":1,"headline":true}]', 1),
        (0, '[{"metric":"rouge1","num":0,"den":1,"headline":true}]', 1),
        (0, "[]", 0),
    ],
)
def test_an_unread_reply_is_wrong_where_replies_are_measured(
    units: int, measures: str, wrong: int
) -> None:
    """A task that asks who is like whom has no right answer: no units, no measures."""
    connection = store({("a", *ORIGIN): "-"})
    cell = cell_row(prompt_row("a", *ORIGIN), sample=0)
    score = score_row(cell, 0, units=units, answer=None, unparsed="none")
    insert(connection, [reply_row(cell.key, text="It")])
    insert(connection, [replace(score, measures=measures)])

    (found,) = experiment_table(connection, "small").notes

    assert (found["unparsed"], found["wrong_unparsed"]) == (1, wrong)
