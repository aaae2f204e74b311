"""Own models that answer as GPT-4 did have GPT-4's numbers, the reference's, in both modes.

Their answers go the whole way: replies, parsers, scores, replaced names read backwards, the view
and the tables. Reads the reference copies beside the project, and is skipped where they are absent.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from analysis.cells import Cell
from analysis.studies import StudyTable
from analysis.studies.austenalike.data import Data
from analysis.studies.austenalike.gpt4 import read_choices
from tests.analysis import own_for_tests as own
from tests.analysis.own_for_tests import Answers, Said
from tests.analysis.published_for_tests import PUBLISHED, SHARED, Tables

GOLDEN: Final = SHARED / "golden" / "austenalike" / "expected.json"
MODES: Final = ("published", "clean")
TASKS: Final = {
    "gpt4_plain": own.ONE,
    "gpt4_reasoning": own.REASONED,
    "gpt4_top10": own.TEN,
}

pytestmark = pytest.mark.skipif(
    not (PUBLISHED.is_dir() and GOLDEN.is_file()),
    reason="the published files and their reference numbers are not beside the project",
)


def replies(system: str) -> dict[str, list[Said]]:
    """GPT-4's answers as five replies about each character, or as many lists as they make.

    Nothing marks where one of its lists of ten ended, so that one ends here after ten names or
    before a name that it has already. None of the parsers takes a name twice.
    """
    found: dict[str, list[list[str]]] = {}
    for row in read_choices(Data(PUBLISHED), "", system):
        lists = found.setdefault(row.character, [])
        if not lists or system != "gpt4_top10" or len(lists[-1]) == 10 or row.chosen in lists[-1]:
            lists.append([])
        lists[-1].append(row.chosen)
    return {name: list(lists) for name, lists in found.items()}


LIMITED: Final = 5
UNREAD: Final = "Emma Woodhouse"


@pytest.fixture(scope="module")
def tables(published_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """With four models: two that answer as GPT-4 did, two that answer a part of it.

    The list's names are shown to the first as they are, and to the second each as its neighbour's.
    """
    path = tmp_path_factory.mktemp("asked") / "store"
    shutil.copytree(published_store, path)
    listed = Data(PUBLISHED).asked
    turned = dict(zip(listed, (*listed[1:], listed[0]), strict=True))
    made = []
    for system, task in TASKS.items():
        said = replies(system)
        whole = Answers(said=said, offered=listed, task=task, model="same")
        few = {name: said[name] for name in listed[:LIMITED]}
        gap = said | {UNREAD: [None for _ in said[UNREAD]]}
        made += [
            whole,
            replace(whole, names="cross_culture", prompt="gist", shown=turned),
            replace(whole, model="few", said=few),
            replace(whole, model="gap", said=gap),
        ]
    return Tables(own.ask(path, *made))


@pytest.fixture(scope="module", params=MODES)
def table(request: pytest.FixtureRequest, tables: Tables) -> StudyTable:
    return tables(str(request.param))


def by_place(table: StudyTable, row: str) -> dict[tuple[str, str], Cell]:
    return {(cell.table, cell.column): cell for cell in table.cells if cell.row == row}


@pytest.mark.parametrize("system", TASKS)
@pytest.mark.parametrize("condition", ["", " cross_culture+gist"])
def test_the_same_answers_have_the_same_cells(
    system: str, condition: str, table: StudyTable
) -> None:
    """Value, n and interval of every cell, whatever names they were asked about under."""
    theirs = by_place(table, system)

    ours = by_place(table, f"same {TASKS[system]}{condition}")

    assert {
        place: replace(cell, row=system, paper=theirs[place].paper) for place, cell in ours.items()
    } == theirs
    ten = 1 if table.mode == "published" else 2
    assert len(ours) == (ten if system == "gpt4_top10" else 2 * 7 + 2 * 5 + 1)


def test_the_published_cells_are_the_reference_s(tables: Tables) -> None:
    """The numbers worked out independently for GPT-4, to six decimals, with their cases."""
    content: dict[str, dict[str, dict[str, Any]]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    table = tables("published")
    checked = 0
    for system, task in TASKS.items():
        ours = by_place(table, f"same {task}")
        for name, rows in content.items():
            for column, entry in ({} if name.startswith("_") else rows.get(system, {})).items():
                cell = ours[name.removeprefix("Table "), column]
                assert cell.value == pytest.approx(entry["computed"], abs=5.1e-7)
                assert "n" not in entry or cell.n == entry["n"]
                checked += 1

    assert checked == 2 * (2 * 7 + 2 * 5 + 1) + 1


@pytest.mark.parametrize("mode", MODES)
def test_no_other_cell_changes(mode: str, published_tables: Tables, tables: Tables) -> None:
    """Those of a store that nobody was asked from; GPT-4's misses count alone in section 6.1.2."""
    models = {"same", "few", "gap"}
    with_own, without = tables(mode), published_tables(mode)

    kept = [cell for cell in with_own.cells if cell.row.split(" ")[0] not in models]
    assert tuple(kept) == without.cells
    assert len(with_own.cells) > len(kept)
    assert with_own.notes[: len(without.notes)] == without.notes


def test_of_a_part_of_the_list_that_part_counts(table: StudyTable) -> None:
    """Asked about five, all of them in the groups of gender: n is five, or fewer where few fit."""
    one, ten = by_place(table, f"few {own.ONE}"), by_place(table, f"few {own.TEN}")

    assert one["7", "gender"].n == LIMITED
    assert one["4", "top10"].n == ten["4", "jaccard"].n
    assert 0 < ten["4", "jaccard"].n <= LIMITED
    assert max(cell.n for cell in one.values()) == LIMITED


def test_one_without_an_answer_is_missing(table: StudyTable) -> None:
    """From every n it would be in; the note says who, and in which columns."""
    same, gap = by_place(table, f"same {own.ONE}"), by_place(table, f"gap {own.ONE}")
    ten, ten_gap = by_place(table, f"same {own.TEN}"), by_place(table, f"gap {own.TEN}")

    less = {place: same[place].n - gap[place].n for place in same}
    assert {place for place, count in less.items() if count and place[0] in {"4", "6", "7"}} == {
        ("6", "heroine"),
        ("7", "gender"),
        ("7", "age"),
        ("7", "income"),
        ("7", "rank"),
        ("7", "maritalStatus"),
        ("4", "top10"),
    }
    assert set(less.values()) <= {0, 1}
    assert ten["4", "jaccard"].n - ten_gap["4", "jaccard"].n == 1
    (note,) = [each for each in table.notes if each.startswith(f"gap {own.ONE}:")]
    assert "asked about 109 of the 109 characters of its list, 545 questions, 545 replies" in note
    assert "540 answers read. No answer about 1: Emma Woodhouse. With an answer: Heroine " in note


def test_characters_nobody_was_asked_about_repeat_only_for_whole_lists(tables: Tables) -> None:
    """Experts know 111, of whom 107 are on the list: of those asked about, one is missing."""
    table = tables("published")

    assert by_place(table, f"same {own.TEN}")["4", "jaccard"].n == 111
    assert by_place(table, f"gap {own.TEN}")["4", "jaccard"].n == 110
    assert by_place(tables("clean"), f"gap {own.TEN}")["4", "jaccard"].n == 106
