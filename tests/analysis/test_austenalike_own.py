"""Own models in the study's tables, on a small invented folder: numbers worked out by hand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from analysis.cells import Cell
from analysis.similarity import load
from analysis.similarity.rows import answered
from analysis.sql import query
from analysis.studies import StudyTable
from analysis.studies.austenalike.rows import own_query
from store.database import Database
from store.read import open_read
from tests.analysis import own_for_tests as own
from tests.analysis.own_for_tests import PENDING, Answers, Said
from tests.analysis.published_for_tests import (
    CAST,
    NAMES,
    ROLES,
    brought_in,
    long_code,
    table_of,
    write_lines,
    write_published,
)
from tests.store.served_for_tests import owning

ANN, BOB, CID, DORA, EVE, FINN, GUS, HAL, IDA, JIM, KAY, LOU = NAMES
"""Ann and Hal are heroes, Ann, Dora and Kay rivals, Bob and Ida heroines, Cid and Jim deceivers."""
SAID: Final[dict[str, list[Said]]] = {
    ANN: [[HAL], [BOB], [BOB], [HAL]],
    BOB: [[BOB], [BOB], None, None],
    CID: [None, [JIM], [CID], [CID]],
    DORA: [None, None, PENDING, None],
    EVE: [[FINN], [FINN], [EVE], [EVE]],
}
MINE: Final = Answers(said=SAID, offered=NAMES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_published(tmp_path_factory.mktemp("published") / "data")


@pytest.fixture(scope="module")
def bare(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return brought_in(tmp_path_factory.mktemp("store") / "store", folder)


@pytest.fixture(scope="module")
def before(bare: Path) -> StudyTable:
    """The tables that nobody was asked for."""
    return table_of(bare)


@pytest.fixture
def store(bare: Path, tmp_path: Path) -> Path:
    return shutil.copytree(bare, tmp_path / "store")


def cells(table: StudyTable, row: str = f"m {own.ONE}") -> dict[tuple[str, str], Cell]:
    return {(cell.table, cell.column): cell for cell in table.cells if cell.row == row}


def rates(table: StudyTable, number: str) -> dict[str, tuple[float | None, int]]:
    return {
        column: (cell.value, cell.n)
        for (own_table, column), cell in cells(table).items()
        if own_table == number
    }


def test_clean_rates_are_those_worked_out_by_hand(store: Path) -> None:
    """Of those named equally often the first: Ann's is Hal, a hero as she is, and no rival.

    Bob named only himself, Dora has no answer: neither counts. Cid's and Eve's choices of
    themselves are passed over for others; Eve, a wooer, has Finn, a parent. Without the same novel
    Eve's choice, who is of hers, is left out.
    """
    table = table_of(own.ask(store, MINE))

    nothing = (None, 0)
    assert rates(table, "6") == {
        "hero": (1.0, 1),
        "heroine": nothing,
        "deceiver": (1.0, 1),
        "rival": (0.0, 1),
        "wooer": (0.0, 1),
        "parent": nothing,
        "sibling": nothing,
    }
    assert rates(table, "2") == rates(table, "6") | {"wooer": nothing}


def test_published_rates_count_a_choice_of_oneself(store: Path) -> None:
    """Bob's choice of himself is a hit, and the row is the same without the same novel."""
    table = table_of(own.ask(store, MINE), "published")

    assert rates(table, "6")["heroine"] == (1.0, 1)
    assert rates(table, "6")["hero"] == (1.0, 1)
    assert rates(table, "2") == rates(table, "6")
    assert cells(table)["4", "top10"].n == 4


def test_the_note_says_whom_it_was_asked_about_and_what_is_missing(store: Path) -> None:
    table = table_of(own.ask(store, MINE))

    note, missing = table.notes[-2:]
    assert note == (
        "m most_similar_character: asked about 5 of the 12 characters of its list, 20 questions,"
        " 19 replies, 13 answers read. No answer about 1: Dora Dale. With an answer: Rival 1 of 2,"
        " Age 4 of 5, Gender 4 of 5, Income 1 of 2, Marital Status 4 of 5, Rank 4 of 5,"
        " experts' pairs 4 of 5. 6 of its answers name the character itself."
    )
    assert missing.startswith("A character without an answer that could be read is missing")


