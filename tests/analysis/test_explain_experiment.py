"""Every number of an experiment's tables is made again from the rows of its own query."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.errors import NoSuchTable
from analysis.explain.entries import Entry
from analysis.explain.experiment import experiment_entries
from analysis.explain.explanation import Numbers, held_against
from analysis.explain.matching import find, of_table
from store.database import Database
from store.insert import insert
from store.read import Connection, Reader, ask, open_read
from store.rows import RepeatRow, SetAsideRow
from tests.analysis.explained_for_tests import behind_all, number, one_of_each, verified
from tests.analysis.memorization_for_tests import GIST, NR, ORIGIN, Asked, marks, put
from tests.store.rows_for_tests import (
    AT,
    RUN,
    cell_row,
    failure_row,
    item_row,
    prompt_row,
    reply_row,
    run_row,
    score_row,
)
from tests.store.served_for_tests import owning

TASKS = {"character_guessing": "tvshowguess", "coreference": "moviecoref"}
FULL = ("one", "character_guessing")
"""What is asked in two wordings."""
TEXTS = {ORIGIN: "1111011101", NR: "1100011000", GIST: "11-0000001"}
HOSTILE = 'it\'s "quoted"; DROP TABLE cells --'
PLAN = "plan of mine"


def asked() -> Iterator[Asked]:
    """Two models and tasks, two wordings, replies missing, works that hold several items."""
    works = {f"i{at:03}": f"work {at % 7}" for at in range(10)}
    for model in ("one", "two"):
        for task, dataset in TASKS.items():
            for condition, text in TEXTS.items():
                own = text[3:] + text[:3] if model == "two" else text
                for wording in (None, "short") if (model, task) == FULL else (None,):
                    yield Asked(
                        marks=marks(own), condition=condition, task=task, dataset=dataset,
                        model=model, works=works, wording=wording,
                    )  # fmt: skip


def more(connection: Connection) -> None:
    """What the tables tell below: names left standing, requests that failed, repeats, notes."""
    insert(connection, [run_row(PLAN)])
    item = replace(item_row(HOSTILE), dataset=HOSTILE)
    prompts = [
        replace(
            prompt_row(HOSTILE, names),
            replaced=3,
            leaks='{"Emma": 2, "Ann": 1}',
            suspects='{"Bath": 4}',
        )
        for names in ("original", "masked")
    ]
    cells = [
        cell_row(prompt, experiment_id=PLAN, model="one", sample=sample)
        for prompt in prompts
        for sample in range(4)
    ]
    insert(connection, [item])
    insert(connection, prompts)
    insert(connection, cells)
    insert(connection, [reply_row(cell.key) for cell in cells[:2]])
    insert(connection, [reply_row(cells[4].key, outcome="truncated")])
    insert(connection, [reply_row(cells[5].key, outcome="filtered", text=None)])
    insert(connection, [score_row(cells[0], 1), score_row(cells[4], 1)])
    insert(connection, [score_row(cells[1], 0, answer=None, unparsed="the reply is empty")])
    insert(connection, [failure_row(cells[2].key), failure_row(cells[6].key, error="refused")])
    insert(connection, [replace(failure_row(cells[3].key), kind="unavailable", error="no logs")])
    aside = SetAsideRow(
        experiment_id=PLAN, task="source_identification", dataset=HOSTILE, item_id="other",
        names="masked", reason="no name",
    )  # fmt: skip
    insert(connection, [aside])
    insert(connection, [_repeat(cells[0].key, same=True), _repeat(cells[1].key, same=False)])


def _repeat(key: str, *, same: bool) -> RepeatRow:
    return RepeatRow(
        key=key,
        run_id=RUN,
        asked_at=AT,
        same=same,
        text="Emma",
        served_model="other",
        fingerprint="f1",
    )


def hold(connection: Connection) -> None:
    put(connection, asked(), experiment="mine")
    more(connection)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explained") / "store"
    with Database(path) as database:
        database.call(hold)
    return path


@pytest.fixture(scope="module")
def reader(store: Path) -> Reader:
    return open_read(store)


@pytest.fixture(scope="module")
def entries(reader: Reader) -> list[Entry]:
    return experiment_entries(reader, "mine")


@pytest.mark.parametrize("table", ["accuracy", "headlines", "contrasts", "notes", "replacement"])
def test_every_number_is_made_again_from_its_rows(
    table: str, entries: list[Entry], reader: Reader
) -> None:
    """Values, intervals, tests and counts, to a billionth; no query returns other rows."""
    own = of_table(entries, table)

    assert verified(own, reader) == len(own) > 0


def test_behind_each_row_are_cells_with_their_replies(entries: list[Entry], reader: Reader) -> None:
    own = [each for each in entries if each.table in {"accuracy", "headlines", "contrasts"}]

    assert behind_all(own[::17], reader) > 5


def test_all_kinds_of_numbers_are_there(entries: list[Entry]) -> None:
    """The store has what each table can tell: nothing is 0 or undefined throughout."""
    told: dict[tuple[str, str], set[object]] = {}
    for each in entries:
        if each.table in {"notes", "replacement"}:
            told.setdefault((each.table, each.column.name), set()).add(str(each.printed.value))

    bare = {place for place, values in told.items() if values <= {"None", "0"}}
    assert bare == {("notes", "note")}


def test_a_served_store_answers_the_same(store: Path, entries: list[Entry], tmp_path: Path) -> None:
    """While a run is on, the queries run there."""
    own = shutil.copytree(store, tmp_path / "store")
    with owning(own) as owner:
        assert owner.said
        served = open_read(own)
        found = [each for each in experiment_entries(served, "mine") if each.table != "contrasts"]
        checked = verified([*found[::13], *one_of_each(entries)], served)
        served.close()

    assert checked > 20


FORMULAS = {
    ("accuracy", f"source_identification {HOSTILE} options one masked", "baseline"): (
        "sum(units_right) / sum(units)"
    ),
    ("headlines", "character_guessing tvshowguess options two original", "baseline"): (
        "sum(num) / sum(den)"
    ),
    ("contrasts", "character_guessing tvshowguess options one origin - NR", "difference"): (
        "sum(num_a) / sum(den_a) - sum(num_b) / sum(den_b)"
    ),
    ("contrasts", "coreference moviecoref options two origin - NR", "value_a"): (
        "2 / (sum(den_a) / sum(num_a) + sum(recall_den_a) / sum(recall_num_a))"
    ),
    ("replacement", "masked", "replaced"): "sum(replaced)",
}


@pytest.mark.parametrize(("place", "formula"), FORMULAS.items(), ids=range(len(FORMULAS)))
def test_the_formula_in_sql_over_the_query_gives_the_number(
    place: tuple[str, str, str], formula: str, entries: list[Entry], reader: Reader
) -> None:
    """Without any of our functions: what a user may do by hand."""
    table, row, column = place
    entry = find(of_table(entries, table), row, column)

    value = number(reader, formula, entry.explain().query)

    assert value == pytest.approx(float(str(entry.printed.value)), rel=1e-12)


def test_a_number_that_its_rows_do_not_give_is_told(entries: list[Entry], reader: Reader) -> None:
    """Value, interval, p and n are each held against what is printed."""
    row = "character_guessing tvshowguess options one origin - NR"
    entry = find(of_table(entries, "contrasts"), row, "difference")
    told, printed = entry.explain(), entry.printed
    rows = ask(reader, told.query).records()
    assert printed.interval is not None
    assert printed.p is not None

    wrong = Numbers(
        value=float(str(printed.value)) + 1e-6,
        interval=replace(printed.interval, low=printed.interval.low - 1e-6),
        p=printed.p + 1e-6,
        n=11,
    )
    fewer = held_against(printed, told.recompute(rows[1:]))

    assert [each.same for each in held_against(wrong, told.recompute(rows))] == [False] * 4
    assert not all(each.same for each in fewer)


def test_an_unknown_experiment_says_which_there_are(reader: Reader) -> None:
    with pytest.raises(NoSuchTable, match=r"no experiment or study is called 'other'.*mine"):
        experiment_entries(reader, "other")
