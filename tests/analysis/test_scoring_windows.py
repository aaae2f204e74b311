"""Texts that were asked in windows: summaries are joined and marked as one, once all are there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.scoring import score_replies
from prompts.tasks import TASKS
from store.insert import insert
from store.read import Connection, ask
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    item_row,
    memory,
    prompt_row,
    reply_row,
)

GOLD = "The boat sinks. The keeper swims home."
PARTS = ("The boat sinks.", "The keeper swims home.")


def windows(replies: tuple[str | None, ...], outcome: str = "ok") -> Connection:
    """One transcript in as many windows as replies, under original names; None is not asked yet."""
    connection = memory()
    insert(connection, [experiment_row()])
    for at, text in enumerate(replies):
        item = replace(
            item_row(f"d#{at}", task="summarization"), document="d", part=at, parts=len(replies)
        )
        prompt = prompt_row(f"d#{at}", gold=f'{{"summary":"{GOLD}"}}', options="[]", chance=None)
        insert(connection, [item, prompt, cell_row(prompt, key=f"k{at}")])
        if text is not None:
            own = outcome if at == 0 else "ok"
            insert(connection, [reply_row(f"k{at}", text=text, outcome=own)])
    return connection


def measured(connection: Connection) -> list[tuple[object, ...]]:
    query = "SELECT item_id, metric, round(num / den, 6) FROM measures ORDER BY ALL"
    return ask(connection, query).rows


def test_the_windows_summaries_are_joined_and_marked_against_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Together they say all that the recap says; each alone would not."""
    connection = windows(PARTS)

    assert score_replies(connection) == 2
    assert measured(connection) == [("d#0", name, 1) for name in ("rouge1", "rouge2", "rougeL")]
    assert score_replies(connection) == 0
    monkeypatch.setattr(type(TASKS["summarization"]), "version", 99)
    assert score_replies(connection) == 2  # a newer parser reads all windows again


def test_a_text_with_a_window_still_to_ask_is_not_marked() -> None:
    """It would look worse than it is: it is missing, and is marked when the last reply is there."""
    connection = windows((PARTS[0], None))
    assert score_replies(connection) == 0
    assert measured(connection) == []

    insert(connection, [reply_row("k1", text=PARTS[1])])

    assert score_replies(connection, ["k1"]) == 2
    assert [row[2] for row in measured(connection)] == [1, 1, 1]
    assert ask(connection, "SELECT DISTINCT items, missing FROM metrics").rows == [(1, 0)]


def test_other_texts_replies_do_not_mark_it() -> None:
    connection = windows(PARTS)

    assert score_replies(connection, ["elsewhere"]) == 0


def test_a_refused_window_leaves_its_part_of_the_summary_empty() -> None:
    connection = windows(PARTS, outcome="refused")

    assert score_replies(connection) == 2
    # 4 of the recap's 7 words, all of them right: F1 = 2 * 4 / (4 + 7).
    assert measured(connection)[0] == ("d#0", "rouge1", pytest.approx(8 / 11, abs=1e-6))


def test_where_no_window_holds_an_answer_the_text_has_none() -> None:
    connection = windows(("", ""))

    assert score_replies(connection) == 2
    assert [row[2] for row in measured(connection)] == [0, 0, 0]
    assert ask(connection, "SELECT count(*) FROM results WHERE unparsed IS NULL").rows == [(0,)]


def test_a_task_whose_windows_are_pooled_marks_each_by_itself() -> None:
    connection = memory()
    insert(connection, [experiment_row()])
    for at in range(2):
        item = replace(item_row(f"d#{at}", task="role_detection"), document="d", part=at, parts=2)
        gold = '{"1":"yes","2":"no"}'
        prompt = prompt_row(f"d#{at}", gold=gold, options="[]", chance=None)
        insert(connection, [item, prompt, cell_row(prompt, key=f"k{at}")])
        insert(connection, [reply_row(f"k{at}", text="1, 2" if at else "1")])

    assert score_replies(connection) == 2
    # Precision 2 of 3 named, recall 2 of 2.
    query = 'SELECT "precision", recall, value, items FROM metrics'
    assert ask(connection, query).rows == [(pytest.approx(2 / 3), 1, pytest.approx(0.8), 1)]
