"""A lake answers as a file does, and what is moved between the two arrives as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import store.transfer
from store.address import Lake, Place, parse_place
from store.database import Database
from store.errors import BadAddress, QueryError, StoreBroken
from store.insert import insert
from store.lake.tidy import tidy
from store.read import Connection, ask, open_read
from store.reference import questions
from store.transfer import transfer
from tests.store.owner_for_tests import closed_store
from tests.store.postgres_for_tests import Postgres
from tests.store.rows_for_tests import reply_row
from tests.store.sql_corpus_for_tests import small_file
from tests.store.sql_store_for_tests import SMALL


@pytest.fixture(autouse=True, scope="module")
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store that `docs/sql.md` asks, as a file."""
    path = tmp_path_factory.mktemp("file") / "store"
    return small_file(path)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A file with a few rows of every kind."""
    return closed_store(tmp_path / "small")


def asked(place: Place, queries: list[str]) -> list[tuple[tuple[str, ...], list[str]]]:
    reader = open_read(place)
    try:
        answers = [ask(reader, query) for query in queries]
    finally:
        reader.close()
    return [(each.columns, [repr(row) for row in each.rows]) for each in answers]


def test_every_question_has_one_answer_on_a_file_and_on_the_lake_it_was_exported_to(
    file: Path, postgres: Postgres, tmp_path: Path
) -> None:
    """Also tidied; and back, where checksums are those of what left the first file."""
    lake = parse_place(postgres.address(tmp_path / "files"))
    assert isinstance(lake, Lake)
    queries = [each.sql for each in questions()]

    there = transfer(file, lake)
    tidy(lake)
    back = transfer(lake, tmp_path / "again")

    assert asked(lake, queries) == asked(file, queries)
    assert [(m.table, m.rows, m.checksum) for m in back] == [
        (m.table, m.rows, m.checksum) for m in there
    ]
    assert {m.table: m.rows for m in there}["cells"] == SMALL.cells
    assert all(m.rows == m.added and not m.kept for m in [*there, *back])


def test_what_is_cut_short_is_taken_up_and_nothing_comes_in_twice(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    whole = {m.table: (m.rows, m.checksum) for m in transfer(small, tmp_path / "other")}
    calls = iter(range(100))
    real = store.transfer._insert

    def cut(connection: Connection, taken: store.transfer._Taken) -> tuple[int, int]:
        if next(calls) == 4:
            raise KeyboardInterrupt
        return real(connection, taken)

    monkeypatch.setattr(store.transfer, "_insert", cut)
    with pytest.raises(KeyboardInterrupt):
        transfer(small, target)
    monkeypatch.undo()
    again = transfer(small, target)

    assert {m.table: (m.rows, m.checksum) for m in again} == whole
    assert 0 < sum(m.added for m in again) < sum(m.rows for m in again)
    assert sum(m.added for m in transfer(small, target, ["small"])) == 0


def test_a_reply_that_the_target_has_of_its_own_stays(small: Path, tmp_path: Path) -> None:
    """And the score of the one that does not come is left out with it."""
    query = "SELECT key FROM replies JOIN scores USING (key) ORDER BY key LIMIT 1"
    key = str(ask(open_read(small), query).rows[0][0])
    other = tmp_path / "other"
    with Database(other) as database:
        own = replace(reply_row(key), run_id="its own", raw="{}")
        database.call(lambda owner: insert(owner, [own]))

    kept = {m.table: m.kept for m in transfer(small, other) if m.kept}
    rows = ask(open_read(other), f"SELECT run_id FROM replies WHERE key = '{key}'").rows

    assert kept == {"replies": 1, "scores": 1}
    assert rows == [("its own",)]


def test_what_did_not_arrive_as_it_was_is_told(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = store.transfer._insert

    def spoil(connection: Connection, taken: store.transfer._Taken) -> tuple[int, int]:
        came = real(connection, taken)
        if taken.table == "replies":
            connection.execute("UPDATE replies SET text = text || '!' WHERE text IS NOT NULL")
        return came

    monkeypatch.setattr(store.transfer, "_insert", spoil)

    with pytest.raises(StoreBroken, match=r"table replies: \d+ of \d+ rows did not arrive"):
        transfer(small, tmp_path / "other")


def test_what_cannot_be_moved_is_refused(small: Path, tmp_path: Path) -> None:
    with pytest.raises(BadAddress, match="it is the store that is to be copied"):
        transfer(small, small)
    with pytest.raises(QueryError, match="no experiment is called 'nobody'"):
        transfer(small, tmp_path / "other", ["nobody"])
