"""The views: hand-made rows in, values worked out by hand out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from store.insert import insert
from store.read import Connection, ask
from store.rows import (
    CellRow,
    ExperimentRow,
    FailureRow,
    ItemRow,
    PromptRow,
    ReplyRow,
    Row,
    ScoreRow,
)
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    failure_row,
    item_row,
    later,
    memory,
    prompt_row,
    reply_row,
    run_row,
    score_row,
)

Record = dict[str, object]


def store(*rows: Row) -> Connection:
    """A database with rows."""
    connection = memory()
    insert(connection, rows)
    return connection


def one(connection: Connection, query: str) -> Record:
    """The one record a query returns."""
    (record,) = ask(connection, query).records()
    return record


def outcomes() -> Connection:
    """One condition of seven items, each of which went another way; five replies are scored."""
    prompts = {name: prompt_row(name) for name in "abcdefg"}
    cells = {name: cell_row(prompt) for name, prompt in prompts.items()}
    keys = {name: cell.key for name, cell in cells.items()}
    return store(
        experiment_row(),
        *(item_row(name) for name in prompts),
        *prompts.values(),
        *cells.values(),
        reply_row(keys["a"]),
        score_row(cells["a"], 1),
        reply_row(keys["b"], text="Dracula"),
        score_row(cells["b"], 0, answer='{"title":"Dracula"}'),
        reply_row(keys["c"], text="It is by", outcome="truncated"),
        score_row(cells["c"], 0, answer=None, unparsed="no title"),
        reply_row(keys["d"], text="No.", outcome="refused"),
        score_row(cells["d"], 0, answer=None, unparsed="the model refused"),
        reply_row(keys["e"], text=None, outcome="filtered"),
        failure_row(keys["f"], error="first", failed_at=later(1)),
        failure_row(keys["f"], error="last", failed_at=later(2)),
    )


def test_results_show_each_cell_as_it_stands() -> None:
    """Answered, unparsed, filtered, failed with its last error, or pending."""
    found = ask(
        outcomes(),
        "SELECT item_id, outcome, answer, score, unparsed, error FROM results ORDER BY item_id",
    ).rows

    assert found == [
        ("a", "ok", "Emma", 1.0, None, None),
        ("b", "ok", "Dracula", 0.0, None, None),
        ("c", "truncated", None, 0.0, "no title", None),
        ("d", "refused", None, 0.0, "the model refused", None),
        ("e", "filtered", None, None, None, None),
        ("f", "failed", None, None, None, "last"),
        ("g", "pending", None, None, None, None),
    ]


def test_accuracy_counts_what_has_no_score_as_missing() -> None:
    """One of four scored replies is right; filtered, failed and pending are missing, not wrong."""
    found = one(outcomes(), "SELECT * FROM accuracy")

    assert (found["n"], found["items"], found["accuracy"]) == (4, 4, 0.25)
    assert (found["unparsed"], found["truncated"], found["missing"]) == (2, 1, 3)
    assert (found["cells"], found["chance"], found["choices"]) == (7, 0.5, "options")


def test_progress_counts_every_cell_once() -> None:
    """Five replies, of 10 and 2 tokens each; one failed, one to ask."""
    found = one(outcomes(), "SELECT * FROM progress")

    assert (found["cells"], found["keys"]) == (7, 7)
    assert (found["replies"], found["failed"], found["pending"]) == (5, 1, 1)
    assert (found["prompt_tokens"], found["reply_tokens"]) == (50, 10)


def test_accuracy_pools_units() -> None:
    """Scenes of 1 and 3 speakers, 1 and 2 right: 3 of 4, and chance weighs speakers alike."""
    prompts = [prompt_row("a", chance=0.5), prompt_row("b", chance=0.25)]
    cells = [cell_row(prompt) for prompt in prompts]
    connection = store(
        experiment_row(),
        item_row("a"),
        item_row("b"),
        *prompts,
        *cells,
        *(reply_row(cell.key) for cell in cells),
        score_row(cells[0], 1),
        score_row(cells[1], 2, units=3),
    )

    found = one(connection, "SELECT n, items, accuracy, chance FROM accuracy")

    assert found == {"n": 4, "items": 2, "accuracy": 0.75, "chance": (0.5 + 3 * 0.25) / 4}


def test_accuracy_of_nothing_is_null_not_0() -> None:
    """A condition without replies has no accuracy and no interval; an open one no chance."""
    prompt = prompt_row(chance=None)
    connection = store(experiment_row(), item_row(), prompt, cell_row(prompt))

    found = one(connection, "SELECT n, accuracy, low, high, chance, missing FROM accuracy")

    assert found == {
        "n": 0, "accuracy": None, "low": None, "high": None, "chance": None, "missing": 1,
    }  # fmt: skip


def test_wilson_bounds_are_scipys() -> None:
    """For every k out of n up to 30, and some n beyond."""
    pairs = [(k, n) for n in range(1, 31) for k in range(n + 1)]
    pairs += [(k, n) for n in (100, 999, 50_000) for k in (0, 1, n // 3, n - 1, n)]
    values = ", ".join(f"({k}, {n})" for k, n in pairs)
    query = f"SELECT wilson_low(k, n), wilson_high(k, n) FROM (VALUES {values}) AS v(k, n)"

    rows = memory().execute(query).fetchall()

    for (k, n), row in zip(pairs, rows, strict=True):
        expected = binomtest(k, n).proportion_ci(method="wilson")
        assert row == pytest.approx((expected.low, expected.high), abs=1e-6), (k, n)
        assert 0 <= row[0] <= row[1] <= 1


def test_accuracy_has_wilson_bounds() -> None:
    expected = binomtest(1, 4).proportion_ci(method="wilson")

    found = one(outcomes(), "SELECT low, high FROM accuracy")

    assert list(found.values()) == pytest.approx([expected.low, expected.high], abs=1e-6)


def test_cells_with_one_key_share_a_reply() -> None:
    """Each is scored by its own prompt's gold answer."""
    prompts = [prompt_row("a"), prompt_row("b")]
    cells = [
        cell_row(prompt, key="shared", is_first=first)
        for prompt, first in zip(prompts, [True, False], strict=True)
    ]
    connection = store(
        experiment_row(),
        item_row("a"),
        item_row("b"),
        *prompts,
        *cells,
        reply_row("shared"),
        score_row(cells[0], 1),
        score_row(cells[1], 0),
    )

    rows = ask(connection, "SELECT item_id, reply, score FROM results ORDER BY item_id").rows
    progress = one(connection, "SELECT cells, replies, keys, prompt_tokens FROM progress")

    assert rows == [("a", "Emma", 1.0), ("b", "Emma", 0.0)]
    assert progress == {"cells": 2, "replies": 2, "keys": 1, "prompt_tokens": 10}  # bought once