def test_rows_are_named_by_model_and_task_and_what_else_they_were_asked_under(
    store: Path,
) -> None:
    """The origin first, and after GPT-4; people read the condition in words."""
    every = [
        replace(MINE, task=task, names=names, prompt=prompt)
        for names, prompt in (
            ("original", "gist"),
            ("cross_culture", "gist"),
            ("masked", "baseline"),
        )
        for task in (own.ONE, own.REASONED)
    ]
    table = table_of(own.ask(store, *every, MINE))

    rows = list(dict.fromkeys(cell.row for cell in table.cells if cell.table == "7"))
    assert rows[-8:] == [
        "gpt4_reasoning",
        "m most_similar_character",
        "m most_similar_character cross_culture+gist",
        "m most_similar_character_reasoned cross_culture+gist",
        "m most_similar_character masked+baseline",
        "m most_similar_character_reasoned masked+baseline",
        "m most_similar_character original+gist",
        "m most_similar_character_reasoned original+gist",
    ]
    assert [table.labels[row] for row in rows[-7:-2]] == [
        "m",
        "m, cross culture names, gist prompt",
        "m Reasoning, cross culture names, gist prompt",
        "m, masked names",
        "m Reasoning, masked names",
    ]
    assert table.labels[rows[-2]] == "m, gist prompt"


@pytest.mark.parametrize(
    ("change", "row"),
    [
        ({"names": "masked"}, f"m {own.ONE} masked+baseline"),
        ({"prompt": "verbatim"}, f"m {own.ONE} original+verbatim"),
        ({"task": own.REASONED}, f"m {own.REASONED}"),
        ({"model": "n"}, f"n {own.ONE}"),
    ],
)
def test_answers_of_another_condition_task_or_model_are_not_mixed_in(
    change: dict[str, str], row: str, store: Path
) -> None:
    """Here Ann's choice is Hal, a hero, and there Kay, a rival; she is both."""
    here = replace(MINE, said={ANN: [[HAL]]})
    there = Answers(**{"said": {ANN: [[KAY], [KAY]]}, "offered": NAMES, **change})  # type: ignore[arg-type]

    table = table_of(own.ask(store, here, there))

    for name, hero, rival in ((f"m {own.ONE}", 1.0, 0.0), (row, 0.0, 1.0)):
        found = cells(table, name)
        assert (found["6", "hero"].value, found["6", "rival"].value) == (hero, rival)
        assert found["6", "hero"].n == 1


def test_two_experiments_with_a_model_of_one_name_are_two_rows(store: Path) -> None:
    """It may stand for another model in each."""
    other = replace(MINE, experiment="other", plan="own-2", said={ANN: [[KAY]]})

    table = table_of(own.ask(store, MINE, other))

    assert cells(table) == {}
    assert cells(table, f"m {own.ONE} (mine)")["6", "rival"].value == 0.0
    assert cells(table, f"m {own.ONE} (other)")["6", "rival"].value == 1.0
    assert table.labels[f"m {own.ONE} (other)"] == "m (other)"


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (("Hamlet", "Iago"), "none of its 2 names is of the corpus austenalike."),
        (
            (*NAMES, "Hamlet"),
            "'Hamlet', one of its 13 names, is not of the corpus austenalike.",
        ),
        (
            (*NAMES, "Hamlet", "Iago"),
            "2 of its 14 names, such as 'Hamlet', are not of the corpus austenalike.",
        ),
    ],
)
def test_another_list_is_left_out_and_said(
    offered: tuple[str, ...], said: str, before: StudyTable, store: Path
) -> None:
    """Whole or in part: nothing else changes."""
    table = table_of(
        own.ask(store, replace(MINE, offered=offered, said={offered[0]: [[offered[1]]]}))
    )

    assert table.cells == before.cells
    assert table.notes[:-1] == before.notes
    assert table.notes[-1] == (
        f"The answers of the experiment mine on the list list are left out: {said}"
    )


def test_a_model_without_any_answer_has_a_note_and_no_row(before: StudyTable, store: Path) -> None:
    table = table_of(own.ask(store, replace(MINE, said={ANN: [None, PENDING]})))

    assert table.cells == before.cells
    assert any(
        "2 questions, 1 replies, 0 answers read. No answer about 1: Ann" in note
        for note in table.notes
    )


