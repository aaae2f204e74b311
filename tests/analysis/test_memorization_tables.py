"""The tables of the memorization study over a hand-made store; numbers are worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from analysis.errors import BadRequest, NoSuchTable
from analysis.studies.memorization import STUDY
from analysis.studies.scores import Score
from analysis.studies.study import AskedOf, StudyTable
from store.read import Connection, ask
from tests.analysis.memorization_for_tests import GIST, NR, ORIGIN, Asked, marks, put
from tests.store.rows_for_tests import memory

GUESS = "character_guessing tvshowguess options"
SOURCE = "source_identification excerpts open"
FLAGS = {"i000": ["title_in_text"], "i001": ["title_in_text"]}
VERBATIM = ("original", "verbatim")


def stored(*asked: Asked) -> Connection:
    connection = memory()
    put(connection, asked)
    return connection


def table(connection: Connection, asked: AskedOf | None = None) -> StudyTable:
    return STUDY.table(connection, asked or AskedOf())


def score(made: StudyTable, name: str, row: str, column: str, kind: str = "level") -> Score:
    """The one there is, of the only model."""
    found = [
        cell
        for cell in made.cells
        if isinstance(cell, Score)
        and (cell.table, cell.row, cell.column, cell.kind) == (name, row, column, kind)
    ]
    assert len(found) == 1, [(each.table, each.row, each.column) for each in made.cells]
    return found[0]


def rows_of(made: StudyTable, name: str) -> list[str]:
    cells = [cell.row for cell in made.cells if cell.table == name]
    return list(dict.fromkeys(cells))


THREE = (
    Asked(marks=marks("1111011101")),  # 8 of 10
    Asked(marks=marks("1100011000"), condition=NR),  # 4 of 10
    Asked(marks=marks("1100000000"), condition=GIST),  # 2 of 10
)


def test_table_three_is_levels_and_paired_changes_in_percent() -> None:
    """78.2 and 32.0 are the paper's, shown as printed and used for nothing."""
    made = table(stored(*THREE), AskedOf(models={"m": "GPT-4o"}))

    levels = [score(made, "3", GUESS, name) for name in ("Origin", "NR", "NR+GIST")]
    lost = score(made, "3", GUESS, "NR", "change")
    more = score(made, "3", GUESS, "NR+GIST", "change")

    assert [each.value for each in levels] == pytest.approx([80, 40, 20])
    assert [each.paper for each in levels] == ["78.2", "32.0", "31.5"]
    assert [each.n for each in levels] == [10, 10, 10]
    assert [lost.value, more.value] == pytest.approx([-40, -20])
    assert [lost.paper, more.paper] == ["-46.2", "-0.5"]
    assert lost.interval is not None
    assert lost.interval.low < -40 < lost.interval.high <= 0
    assert lost.p == pytest.approx(2 / 2**4)
    assert lost.facts["test"] == "exact McNemar"


def test_a_level_is_the_view_s_number() -> None:
    """Whoever reads the table can ask for it; each record says by which columns."""
    connection = stored(
        *THREE,
        Asked(marks={"a": 0.25, "b": 0.5}, task="summarization", dataset="summscreen"),
        Asked(marks={"a": 0.5, "b": 1.0, "c": 0.0}, task="coreference", dataset="litbank"),
    )
    keys = ("task", "dataset", "choices", "wording", "descriptions", "model", "names", "prompt")

    found = 0
    for record in table(connection).records():
        if record["kind"] == "level" and record["task"] != "all tasks" and not record["flag"]:
            where = " AND ".join(f"{key} = '{record[key]}'" for key in keys)
            rows = ask(connection, f"SELECT 100 * value FROM headlines WHERE {where}").rows
            assert rows == [(record["value"],)]
            found += 1
    assert found >= 5


def test_the_interval_of_a_level_is_the_mean_s() -> None:
    """Ten items, eight right: t with 9 degrees of freedom times sqrt(0.8 * 0.2 / 9), cut at 100."""
    level = score(table(stored(*THREE)), "3", GUESS, "Origin")

    reach = 2.262157 * (0.8 * 0.2 / 9) ** 0.5
    assert level.interval is not None
    assert level.interval.low == pytest.approx(100 * (0.8 - reach), abs=2.5)
    assert level.interval.high == 100