def test_samples_of_an_item_do_not_narrow_its_interval() -> None:
    """Two items, three replies each, three of six right: known as well as one of two is."""
    prompts = [prompt_row("a"), prompt_row("b")]
    cells = [cell_row(prompt, sample=sample) for prompt in prompts for sample in range(3)]
    connection = store(
        experiment_row(),
        item_row("a"),
        item_row("b"),
        *prompts,
        *cells,
        *(reply_row(cell.key) for cell in cells),
        *(score_row(cell, right) for cell, right in zip(cells, [1, 1, 1, 0, 0, 0], strict=True)),
    )
    expected = binomtest(1, 2).proportion_ci(method="wilson")

    found = one(connection, "SELECT n, items, replies, accuracy, low, high FROM accuracy")

    assert list(found.values()) == pytest.approx(
        [6, 2, 6, 0.5, expected.low, expected.high], abs=1e-6
    )


def test_a_failure_followed_by_a_reply_shows_the_reply() -> None:
    prompt = prompt_row()
    cell = cell_row(prompt)
    connection = store(
        experiment_row(), item_row(), prompt, cell, failure_row(cell.key), reply_row(cell.key)
    )

    found = one(connection, "SELECT outcome, reply, error FROM results")

    assert found == {"outcome": "ok", "reply": "Emma", "error": None}


@pytest.mark.parametrize("turned", [False, True])
def test_scores_of_a_newer_version_win(*, turned: bool) -> None:
    """In whatever order they were stored."""
    prompt = prompt_row()
    cell = cell_row(prompt)
    scores = [score_row(cell, 0, version=1), score_row(cell, 1, version=2)]
    connection = store(
        experiment_row(), item_row(), prompt, cell, reply_row(cell.key),
        *(reversed(scores) if turned else scores),
    )  # fmt: skip

    assert ask(connection, "SELECT score FROM results").rows == [(1.0,)]


def test_scores_of_two_versions_are_not_mixed() -> None:
    """What a task's newer parser has not come to has no score yet; other tasks keep theirs."""
    prompts = {name: prompt_row(name) for name in "abc"}
    cells = {name: cell_row(prompt) for name, prompt in prompts.items()}
    connection = store(
        experiment_row(),
        item_row("a"),
        item_row("b"),
        item_row("c", task="other"),
        *prompts.values(),
        *cells.values(),
        *(reply_row(cell.key) for cell in cells.values()),
        *(score_row(cell, 1, version=1) for cell in cells.values()),
        score_row(cells["b"], 0, version=2),
    )

    assert ask(connection, "SELECT item_id, score FROM results ORDER BY item_id").rows == [
        ("a", None),
        ("b", 0.0),
        ("c", 1.0),
    ]


