"""The single writer: what is put is committed, what goes wrong is told."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings

from store.database import Database
from store.errors import StoreBroken
from store.insert import insert
from store.journal import Journal, Position
from store.read import JOURNAL, Connection, Source, open_read
from store.rows import (
    COLUMNS,
    AttemptRow,
    Event,
    FailureRow,
    Floats,
    Ints,
    ReplyRow,
    Row,
)
from tests.store.events_for_tests import events
from tests.store.rows_for_tests import (
    attempt_row,
    experiment_row,
    failure_row,
    item_row,
    memory,
    reply_row,
)

TYPES = {
    "BIGINT": "int",
    "BOOLEAN": "bool",
    "DOUBLE": "float",
    "JSON": "str",
    "TIMESTAMP WITH TIME ZONE": "datetime",
    "VARCHAR": "str",
    "INTEGER[]": "integers",
    "FLOAT[]": "floats",
}
LIST_NAMES: dict[object, str] = {Ints: "integers", Floats: "floats"}


def put_all(database: Database, rows: Sequence[Event], run_id: str = "run") -> list[Position]:
    """Journal and put rows, as a run does; return their positions."""
    journal = Journal(database.path / JOURNAL, run_id)
    positions = []
    for row in rows:
        positions.append(journal.append(row))
        assert database.put(positions[-1], row)
    journal.close()
    return positions


def after_writing_has_failed(database: Database) -> None:
    """Wait until the database takes no more."""
    until = time.monotonic() + 30
    while database.put(Position("other.jsonl", 1)):
        assert time.monotonic() < until
        time.sleep(0.01)


def keys(connection: Source, table: str = "replies") -> list[str]:
    return [row[0] for row in connection.execute(f"SELECT key FROM {table}").fetchall()]


@pytest.mark.parametrize("kind", list(COLUMNS), ids=lambda kind: kind.TABLE)
def test_rows_have_their_tables_columns(kind: type[Row]) -> None:
    """Names, order, types and whether NULL is allowed."""
    described = memory().execute(f"DESCRIBE {kind.TABLE}").fetchall()

    assert [(name, TYPES[sql], null == "YES") for name, sql, null, *_ in described] == [
        (name, LIST_NAMES.get(plain, plain.__name__), optional)
        for name, (plain, optional) in COLUMNS[kind].items()
    ]


@settings(max_examples=50)
@given(events)
def test_rows_are_stored_as_they_are(row: Event) -> None:
    """Whatever an event's texts, numbers and times are."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET TimeZone = 'UTC'")
    columns = ", ".join(
        f'"{name}" {sql}'
        for name, sql, *_ in _SHARED.execute(f"DESCRIBE {row.TABLE}").fetchall()
    )  # fmt: skip
    connection.execute(f"CREATE TABLE {row.TABLE} ({columns})")
    insert(connection, [row])
    cursor = connection.execute(f"SELECT * FROM {row.TABLE}")
    values = cursor.fetchone() or ()

    stored = zip([name for name, *_ in cursor.description], values, strict=True)
    assert {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored
    } == asdict(row)


_SHARED = memory()


def test_halves_of_surrogate_pairs_are_stored_as_replacement_characters(tmp_path: Path) -> None:
    """DuckDB cannot hold them; the run goes on, and the raw body keeps their escapes."""
    rows = [reply_row("a", text="x\ud83dy", raw='{"content":"x\\ud83dy"}'), reply_row("b")]
    with Database(tmp_path) as database:
        put_all(database, rows)

    stored = open_read(tmp_path).execute("SELECT text, raw FROM replies ORDER BY key").fetchall()

    assert stored == [("x\ufffdy", '{"content":"x\\ud83dy"}'), ("Emma", "{}")]


def test_a_call_sees_what_was_put_before_it(tmp_path: Path) -> None:
    """And each event is committed with the journal position it reaches."""
    rows: list[Event] = [attempt_row("a"), reply_row("a"), failure_row("b")]
    with Database(tmp_path) as database:
        positions = put_all(database, rows)
        found = database.call(
            lambda connection: [keys(connection, table.TABLE) for table in _EVENTS]
        )
        reached = database.call(
            lambda connection: connection.execute(
                "SELECT segment, max(position) FROM journal_positions GROUP BY segment"
            ).fetchall()
        )

    assert found == [["a"], ["a"], ["b"]]
    assert reached == [("run.jsonl", positions[-1].end)]


_EVENTS = (AttemptRow, ReplyRow, FailureRow)


