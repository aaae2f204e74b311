"""Reading replies anew: what is to be read, what it changes, and that nothing else does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from analysis.comparison.rescoring import Unread, plans_of, rescored, unread
from analysis.errors import NoSuchTable
from analysis.scoring import _MOST, Page, score_pages, score_replies
from prompts.tasks import TASKS, Answer, Unparsed
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

OLD = SOURCE_IDENTIFICATION.version
NEW = OLD + 1
REPLIES = {"a": "Emma", "b": "Dracula", "c": "It is Emma.", "d": "I cannot tell.", "e": "?"}


class Changed(SourceIdentification):
    """Takes "I cannot tell" for Emma, loses Dracula, and reads all else as before."""

    version = NEW

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        if reply.startswith("I cannot"):
            return Answer({"title": "Emma"})
        return Unparsed("lost") if reply == "Dracula" else super().parse(reply, gold, options)


def store() -> Connection:
    """Five items of one task under one condition, and one item of another task."""
    connection = memory()
    insert(connection, [experiment_row()])
    for key, text in REPLIES.items():
        prompt = prompt_row(key)
        insert(connection, [item_row(key), prompt, cell_row(prompt, key=key)])
        insert(connection, [reply_row(key, text=text)])
    guess = replace(prompt_row("g", gold='{"P0":"Ann"}', options='["Ann"]'), chance=None)
    insert(connection, [item_row("g", task="character_guessing"), guess])
    insert(connection, [cell_row(guess, key="g"), reply_row("g", text="P0: Ann")])
    return connection


def everything(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    tables = [row[0] for row in ask(connection, "SHOW TABLES").rows]
    held = "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
    bases = {row[0] for row in ask(connection, held).rows}
    return {
        str(name): ask(connection, f"FROM {name} ORDER BY ALL").rows
        for name in tables
        if name in bases
    }


@pytest.fixture
def both() -> Connection:
    """That store, read by the parser as it is and then by the changed one."""
    connection = store()
    score_replies(connection)
    with pytest.MonkeyPatch.context() as later:
        later.setitem(TASKS, "source_identification", Changed())
        score_replies(connection)
    return connection


def test_only_the_changed_task_is_read_and_only_scores_are_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection = store()
    score_replies(connection)
    before = everything(connection)
    monkeypatch.setitem(TASKS, "source_identification", Changed())

    pages = list(score_pages(connection))

    after = everything(connection)
    assert pages == [Page({"source_identification": 5})]
    added = [row for row in after.pop("scores") if row not in before["scores"]]
    assert len(added) == 5
    assert ask(connection, f"SELECT count(*) FROM scores WHERE version = {NEW}").rows == [(5,)]
    kept = ask(connection, f"FROM scores WHERE version <= {OLD} ORDER BY ALL").rows
    assert kept == before.pop("scores")
    assert after == before


def test_what_changed_is_counted_by_condition(
    both: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of five replies one is lost (it was wrong before, too) and one gained, which is right now."""
    monkeypatch.setitem(TASKS, "source_identification", Changed())

    (row,) = rescored(both).conditions

    counts = {name: row[name] for name in ("replies", "answers", "scores", "better", "worse")}
    assert counts == {"replies": 5, "answers": 2, "scores": 1, "better": 1, "worse": 0}
    assert (row["lost"], row["gained"]) == (1, 1)
    assert (row["from"], row["to"]) == (OLD, NEW)
    assert (row["score_before"], row["score_after"]) == (0.4, 0.6)


def test_examples_show_both_readings(both: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, "source_identification", Changed())

    found = {row["reply"]: row for row in rescored(both, examples=9).examples}

    assert set(found) == {"Dracula", "I cannot tell."}
    assert found["Dracula"]["answer_before"] == "Dracula"
    assert found["Dracula"]["unparsed_after"] == "lost"
    assert found["I cannot tell."]["answer_after"] == "Emma"
    assert len(rescored(both, examples=1).examples) == 1


def test_nothing_changed_where_each_reply_was_read_by_one_version(both: Connection) -> None:
    """To an older program the newer version's rows are no change of its own making."""
    assert rescored(both, examples=3).conditions == []


