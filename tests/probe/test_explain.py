"""`probe explain` as a user meets it: what it prints, what it lists, errors and exit codes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from analysis.explain.entries import Entry
from analysis.explain.experiment import experiment_entries
from probe.cli.show_explained import Shown, explain
from store.database import Database
from store.insert import insert
from store.read import Connection, open_read
from tests.analysis.memorization_for_tests import GIST, NR, ORIGIN, Asked, marks, put
from tests.probe.experiments_for_tests import probe
from tests.store.rows_for_tests import cell_row, prompt_row, reply_row

EVIL = "\x1b[31m<script>\u202e=cmd()"


def asked() -> Iterator[Asked]:
    for condition, text in ((ORIGIN, "1111011101"), (NR, "1100011000"), (GIST, "1100000000")):
        yield Asked(marks=marks(text), condition=condition)


def hold(connection: Connection) -> None:
    put(connection, asked())
    own = cell_row(prompt_row("character_guessing tvshowguess i000"))
    insert(connection, [replace(reply_row(own.key), text=EVIL, key="spare")])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "store"
    with Database(path) as database:
        database.call(partial(hold))
    return path


def test_a_number_with_its_definition_query_and_rows(store: Path) -> None:
    """The query is printed as `probe sql` takes it, and gives the rows that are counted."""
    done = probe("explain", "memorization/3", "tvshow", "m NR", "--store", store, "--rows", "2")

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("3, TVShow Guess, m NR: 40.0 (exactly 40.0; 95 % [")
    for word in ("What: ", "Formula: ", "Unit: percent", "Source: memorization paper", "Interval"):
        assert any(line.strip().startswith(word) for line in lines), word
    assert "10 rows, the first 2 of them (--all shows all):" in lines
    assert "Recomputed from these rows: value 40, as printed; interval [" in done.stdout
    start = lines.index("Query, as it runs with probe sql:") + 1
    end = next(at for at in range(start, len(lines)) if not lines[at].strip())
    again = probe("sql", "\n".join(lines[start:end]), "--store", store, "--format", "json")
    assert sum(row["num"] for row in json.loads(again.stdout)) == 4
    assert max(len(line.rstrip()) for line in lines[:start] + lines[end:]) <= 120


def test_behind_a_row_are_its_cells_with_replies(store: Path) -> None:
    done = probe(
        "explain", "memorization/3", "tvshow", "m NR change", "--behind", "1", "--store", store,
        "--format", "json",
    )  # fmt: skip

    (found,) = json.loads(done.stdout)
    assert {(row["names"], row["prompt"]) for row in found["rows"]} == {ORIGIN, NR}
    assert {"item_id", "answer", "gold", "score", "reply"} <= set(found["rows"][0])
    assert found["query"].startswith("SELECT item_id")


def test_json_has_all_and_csv_the_rows(store: Path) -> None:
    ask = ("explain", "small/contrasts", "origin", "difference", "--store", store, "--format")

    (found,) = json.loads(probe(*ask, "json").stdout)
    made = probe(*ask, "csv")

    assert found["value"] == pytest.approx(-0.4 * -1)
    assert {each["same"] for each in found["recomputed"].values()} == {True}
    assert set(found["recomputed"]) == {"value", "interval", "p", "n"}
    assert len(found["rows"]) == len(list(csv.DictReader(io.StringIO(made.stdout)))) == 10
    assert "Recomputed from these rows: value 0.4, as printed" in made.stderr


def test_what_is_left_out_is_listed(store: Path) -> None:
    tables = probe("explain", "small", "--store", store).stdout
    places = probe("explain", "memorization/3", "--store", store).stdout

    for table in ("accuracy", "headlines", "contrasts", "notes", "replacement"):
        assert f"small/{table}" in tables
    assert "TVShow Guess (character_guessing tvshowguess options)" in places
    assert "m NR+GIST change" in places


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("small/acuracy",), "no table is called 'acuracy'; there are: accuracy; "),
        (("small/accuracy", "masked", "baseline"), "no row is called 'masked'; there are: char"),
        (("small/accuracy", "original", "basline"), "no column is called 'basline'; there are: "),
        (("memorization/3", "tvshow", "m"), "'m' stands for 5 columns: "),
        (("other/accuracy",), "no experiment or study is called 'other'; the store has small"),
        (("memorization/3", "--corpus", "c"), "--corpus is not for the study memorization; it"),
        (("small/accuracy", "original", "baseline", "--behind", "99"), "there is no row 99: the"),
        (("small/notes", "m", "note", "--behind", "1"), "nothing is behind these rows"),
    ],
)
def test_what_is_not_there_is_one_line(given: tuple[str, ...], said: str, store: Path) -> None:
    """With what there is, the nearest first; exit code 2."""
    done = probe("explain", *given, "--store", store)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_number_that_its_rows_do_not_give_is_loud(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed was changed behind the store's back; hostile labels are spelled out."""
    reader = open_read(store)
    entry = next(
        each for each in experiment_entries(reader, "small") if each.column.label == "baseline"
    )
    wrong: Entry = replace(entry, printed=replace(entry.printed, value=0.5), shown=EVIL)

    same = explain(wrong, reader, Shown(name="small", most=1, form="table"))
    reader.close()

    out = capsys.readouterr().out
    assert not same
    assert "value 0.8, BUT PRINTED IS 0.5" in out
    assert "\x1b" not in out
    assert "\u202e" not in out