def test_what_was_not_asked_is_not_there_and_what_is_undefined_says_why() -> None:
    """Never 0: no NR+GIST, no reply to NR, and an origin of one item."""
    made = table(
        stored(Asked(marks={"a": 1.0}), Asked(marks={"a": None}, condition=NR)),
    )

    origin, nr = (score(made, "3", GUESS, name) for name in ("Origin", "NR"))
    change = score(made, "3", GUESS, "NR", "change")

    assert (origin.value, origin.interval, origin.undefined) == (100, None, "fewer than 2 items")
    assert (nr.value, nr.undefined) == (None, "no reply could be scored yet")
    assert (change.value, change.undefined) == (None, "no item has replies under both conditions")
    assert not any(cell.column == "NR+GIST" for cell in made.cells)


def test_missing_replies_are_marked_and_their_bounds_told() -> None:
    """Of 10 items one lacks its NR reply: 5 % of the pairs' replies.

    Over all ten items origin has 8; NR between 4 and 5 of 10, so the change is -40 to -30.
    """
    made = table(
        stored(
            Asked(marks=marks("1111011101")),
            Asked(marks=marks("110001100-"), condition=NR),
        )
    )

    change = score(made, "3", GUESS, "NR", "change")

    assert change.missing == pytest.approx(1 / 20)
    assert change.lacks
    assert [change.lowest, change.highest] == pytest.approx([-40, -30])
    assert any("TVShow Guess, m, NR (5.0 %): ↓40.0 to ↓30.0" in note for note in made.notes)


def source(text: str, condition: tuple[str, str] = ORIGIN) -> Asked:
    return Asked(
        marks=marks(text),
        condition=condition,
        task="source_identification",
        dataset="excerpts",
        choices="open",
        flags=FLAGS,
    )


def test_source_identification_has_a_row_for_each_part_by_flag() -> None:
    """Two items with the title in their text, both right; of the others 1 of 4, then 0."""
    made = table(stored(source("111000"), source("110000", NR)))

    assert rows_of(made, "3") == [SOURCE, f"{SOURCE} title_in_text", f"{SOURCE} -title_in_text"]
    values = [score(made, "3", row, "Origin").value for row in rows_of(made, "3")]
    changes = [score(made, "3", row, "NR", "change") for row in rows_of(made, "3")]
    assert values == pytest.approx([50, 100, 25])
    assert [each.value for each in changes] == pytest.approx([-100 / 6, 0, -25])
    assert [each.n for each in changes] == [6, 2, 4]
    assert changes[1].undefined == "no item differs"


def test_a_flag_that_no_item_lacks_parts_nothing() -> None:
    made = table(stored(source("11"), source("10", NR)))

    assert rows_of(made, "3") == [SOURCE]


def test_all_tasks_is_the_mean_of_the_tasks() -> None:
    """Guessing goes from 80 to 40, answers to questions from 50 to 25: -32.5 in the mean."""
    questions = {"task": "question_answering", "dataset": "friendsqa"}
    made = table(
        stored(
            *THREE[:2],
            Asked(marks=marks("1100"), **questions),  # type: ignore[arg-type]  # two texts
            Asked(marks=marks("1000"), condition=NR, **questions),  # type: ignore[arg-type]
        )
    )

    assert rows_of(made, "3")[-1] == "all tasks"
    assert score(made, "3", "all tasks", "Origin").value == pytest.approx(65)
    assert score(made, "3", "all tasks", "NR", "change").value == pytest.approx(-32.5)


def test_figure_five_is_origin_against_nr_gist() -> None:
    made = table(stored(*THREE), AskedOf(models={"m": "GPT-4o"}))

    change = score(made, "Figure 5", GUESS, "NR+GIST from Origin", "change")

    assert change.value == pytest.approx(-60)
    assert change.paper == "-46.7"


def test_descriptions_are_held_against_none() -> None:
    """Section 5.2: origin 50 and with them 75, NR 25 and with them 25."""
    told = "gpt4"
    made = table(
        stored(
            Asked(marks=marks("1100")),
            Asked(marks=marks("1110"), descriptions=told),
            Asked(marks=marks("1000"), condition=NR),
            Asked(marks=marks("0100"), condition=NR, descriptions=told),
        )
    )
    name = "descriptions gpt4"

    assert score(made, name, GUESS, "Origin, described", "change").value == pytest.approx(25)
    assert score(made, name, GUESS, "NR, described", "change").value == pytest.approx(0)
    assert score(made, name, GUESS, "NR, described").value == pytest.approx(25)
    assert [each.table for each in made.layouts] == [
        "3, descriptions none",
        "3, descriptions gpt4",
        name,
    ]


