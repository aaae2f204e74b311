"""The view answered_choices: hand-made rows in, values worked out by hand out."""

from __future__ import annotations

from dataclasses import replace

from store.insert import insert
from store.read import Connection, ask
from store.rows import CellRow, PromptRow, Row
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    item_row,
    later,
    memory,
    prompt_row,
    run_row,
    score_row,
)


def store(*rows: Row) -> Connection:
    connection = memory()
    insert(connection, rows)
    return connection


def asked(
    who: str = "Ann", names: str = "original", prompt: str = "baseline", name_map: str = "{}"
) -> PromptRow:
    """A prompt about a character; the gold has its name as shown, whatever it is."""
    made = prompt_row(who, names, prompt, gold='{"target":"as shown"}', chance=None)
    return replace(made, name_map=name_map)


def choices(connection: Connection, columns: str) -> list[tuple[object, ...]]:
    return ask(connection, f"SELECT {columns} FROM answered_choices ORDER BY ALL").rows


def held(prompt: PromptRow, *scores: Row, cells: tuple[CellRow, ...] = ()) -> Connection:
    """One plan about Ann with a prompt, its cells and their scores."""
    item = item_row("Ann", task="most_similar_character")
    return store(experiment_row(), item, prompt, *cells, *scores)


def one_answer(prompt: PromptRow, answer: str | None) -> Connection:
    cell = cell_row(prompt)
    unparsed = "no name" if answer is None else None
    score = score_row(cell, 0, units=0, answer=answer, unparsed=unparsed)
    return held(prompt, score, cells=(cell,))


def test_an_answer_is_one_row_under_the_names_of_its_cell() -> None:
    """Where it comes from, who was asked about, and who was chosen."""
    found = ask(one_answer(asked(), '{"1":"Bob"}'), "SELECT * FROM answered_choices").records()

    assert found == [
        {
            "experiment": "small",
            "dataset": "excerpts",
            "work": "Emma",
            "task": "most_similar_character",
            "model": "m",
            "names": "original",
            "prompt": "baseline",
            "character": "Ann",
            "sample": 0,
            "rank": 1,
            "chosen": "Bob",
        }
    ]


def test_ranks_are_numbers() -> None:
    """In JSON "10" stands before "2"; as a rank it comes after."""
    names = {str(at): f"N{at}" for at in range(1, 11)}
    answer = "{" + ",".join(f'"{at}":"{names[at]}"' for at in sorted(names)) + "}"
    assert answer.index('"10"') < answer.index('"2"')

    found = choices(one_answer(asked(), answer), "rank, chosen")

    assert found == [(at, f"N{at}") for at in range(1, 11)]


def test_replaced_names_are_read_backwards() -> None:
    """Also where one is shown under another's name, which forwards would lead to a third."""
    swapped = asked("Ann", "cross_culture", "gist", '{"Ann":"Bob","Bob":"Cid","Cid":"Ann"}')

    found = choices(one_answer(swapped, '{"1":"Cid","2":"Ann"}'), "names, prompt, rank, chosen")

    assert found == [
        ("cross_culture", "gist", 1, "Bob"),
        ("cross_culture", "gist", 2, "Cid"),
    ]


def test_a_name_that_the_map_does_not_hold_was_shown_as_it_is() -> None:
    found = choices(one_answer(asked(name_map='{"Ann":"Mei"}'), '{"1":"Dot","2":"Mei"}'), "chosen")

    assert found == [("Ann",), ("Dot",)]


def test_names_with_signs_of_json_paths_are_names() -> None:
    """A key that begins with a sign is no path into the map."""
    prompt = asked(name_map='{"$.a":"/b","Mr. \\"O\\"":"N1"}')

    assert choices(one_answer(prompt, '{"1":"/b","2":"N1"}'), "rank, chosen") == [
        (1, "$.a"),
        (2, 'Mr. "O"'),
    ]


def test_each_sample_has_its_rows_and_an_unread_one_none() -> None:
    """Four samples: two answers that are the same, one reply without any, one still to come."""
    prompt = asked()
    cells = tuple(cell_row(prompt, sample=sample) for sample in range(4))
    scores = (
        score_row(cells[0], 0, units=0, answer='{"1":"Bob"}'),
        score_row(cells[1], 0, units=0, answer=None, unparsed="no name"),
        score_row(cells[2], 0, units=0, answer='{"1":"Bob"}'),
    )

    found = choices(held(prompt, *scores, cells=cells), "sample, chosen")

    assert found == [(0, "Bob"), (2, "Bob")]


def test_cells_that_share_a_reply_each_have_its_answer() -> None:
    prompt = asked()
    cells = tuple(
        cell_row(prompt, model=model, key="one", is_first=model == "a") for model in ("a", "b")
    )
    score = score_row(cells[0], 0, units=0, answer='{"1":"Bob"}')

    assert choices(held(prompt, score, cells=cells), "model, chosen") == [
        ("a", "Bob"),
        ("b", "Bob"),
    ]


def test_only_the_newest_reading_counts() -> None:
    prompt = asked()
    cell = cell_row(prompt)
    old = score_row(cell, 0, units=0, answer='{"1":"Bob"}')
    new = score_row(cell, 0, units=0, version=2, answer='{"1":"Dot"}')

    assert choices(held(prompt, old, new, cells=(cell,)), "chosen") == [("Dot",)]


def test_only_the_plan_that_was_run_last_counts() -> None:
    """An experiment whose file has changed has answers of the earlier plan too."""
    first, second = asked("Ann"), asked("Bob")
    cells = (
        cell_row(first, experiment_id="plan-1"),
        cell_row(second, experiment_id="plan-2"),
    )
    connection = store(
        experiment_row("plan-1"),
        experiment_row("plan-2", planned_at=later(1)),
        run_row("plan-1"),
        run_row("plan-2", run_id="second"),
        *(item_row(who, task="most_similar_character") for who in ("Ann", "Bob")),
        first,
        second,
        *cells,
        *(score_row(cell, 0, units=0, answer='{"1":"Dot"}') for cell in cells),
    )

    assert choices(connection, "character, chosen") == [("Bob", "Dot")]


def test_answers_to_other_tasks_are_none() -> None:
    """A title and speakers are no characters that are like one."""
    prompt = prompt_row("Ann")
    cell = cell_row(prompt)
    speakers = replace(prompt_row("Bob", gold='{"P0":"Bob"}'), prompt_hash="other")
    other = cell_row(speakers)

    found = store(
        experiment_row(),
        item_row("Ann"),
        item_row("Bob"),
        prompt,
        speakers,
        cell,
        other,
        score_row(cell, 1),
        score_row(other, 1, answer='{"P0":"Bob"}'),
    )

    assert choices(found, "*") == []
