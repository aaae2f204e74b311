"""`probe report` as a user meets it: the file, what is said of it, errors and exit codes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from store.database import Database
from store.insert import insert
from tests.analysis.report_for_tests import fill
from tests.probe.experiments_for_tests import probe
from tests.store.rows_for_tests import experiment_row
from tests.store.served_for_tests import owning


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "store"
    with Database(path) as database:
        database.call(fill)
    return path


def test_the_file_is_written_and_its_size_is_said(store: Path, tmp_path: Path) -> None:
    """Into a folder that is made for it; nothing goes to standard output."""
    made = tmp_path / "new" / "small.html"

    done = probe("report", "small", "--store", store, "-o", made, "--items", 4)

    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert re.search(r"small\.html, 0\.\d MB, with 4 of 16 items\n", done.stderr)
    assert "--items N takes more of them" in done.stderr
    assert made.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [file.name for file in made.parent.iterdir()] == ["small.html"]


def test_a_served_store_gives_the_same_file(store: Path, tmp_path: Path) -> None:
    """While a run is on, queries go to it, and it goes on owning the store."""
    held = shutil.copytree(store, tmp_path / "store")
    served, closed = tmp_path / "served.html", tmp_path / "closed.html"
    with owning(held) as owner:
        while_on = probe("report", "--store", held, "-o", served)
        owner.end()
    after = probe("report", "--store", held, "-o", closed)

    assert while_on.returncode == after.returncode == 0, while_on.stderr
    assert served.read_bytes() == closed.read_bytes()


def test_what_cannot_be_reported_is_said_in_a_line(store: Path, tmp_path: Path) -> None:
    made = tmp_path / "report.html"
    (tmp_path / "file").write_text("in the way")

    for words, said in (
        (("report", "large", "--store", store, "-o", made), "no experiment is called 'large'"),
        (("report", "--store", tmp_path / "none", "-o", made), "none"),
        (
            ("report", "--store", store, "-o", tmp_path / "file" / "report.html"),
            "the report report.html cannot be written",
        ),
        (("report", "--store", store), "Missing option '-o'"),
    ):
        done = probe(*words)
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    assert not made.exists()


def test_of_several_experiments_one_must_be_named(tmp_path: Path) -> None:
    with Database(tmp_path / "store") as database:
        database.call(fill)
    with Database(tmp_path / "store") as database:
        database.call(lambda owner: insert(owner, [experiment_row("plan-2", experiment="other")]))

    done = probe("report", "--store", tmp_path / "store", "-o", tmp_path / "report.html")

    assert done.returncode == 2
    assert "several experiments: other, small; name one" in done.stderr