def test_wordings_have_a_table_each_and_one_of_their_spread() -> None:
    """Changes of -40 and -20 points: -30 in the mean."""
    made = table(
        stored(
            *THREE[:2],
            Asked(marks=marks("1111000000"), wording="short"),
            Asked(marks=marks("1100000000"), wording="short", condition=NR),
        )
    )

    change = score(made, "wordings", GUESS, "NR", "change")
    assert [each.table for each in made.layouts] == [
        "3, wording own",
        "3, wording short",
        "wordings",
    ]
    assert change.value == pytest.approx(-30)
    assert change.n == 2
    assert change.interval is not None
    assert (change.interval.low, change.interval.high) == pytest.approx((-40, -20))


def test_the_paper_s_other_models_have_columns_on_request() -> None:
    """Also of tasks that were not asked; none for a model that one of the user's stands for."""
    connection = stored(*THREE)

    without = table(connection, AskedOf(models={"m": "GPT-4o"}))
    made = table(connection, AskedOf(models={"m": "GPT-4o"}, paper=True))

    own = [cell for cell in made.cells if isinstance(cell, Score) and cell.table == "3"]
    groups = list(dict.fromkeys(cell.group for cell in own))
    assert groups == ["m", "LLaMA3.3-70B, the paper's", "DeepSeek V3, the paper's"]
    assert len(rows_of(made, "3")) == 6
    assert len(rows_of(without, "3")) == 1
    assert [cell.paper for cell in own if cell.row == "PERSONET" and cell.group == groups[2]] == [
        "44.0", "40.0", "-4.0", "38.0", "-2.0",
    ]  # fmt: skip


def refusal(connection: Connection, experiment: str | None = None) -> str:
    with pytest.raises((BadRequest, NoSuchTable)) as caught:
        table(connection, AskedOf(experiment=experiment))
    return str(caught.value)


def test_an_experiment_is_named_where_there_are_several() -> None:
    """Or where the only one has none of the tasks, or another name."""
    connection = memory()
    empty = refusal(connection)
    put(connection, [Asked(marks={"a": 1.0}, task="most_similar_character")], "alike")
    other = refusal(connection)
    put(connection, THREE[:1], "one")
    one = table(connection).experiment
    put(connection, [Asked(marks={"z": 1.0})], "two")

    assert "no experiment with any of the tasks character_guessing, coreference" in empty
    assert other == empty
    assert one == "one"
    assert refusal(connection) == (
        "the store has several experiments with these tasks: one, two; name one with --of"
    )
    assert table(connection, AskedOf(experiment="two")).experiment == "two"
    assert "no experiment is called 'three'; the store has one, two" in refusal(connection, "three")


def undrawn(asked: Sequence[Asked]) -> list[str]:
    return list(table(stored(*asked)).undrawn)


def test_a_figure_whose_conditions_were_not_asked_says_which() -> None:
    assert undrawn(THREE) == [
        "Figure 2 is not drawn: character guessing under original names was asked with one prompt"
        " only.",
        "Figure 3 is not drawn: source identification was not asked with the prompt baseline.",
        "Figure 4 is not drawn: source identification was not asked.",
    ]
    assert undrawn([source("10"), source("10", NR)])[-1] == (
        "Figure 5 is not drawn: no task was asked both as origin (original, baseline) and as"
        " NR+GIST."
    )


def test_the_seed_moves_intervals_alone_and_the_same_seed_none() -> None:
    connection = stored(*THREE, Asked(marks=marks("1110001101"), condition=VERBATIM))

    first, again, other = (table(connection, AskedOf(seed=seed)).records() for seed in (None, 7, 8))

    assert first == again  # the experiment's own seed is 7
    assert [each["value"] for each in first] == [each["value"] for each in other]
    assert [each["low"] for each in first] != [each["low"] for each in other]


def test_a_note_says_how_much_is_lost_and_how_many_items_would_show_it() -> None:
    """Of guessing 80 % becomes 40 %: half of it; the numbers are those of the contrast."""
    made = table(stored(*THREE))
    change = score(made, "3", GUESS, "NR", "change")

    (said,) = [note for note in made.notes if "as share of origin" in note]

    assert said.startswith("m, NR against Origin, ")
    assert f" -50 %, {change.facts['needed']:,} items, {change.n} show " in said