def test_everything_put_is_there_after_close(tmp_path: Path) -> None:
    """Many batches, in the order they were put, and nothing is left for the journal to add."""
    expected = [f"{number:05}" for number in range(7_000)]
    with Database(tmp_path) as database:
        put_all(database, [reply_row(key) for key in expected])
    again = Database(tmp_path)
    again.close()

    assert keys(open_read(tmp_path)) == expected
    assert again.recovered == 0


def test_the_tail_of_the_journal_is_loaded_once(tmp_path: Path) -> None:
    """What the journal holds beyond the database is added at the next opening, and only then."""
    with Database(tmp_path) as database:
        put_all(database, [reply_row("a"), attempt_row("a")], "run-1")
    journal = Journal(tmp_path / JOURNAL, "run-2")
    for row in (attempt_row("b"), reply_row("b"), reply_row("c"), failure_row("d")):
        journal.append(row)
    journal.close()

    recovered = []
    for _ in range(3):
        with Database(tmp_path) as database:
            recovered.append(database.recovered)
    connection = open_read(tmp_path)

    assert recovered == [2, 0, 0]
    assert sorted(keys(connection)) == ["a", "b", "c"]
    assert sorted(keys(connection, "attempts")) == ["a", "b"]
    assert keys(connection, "failures") == ["d"]


def test_a_key_has_one_reply_even_if_the_journal_holds_two(tmp_path: Path) -> None:
    """The first counts: results that were seen do not change."""
    (tmp_path / JOURNAL).mkdir()
    for run_id, text in (("run-1", "first"), ("run-2", "second")):
        journal = Journal(tmp_path / JOURNAL, run_id)
        journal.append(reply_row("k", text=text))
        journal.close()

    with Database(tmp_path) as database:
        texts = database.call(
            lambda connection: connection.execute("SELECT text FROM replies").fetchall()
        )

    assert texts == [("first",)]
    assert database.recovered == 1


def test_a_calls_error_is_its_callers(tmp_path: Path) -> None:
    """Its half-done transaction is undone, and the database goes on."""

    def act(connection: Connection) -> None:
        connection.execute("BEGIN")
        insert(connection, [experiment_row()])
        raise LookupError("half-way")

    with Database(tmp_path) as database:
        with pytest.raises(LookupError, match="half-way"):
            database.call(act)
        put_all(database, [reply_row()])

    connection = open_read(tmp_path)

    assert keys(connection) == ["k"]
    assert connection.execute("SELECT count(*) FROM experiments").fetchone() == (0,)


def test_a_database_that_cannot_be_written_says_so_to_everyone(tmp_path: Path) -> None:
    """Whoever calls, puts or closes afterwards, and nobody waits for it."""
    database = Database(tmp_path)
    database.call(lambda connection: connection.execute("DROP TABLE replies"))
    (position,) = put_all(database, [reply_row()])

    with pytest.raises(StoreBroken, match=r"(?s)cannot be written .*replies.*the journal holds"):
        database.call(keys)
    assert not database.put(position, reply_row("b"))
    database.catch_up()
    assert database.backlog == 0
    with pytest.raises(StoreBroken, match="cannot be written"):
        database.close()


def test_trouble_with_the_file_is_said_in_our_words(tmp_path: Path) -> None:
    """Whoever calls knows no error of DuckDB's, and could not tell what to do."""

    def act(_: Connection) -> None:
        raise duckdb.IOException("IO Error: Corrupt database file: block at location 5")

    with Database(tmp_path) as database:
        with pytest.raises(StoreBroken, match=r"cannot be used .*location 5.*; move probe\.duckdb"):
            database.call(act)
        put_all(database, [reply_row()])

    assert keys(open_read(tmp_path)) == ["k"]


def test_nothing_is_taken_after_close(tmp_path: Path) -> None:
    """It would never be written, and its caller would wait for ever."""
    database = Database(tmp_path)
    database.close()

    with pytest.raises(RuntimeError, match="the database is closed"):
        database.put(Position("run.jsonl", 1), reply_row())
    with pytest.raises(RuntimeError, match="the database is closed"):
        database.call(keys)


def test_rows_that_are_there_already_are_left_out() -> None:
    """Items and prompts are shared by plans."""
    connection = memory()
    insert(connection, [item_row("a"), item_row("b")], new_by="item_hash")
    insert(connection, [item_row("b"), item_row("c")], new_by="item_hash")
    insert(connection, [replace(item_row("c"), culture="other")], new_by="item_hash")

    found = connection.execute("SELECT item_id, culture FROM items ORDER BY ALL").fetchall()

    assert found == [("a", "english"), ("b", "english"), ("c", "english")]
