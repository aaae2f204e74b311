"""Own models in the study for any corpus: by hand, and against plain Python on drawn answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Final

import numpy as np
import pytest

from analysis.cells import Cell
from analysis.similarity import load
from analysis.similarity.rows import AnsweredPairs, answered_pairs
from analysis.sql import query
from analysis.studies import Asked, ExperimentStudy, Inputs, StudyTable, bring_in, find_study
from store.read import open_read
from tests.analysis import corpora_for_tests as toys
from tests.analysis import own_for_tests as own
from tests.analysis.corpora_for_tests import GROUPS, MATRIX, NAMES, PAIRS, WORKS
from tests.analysis.own_for_tests import Answers, Said

SAID: Final[dict[str, list[Said]]] = {
    "Ann": [["Bob"]],
    "Bob": [["Cid"]],
    "Cid": [["Cid"]],
    "Dot": [["Bob"]],
    "Fay": [None],
}
LISTS: Final[dict[str, list[Said]]] = {
    "Ann": [["Cid", "Bob", "Fay"], ["Dot", "Cid"]],
    "Eve": [["Eve", "Ann"]],
    "Bob": [["Ann", "Dot"]],
}
ONE: Final = Answers(said=SAID, offered=NAMES)
TEN: Final = Answers(said=LISTS, offered=[*NAMES, *(f"X{at}" for at in range(5))], task=own.TEN)
"""Ann, Bob and Dot are kings, the others fools; of Ann experts name Bob and then Dot."""


def made(tmp_path: Path, *asked: Answers) -> StudyTable:
    """The tables of the small corpus, on whose characters models were asked."""
    study = find_study("similarity")
    assert study is not None
    assert not isinstance(study, ExperimentStudy)
    works = WORKS | {f"X{at}": "B" for at in range(5)}
    store = toys.hold(tmp_path / "store", toys.cast(works), toys.vectors(NAMES, MATRIX))
    own.ask(store, *asked)
    for name, text in (("g.tsv", GROUPS), ("p.tsv", PAIRS)):
        (tmp_path / name).write_bytes(text.encode())
    inputs = Inputs(corpus=toys.CORPUS, groups=tmp_path / "g.tsv", pairs=tmp_path / "p.tsv")
    return study.table(bring_in(store, study, inputs), Asked(inputs=inputs, mode="clean"))


def cells(table: StudyTable, row: str) -> dict[tuple[str, str], Cell]:
    return {(cell.table, cell.column): cell for cell in table.cells if cell.row == row}


def test_a_choice_is_held_against_groups_and_pairs(tmp_path: Path) -> None:
    """By hand. Kings: Ann and Dot choose Bob, a king, and Bob a fool; Cid chooses nobody else.

    Of experts' pairs Ann has Bob and Dot has Bob, Bob and Cid have none; Fay has no answer. In the
    other work, Bob's of Dot alone.
    """
    table = made(tmp_path, ONE)

    found = cells(table, f"m {own.ONE}")
    king, fool = found["most similar: role", "king"], found["most similar: role", "fool"]
    assert king.value == pytest.approx(2 / 3)
    assert (king.n, fool.n, fool.value) == (3, 0, None)
    other = found["most similar: role, other works", "king"]
    assert (other.value, other.n) == (1.0, 1)
    assert (found["pairs", "top10"].value, found["pairs", "top10"].n) == (0.5, 4)
    assert {place for place in found if place[0] == "pairs"} == {("pairs", "top10")}
    assert table.labels[f"m {own.ONE}"] == "m"
    assert (
        "m most_similar_character: asked about 5 of the 6 characters of its list, 5 questions,"
        " 5 replies, 4 answers read. No answer about 1: Fay. With an answer: role fool 1 of 2,"
        " experts' pairs 4 of 5. 1 of its answers names the character itself."
    ) in table.notes


def test_lists_of_ten_are_held_against_pairs_alone(tmp_path: Path) -> None:
    """By hand: Ann {Cid, Bob, Fay, Dot} of {Bob, Dot}, Eve {Ann} of {Cid, Fay}, Bob as experts."""
    table = made(tmp_path, TEN)

    found = cells(table, f"m {own.TEN}")
    assert set(found) == {("pairs", "jaccard"), ("pairs", "top10")}
    assert found["pairs", "jaccard"].value == pytest.approx((2 / 4 + 0 / 3 + 2 / 2) / 3)
    assert found["pairs", "top10"].value == pytest.approx((1 + 0 + 1) / 3)
    assert found["pairs", "top10"].n == 3


def test_own_rows_stand_last_and_leave_the_others_alone(tmp_path: Path) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()

    table = made(tmp_path / "with", ONE, replace(ONE, task=own.REASONED), TEN)
    before = made(tmp_path / "without")

    assert [cell for cell in table.cells if not cell.row.startswith("m ")] == list(before.cells)
    rows = list(dict.fromkeys(cell.row for cell in table.cells if cell.table == "pairs"))
    assert rows == ["booknlp_quotes", f"m {own.ONE}", f"m {own.REASONED}", f"m {own.TEN}"]


def test_another_corpus_s_list_is_left_out(tmp_path: Path) -> None:
    table = made(tmp_path, replace(ONE, offered=[*NAMES, "Zoe"], said={"Zoe": [["Ann"]]}))

    assert not [cell for cell in table.cells if cell.row.startswith("m ")]
    assert (
        "The answers of the experiment mine on the list list are left out: 'Zoe', one of its 7"
        " names, is not of the corpus toys."
    ) in table.notes


CHARACTERS: Final = [f"N{number:02}" for number in range(24)]
OFFERED: Final = CHARACTERS[:22]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_agreement_is_that_worked_out_in_plain_python(seed: int, tmp_path: Path) -> None:
    """Drawn answers, of which some are read and some name the character itself, many ties."""
    rng = np.random.default_rng(seed)
    counts = {
        (a, b): int(rng.integers(0, 4))
        for at, a in enumerate(CHARACTERS)
        for b in CHARACTERS[at + 1 :]
        if rng.random() < 0.8
    }
    said: dict[str, list[Said]] = {
        name: [
            [OFFERED[at] for at in rng.permutation(22)[: int(rng.integers(1, 11))]]
            if rng.random() < 0.8
            else None
            for _ in range(3)
        ]
        for name in OFFERED[:12]
    }
    said[OFFERED[12]] = [[OFFERED[12]]]
    store = toys.hold(
        tmp_path / "store",
        toys.cast(dict.fromkeys(CHARACTERS, "W")),
        toys.pairs((a, b, n) if n % 2 else (b, a, n) for (a, b), n in counts.items()),
        toys.vectors(CHARACTERS, rng.normal(size=(24, 4)).astype(np.float32)),
    )
    own.ask(store, Answers(said=said, offered=OFFERED, task=own.TEN))
    reader = open_read(store)
    relations = load(reader, toys.CORPUS, ["made"])

    rows = {row.character: row for row in answered_pairs(relations.connection, "")}

    both = {**counts, **{(b, a): n for (a, b), n in counts.items()}}
    assert set(rows) == {name for name, lists in said.items() if any(lists)}
    for name, row in rows.items():
        named = {b: n for (a, b), n in both.items() if a == name and n > 0 and b in OFFERED}
        _check(row, named, _in_order(name, said[name]))
    assert any(0 < row.top_share < 1 for row in rows.values())
    assert rows[OFFERED[12]].jaccard == rows[OFFERED[12]].choice_share == 0
    by_hand = f"""
        WITH character_choices AS (
            SELECT 'toys' AS corpus, 'm {own.TEN}' AS system, character, sample, rank, chosen
            FROM answered_choices),
        offered AS (
            SELECT 'toys' AS corpus, 'm {own.TEN}' AS system, name
            FROM (\n{query("similarity/offered")}\n))
        FROM (\n{query("similarity/answers_in_pairs")}\n)"""
    here = relations.connection.execute(query("similarity/answers_in_pairs")).fetchall()
    assert reader.answer(by_hand).rows == here


def _in_order(name: str, lists: list[Said]) -> list[str]:
    """Whom the lists give, the most often given first, of these the one that came first."""
    given = [other for each in lists for other in each or () if other != name]
    return sorted(dict.fromkeys(given), key=lambda other: -given.count(other))[:10]


def _check(row: AnsweredPairs, named: dict[str, int], ten: list[str]) -> None:
    """A row against the definitions, with the tenth place shared."""
    counts = list(named.values())
    weights = {
        other: min(1.0, max(0.0, (10 - sum(m > n for m in counts)) / counts.count(n)))
        for other, n in named.items()
    }
    common = sum(weights.get(other, 0.0) for other in ten)
    assert row.jaccard == pytest.approx(common / (min(10, len(named)) + len(ten) - common))
    most = [other for other, n in named.items() if n == max(counts)]
    assert row.top_share == pytest.approx(mean(other in ten for other in most))
    assert row.choice_share == pytest.approx(weights.get(ten[0], 0.0) if ten else 0.0)
