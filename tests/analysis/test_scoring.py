"""Scoring: each reply is read once by each version of its task's parser."""

from __future__ import annotations

import pytest

from analysis.scoring import score_replies
from prompts.tasks import TASKS
from prompts.tasks.source_identification import SOURCE_IDENTIFICATION, SourceIdentification
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


class Newer(SourceIdentification):
    """The task after a change of its parser."""

    version = SOURCE_IDENTIFICATION.version + 1


def two_replies() -> Connection:
    """Two items with replies `a` and `b`, right and wrong."""
    connection = memory()
    prompts = [prompt_row("i1"), prompt_row("i2")]
    insert(connection, [experiment_row(), item_row("i1"), item_row("i2"), *prompts])
    insert(
        connection,
        [cell_row(prompt, key=key) for prompt, key in zip(prompts, "ab", strict=True)],
    )
    insert(connection, [reply_row("a", text="Emma"), reply_row("b", text="Dracula")])
    return connection


def scores(connection: Connection) -> list[tuple[object, ...]]:
    columns = "key, version, answer, unparsed, units_right, units"
    return ask(connection, f"SELECT {columns} FROM scores ORDER BY ALL").rows


GUESSING = TASKS["character_guessing"].version
NOW = SOURCE_IDENTIFICATION.version
RIGHT = ("a", NOW, '{"title":"Emma"}', None, 1, 1)
WRONG = ("b", NOW, '{"title":"Dracula"}', None, 0, 1)


def test_every_reply_is_scored_once() -> None:
    connection = two_replies()

    assert score_replies(connection) == 2
    assert scores(connection) == [RIGHT, WRONG]
    assert score_replies(connection) == 0
    assert scores(connection) == [RIGHT, WRONG]


def test_a_new_version_of_the_parser_scores_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old scores stay, new ones are shown; an older program then has nothing to add."""
    connection = two_replies()
    score_replies(connection)
    with monkeypatch.context() as later:
        later.setitem(TASKS, "source_identification", Newer())

        assert score_replies(connection) == 2
        assert score_replies(connection) == 0

    assert score_replies(connection) == 0
    assert [row[:2] for row in scores(connection)] == [
        (key, version) for key in "ab" for version in (NOW, NOW + 1)
    ]
    newest = f"SELECT count(*) FROM current_scores WHERE version = {NOW + 1}"
    assert ask(connection, newest).rows == [(2,)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [([], []), (["a"], [RIGHT]), (["b", "elsewhere"], [WRONG]), (["a", "b"], [RIGHT, WRONG])],
)
def test_only_the_keys_given_are_scored(
    keys: list[str], expected: list[tuple[object, ...]]
) -> None:
    connection = two_replies()

    assert score_replies(connection, keys) == len(expected)
    assert scores(connection) == expected


def test_cells_that_share_a_reply_are_scored_by_their_own_gold() -> None:
    """And a cell that stands in two plans is scored once."""
    connection = memory()
    prompts = [prompt_row("i1"), prompt_row("i2", gold='{"title":"Dracula"}')]
    insert(connection, [item_row("i1"), item_row("i2"), *prompts])
    insert(connection, [experiment_row("plan-1"), experiment_row("plan-2")])
    insert(
        connection,
        [
            cell_row(prompt, key="shared", experiment_id=plan)
            for prompt in prompts
            for plan in ("plan-1", "plan-2")
        ],
    )
    insert(connection, [reply_row("shared", text="Emma")])

    assert score_replies(connection) == 2
    assert ask(connection, "SELECT prompt_hash, units_right FROM scores ORDER BY ALL").rows == [
        (prompts[0].prompt_hash, 1),
        (prompts[1].prompt_hash, 0),
    ]


def test_a_refusal_is_unparsed_whatever_its_words() -> None:
    """Naming the right title while refusing is no answer."""
    connection = two_replies()
    insert(connection, [cell_row(prompt_row("i1"), key="r", sample=1)])
    insert(connection, [reply_row("r", text="Emma", outcome="refused")])

    score_replies(connection, ["r"])

    assert scores(connection) == [("r", NOW, None, "the model refused", 0, 1)]


def test_a_reply_without_a_text_is_not_scored() -> None:
    """It is missing, which is not the same as wrong."""
    connection = two_replies()
    insert(connection, [cell_row(prompt_row("i1"), key="f", sample=1)])
    insert(connection, [reply_row("f", text=None, outcome="filtered")])

    assert score_replies(connection, ["f"]) == 0


def test_every_speaker_of_a_scene_is_a_unit() -> None:
    """Two of three named rightly, one left out."""
    gold = '{"P0":"Ann","P1":"Bob","P2":"Cy"}'
    prompt = prompt_row(gold=gold, options='["Ann","Bob","Cy"]')
    connection = memory()
    insert(connection, [experiment_row(), item_row(task="character_guessing"), prompt])
    insert(connection, [cell_row(prompt, key="k"), reply_row("k", text="P0: Ann\nP1: Bob")])

    score_replies(connection)

    assert scores(connection) == [("k", GUESSING, '{"P0":"Ann","P1":"Bob"}', None, 2, 3)]
    assert ask(connection, "SELECT answer, gold FROM results").rows == [
        ("P0: Ann; P1: Bob", "P0: Ann; P1: Bob; P2: Cy")
    ]