def test_who_is_on_no_list_repeats_the_agreement_before_as_gpt_4_s(tmp_path: Path) -> None:
    """Lou, the last, whom experts know and nobody was asked about.

    So it is for a model that was asked about all whom GPT-4 was, also where it has no answer about
    Kay, the one before; a model that was asked about Ann alone has one row.
    """
    folder = write_published(tmp_path / "data")
    listed = NAMES[:-1]
    write_without_last(folder, listed)
    brought_in(tmp_path / "store", folder)
    tens: dict[str, list[Said]] = {
        name: [[listed[(at + step) % 11] for step in range(1, 11)]]
        for at, name in enumerate(listed)
    }
    whole = Answers(said=tens, offered=listed, task=own.TEN)
    gap = replace(whole, model="gap", said=tens | {KAY: [None]})
    few = replace(whole, model="few", said={ANN: tens[ANN]})

    table = table_of(own.ask(tmp_path / "store", whole, gap, few), "published")

    place = ("4", "jaccard")
    assert [cells(table, f"{name} {own.TEN}")[place].n for name in ("m", "gap", "few")] == [
        12,
        11,
        1,
    ]
    assert cells(table, "gpt4_top10")[place].n == 12
    by_rank = {name: agreement(name, tens[name]) for name in listed}
    assert cells(table, f"m {own.TEN}")[place].value == pytest.approx(
        (sum(by_rank.values()) + by_rank[KAY]) / 12
    )
    assert cells(table, f"gap {own.TEN}")[place].value == pytest.approx(
        (sum(by_rank.values()) - by_rank[KAY] + by_rank[JIM]) / 11
    )
    assert len({by_rank[KAY], by_rank[JIM]}) == 2


def agreement(character: str, said: list[Said]) -> float:
    """Ranks at which the answer and the experts' ten have the same name, as label sequences."""
    others = [name for name in NAMES if name != character]
    row = NAMES.index(character)
    experts = sorted(others, key=lambda name: -((row * NAMES.index(name)) % 5))[:10]
    same = sum(a == b for a, b in zip(said[0] or (), experts, strict=True))
    return same / (20 - same)


def write_without_last(folder: Path, listed: list[str]) -> None:
    """The same folder where the last character is in experts' pairs and in the cast alone."""
    write_lines(folder / "characters.tsv", [[name] for name in listed])
    roles = [[name, long_code(CAST[name]), ROLES[at % 7]] for at, name in enumerate(listed)]
    write_lines(folder / "benchmarks" / "austen-roles.tsv", roles)
    social = folder / "benchmarks" / "austen-social.tsv"
    social.write_bytes(b"\r\n".join(social.read_bytes().split(b"\r\n")[:-1]))
    for name in ("plain", "reasoning", "top10"):
        chosen = [[who, *[listed[(at + 1) % 11]] * 6] for at, who in enumerate(listed)]
        header = ["Character", "MostCommon", *(f"C{run}" for run in range(1, 6))]
        write_lines(folder / "gpt4" / f"{name}_results_t02.tsv", [header, *chosen])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("answers_in_groups", query("similarity/answers_in_groups")),
        ("asked_lists", own_query("asked_lists")),
    ],
)
def test_own_rows_can_be_worked_out_on_the_store_by_hand(name: str, text: str, store: Path) -> None:
    """The study's queries on the view of answers give the rows that the tables rest on."""
    own.ask(store, MINE)
    reader = open_read(store)
    relations = load(reader, "austenalike", ["published"])
    wanted = f"FROM (\n{text}\n) WHERE system = 'm most_similar_character' ORDER BY ALL"

    by_hand = reader.answer(f"""
        WITH character_choices AS (
            SELECT 'austenalike' AS corpus, model || ' ' || task AS system, character, sample,
                   rank, chosen
            FROM answered_choices WHERE names = 'original' AND prompt = 'baseline')
        {wanted}""").rows

    assert by_hand == relations.connection.execute(wanted).fetchall(), name
    assert by_hand
    reader.close()


def test_a_store_that_a_run_has_open_shows_its_answers(store: Path) -> None:
    own.ask(store, MINE)
    expected = table_of(store)
    with owning(store) as owner:
        assert owner.said
        served = table_of(store)

    assert served.cells == expected.cells
    assert served.notes == expected.notes
    assert cells(served)


def test_a_store_last_written_before_the_view_says_so(store: Path) -> None:
    """Read alone it cannot get one; its other tables are as ever."""
    before = table_of(store).cells
    own.ask(store, MINE)
    with Database(store) as database:
        database.call(lambda owner: owner.execute("DROP VIEW answered_choices"))

    table = table_of(store)

    assert table.cells == before
    assert table.notes[-1].startswith("Answers of the store's own models are left out: it was last")


def test_systems_are_found_whatever_the_order_of_samples(store: Path) -> None:
    """Rows come in with the last sample first; the first sample's choice still breaks the tie."""
    own.ask(store, MINE)

    relations = load(open_read(store), "austenalike", ["published"])
    chosen = {
        row.member.character: row.chosen
        for row in answered(relations.connection)
        if row.system == f"m {own.ONE}"
    }

    assert chosen == {ANN: HAL, BOB: None, CID: JIM, EVE: FINN}
