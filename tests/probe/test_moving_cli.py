"""`probe export --to` and `probe import` move an experiment, to a lake and back, and tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from probe.cli import cli
from tests.store.owner_for_tests import CELLS, closed_store

pytest.importorskip("duckdb_extension_ducklake", reason="needs the `lake` extra")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a few rows of every kind."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return closed_store(tmp_path / "small")


def said(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def moved(result: Result) -> dict[str, list[str]]:
    """A table's line by its name: rows, added, kept, checksum."""
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()[2:]]
    return {words[0]: words[1:] for words in lines if len(words) == 5}


def test_there_and_back_every_row_is_told_and_again_none_is_new(
    small: Path, tmp_path: Path
) -> None:
    lake, again = f"ducklake:sqlite:{tmp_path / 'lake.sqlite'}", tmp_path / "again"
    there = said("export", "--store", small, "--to", lake, "--experiment", "small")
    back = said("import", lake, "--store", again)
    twice = said("import", lake, "--store", again)
    table = [
        said("table", "small", "--store", place, "--format", "csv") for place in (small, again)
    ]

    assert moved(there)["cells"][:3] == [str(CELLS), str(CELLS), "0"]
    assert moved(back) == moved(there)
    total = sum(int(line[0]) for line in moved(there).values())
    assert there.stderr.endswith(f"all of {total} rows are there, {total} of them new\n")
    assert twice.stderr.endswith(f"all of {total} rows are there, 0 of them new\n")
    assert {name: line[1] for name, line in moved(twice).items()} == dict.fromkeys(moved(back), "0")
    assert table[0].stdout == table[1].stdout
    assert table[0].exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["export", "--to", "{small}"], "it is the store that is to be copied"),
        (["export", "--to", "{new}", "--experiment", "nobody"], "no experiment is called 'nobody'"),
        (["export", "{new}", "--to", "{new}"], "--to"),
        (["import", "ducklake:nowhere"], "ducklake:nowhere"),
        (["import", "{new}"], "{new}"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_it(
    small: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    named = {"small": small, "new": tmp_path / "new"}
    ran = said(*(word.format(**named) for word in words), "--store", small)

    assert ran.exit_code == 2
    assert message.format(**named) in ran.stderr.splitlines()[-1]
    assert ran.stdout == ""