def two_plans() -> Connection:
    """One experiment planned twice, and another; the second plan drops an item and adds one."""
    prompts = {name: prompt_row(name) for name in "abc"}
    plans = {"plan-1": "ab", "plan-2": "bc", "other": "a"}
    return store(
        experiment_row("plan-1"),
        experiment_row("plan-2", planned_at=later(10)),
        experiment_row("other", experiment="other"),
        *(item_row(name) for name in prompts),
        *prompts.values(),
        *(
            cell_row(prompts[name], experiment_id=plan)
            for plan, names in plans.items()
            for name in names
        ),
    )


SHOWN = "SELECT experiment, item_id FROM results ORDER BY ALL"
OTHER = ("other", "a")


def test_a_later_plan_replaces_the_older() -> None:
    """And leaves other experiments alone."""
    connection = two_plans()

    assert ask(connection, SHOWN).rows == [OTHER, ("small", "b"), ("small", "c")]
    assert ask(connection, "SELECT * FROM current_plans ORDER BY ALL").rows == [
        ("other", "other"),
        ("small", "plan-2"),
    ]


def test_running_an_older_plan_brings_it_back() -> None:
    """The current plan is the one that was run last."""
    connection = two_plans()
    insert(connection, [run_row("plan-2", later(20)), run_row("plan-1", later(30))])

    assert ask(connection, SHOWN).rows == [OTHER, ("small", "a"), ("small", "b")]


def test_a_clock_that_jumped_back_does_not_bring_an_older_plan_back() -> None:
    """What was run last is what was recorded last, whatever the clock said."""
    connection = two_plans()
    insert(connection, [run_row("plan-1", later(1_000), run_id="z")])
    insert(connection, [run_row("plan-2", later(-1_000), run_id="a")])

    assert ask(connection, SHOWN).rows == [OTHER, ("small", "b"), ("small", "c")]


def test_a_plan_made_while_the_clock_was_back_is_the_current_one() -> None:
    """Before any run of it, too."""
    connection = two_plans()
    insert(connection, [experiment_row("plan-3", planned_at=later(-1_000))])

    assert ask(connection, "SELECT * FROM current_plans ORDER BY ALL").rows == [
        ("other", "other"),
        ("small", "plan-3"),
    ]


@pytest.mark.parametrize(
    ("gold", "shown"),
    [
        ('{"title":"Emma"}', "Emma"),
        ('{"title":"He said \\"no\\", \\u0041"}', 'He said "no", A'),
        ('{"P0":"Ann","P1":"Bob"}', "P0: Ann; P1: Bob"),
        ('{"P0":"Ann"}', "P0: Ann"),
        ('{"$0":"Ann","/b":"Bob","*":"Cy","\\"":"Di"}', '$0: Ann; /b: Bob; *: Cy; ": Di'),
        ("{}", ""),
    ],
)
def test_answers_are_readable(gold: str, shown: str) -> None:
    """Whatever the labels look like."""
    prompt = prompt_row(gold=gold)
    connection = store(experiment_row(), item_row(), prompt, cell_row(prompt))

    assert ask(connection, "SELECT gold FROM results").rows == [(shown,)]


cells_drawn = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.sampled_from(["p", "q"])),
    unique=True,
    max_size=8,
)
keys_drawn = st.sampled_from(["k0", "k1", "k2"])
_CLEARED = (ExperimentRow, ItemRow, PromptRow, CellRow, ReplyRow, FailureRow, ScoreRow)
_REUSED = memory()
"""Emptied for every example: to make a database takes longer than to ask it."""


@settings(max_examples=40, deadline=None)
@given(
    cells_drawn,
    st.dictionaries(keys_drawn, st.sampled_from(["ok", "filtered"])),
    st.lists(keys_drawn, max_size=4),
    st.lists(
        st.tuples(st.sampled_from("ab"), keys_drawn, st.integers(1, 3)), unique=True, max_size=8
    ),
)
def test_results_have_one_row_a_cell(
    drawn: list[tuple[str, int, str]],
    replies: dict[str, str],
    failures: list[str],
    scores: list[tuple[str, str, int]],
) -> None:
    """However many failures and scores there are of one key."""
    prompts = {name: prompt_row(name) for name in "ab"}
    cells: list[CellRow] = [
        cell_row(prompts[item], sample=sample, model=model, key=f"k{sample}")
        for item, sample, model in drawn
    ]
    for kind in _CLEARED:
        _REUSED.execute(f"DELETE FROM {kind.TABLE}")
    rows: list[Row] = [
        experiment_row(),
        *(item_row(name) for name in prompts),
        *prompts.values(),
        *cells,
        *(reply_row(key, outcome=outcome) for key, outcome in replies.items()),
        *(failure_row(key) for key in failures),
        *(score_row(cell_row(prompts[item], key=key), 1, version=v) for item, key, v in scores),
    ]
    assert {type(row) for row in rows} <= set(_CLEARED)
    insert(_REUSED, rows)

    found = [row[0] for row in ask(_REUSED, "SELECT cell_id FROM results").rows]

    assert sorted(map(str, found)) == sorted(cell.cell_id for cell in cells)