def test_the_last_version_before_is_what_the_present_one_is_held_against(
    both: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third version that reads as the first did: it gains what the second lost."""

    class Mended(SourceIdentification):
        version = NEW + 1

    monkeypatch.setitem(TASKS, "source_identification", Mended())
    score_replies(both)

    (row,) = rescored(both).conditions

    assert (row["from"], row["to"], row["lost"], row["gained"]) == (NEW, NEW + 1, 1, 1)
    assert (row["score_before"], row["score_after"]) == (0.6, 0.4)


def test_what_is_to_be_read_is_told_by_version(
    both: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    guessing = TASKS["character_guessing"].version
    prompt = prompt_row("late")
    insert(both, [item_row("late"), prompt, cell_row(prompt, key="late"), reply_row("late")])

    def told() -> set[tuple[str, int | None, int, bool, bool]]:
        return {
            (each.task, each.held, each.replies, each.to_read, each.read_by_a_later)
            for each in unread(both)
        }

    guessed = ("character_guessing", guessing, 1, False, False)
    assert told() == {
        guessed,
        ("source_identification", None, 1, True, False),
        ("source_identification", NEW, 5, False, True),
    }
    monkeypatch.setattr(Changed, "version", NEW + 1)
    monkeypatch.setitem(TASKS, "source_identification", Changed())
    assert told() == {
        guessed,
        ("source_identification", None, 1, True, False),
        ("source_identification", NEW, 5, True, False),
    }
    expected = Unread(task="character_guessing", held=guessing, version=guessing, replies=1)
    assert unread(both, tasks=["character_guessing"]) == [expected]


def test_reading_goes_on_where_it_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page is kept as soon as it is read; the rest is found again, and none is read twice."""
    monkeypatch.setitem(_MOST, "to_score", 2)
    connection = store()
    pages = score_pages(connection)
    first = next(pages)
    del pages

    left = sum(each.replies for each in unread(connection) if each.to_read)
    assert first.replies + left == 6
    assert score_replies(connection) == left
    assert ask(connection, "SELECT count(*), count(DISTINCT key) FROM scores").rows == [(6, 6)]


@pytest.mark.parametrize("most", [1, 2, 500])
def test_windows_of_texts_are_joined_a_few_texts_at_a_time(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Two plans that share the replies of three texts; one text has a window still to ask."""
    monkeypatch.setitem(_MOST, "to_join", most)
    connection = memory()
    insert(connection, [experiment_row("plan-1"), experiment_row("plan-2")])
    for text in "xyzw":
        for part in range(2):
            name = f"{text}#{part}"
            item = replace(item_row(name, task="summarization"), document=text, part=part, parts=2)
            prompt = prompt_row(name, gold='{"summary":"A boat."}', options="[]", chance=None)
            insert(connection, [item, prompt])
            cells = [cell_row(prompt, key=name, experiment_id=f"plan-{n}") for n in (1, 2)]
            insert(connection, cells)
            if name != "w#1":
                insert(connection, [reply_row(name, text="A boat.")])

    waiting = [each.replies for each in unread(connection) if each.to_read]
    assert waiting == [6]
    assert score_replies(connection) == 6
    assert ask(connection, "SELECT count(*), count(DISTINCT key) FROM scores").rows == [(6, 6)]
    assert unread(connection)[0].held == TASKS["summarization"].version


def test_only_the_cells_of_an_experiment_are_read_if_it_is_named() -> None:
    connection = store()
    insert(connection, [experiment_row("plan-2", experiment="second")])
    insert(connection, [cell_row(prompt_row("a"), key="a", experiment_id="plan-2")])
    plans = plans_of(connection, ["second"])

    assert [each.replies for each in unread(connection, plans=plans)] == [1]
    assert list(score_pages(connection, plans=plans)) == [Page({"source_identification": 1})]
    assert ask(connection, "SELECT key FROM scores").rows == [("a",)]
    with pytest.raises(NoSuchTable, match="no experiment is called 'third'; the store has second"):
        plans_of(connection, ["third"])


def test_a_likelihood_waits_to_be_measured_like_a_reply_to_be_read() -> None:
    connection = memory()
    prompt = replace(prompt_row("p"), text="Emma goes home.", names_at="[]")
    insert(connection, [experiment_row(), item_row("p", task="passage_likelihood"), prompt])
    insert(connection, [cell_row(prompt, key="p"), reply_row("p", text=None)])
    assert unread(connection) == []
    connection.execute(
        "INSERT INTO likelihoods BY NAME SELECT key, run_id, [0, 4, 9]::INTEGER[] AS offsets,"
        " [NULL, -1, -2]::FLOAT[] AS logprobs, true AS exact FROM replies"
    )

    assert [(each.task, each.replies) for each in unread(connection)] == [("passage_likelihood", 1)]
    assert score_replies(connection) == 1
    assert not any(each.to_read for each in unread(connection))
