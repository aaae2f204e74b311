"""Migrations: each once, all of it or nothing, and an older store is read as it was."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from store.database import Database
from store.errors import StoreBroken
from store.insert import insert
from store.journal import Journal
from store.migrate import migrate, schema_version
from store.read import DATABASE, JOURNAL, Connection, ask, open_read
from store.rows import COLUMNS, VALUES, Row
from store.schema import migrations
from tests.store.rows_for_tests import (
    attempt_row,
    cell_row,
    experiment_row,
    failure_row,
    item_row,
    model_row,
    prompt_row,
    reply_row,
    run_end_row,
    run_row,
    score_row,
)


def tables(connection: Connection) -> set[str]:
    return {row[0] for row in connection.execute("SHOW TABLES").fetchall()}


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """Its tables and its record share one transaction: all of it or nothing.

    The first migration makes `journal_positions` last; a database that has a table of that name
    makes it fail after all its other work.
    """
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute("CREATE TABLE journal_positions (strange INTEGER)")

    with pytest.raises(StoreBroken, match=r"cannot be brought up to date .*journal_positions"):
        Database(tmp_path)

    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        assert tables(connection) == {"journal_positions", "schema_migrations"}
        assert schema_version(connection) == 0


def test_migrations_are_applied_once(tmp_path: Path) -> None:
    """Each is recorded by number and name; opening again changes nothing but the views."""
    with Database(tmp_path) as database:
        database.call(lambda connection: insert(connection, [reply_row()]))
    with Database(tmp_path) as database:
        database.call(lambda connection: migrate(connection, tmp_path))

    reader = open_read(tmp_path)
    recorded = reader.execute("SELECT version, name FROM schema_migrations").fetchall()

    assert recorded == [(step.version, step.name) for step in migrations()]
    assert [step.version for step in migrations()] == list(range(1, len(migrations()) + 1))
    assert reader.execute("SELECT count(*) FROM replies").fetchone() == (1,)


def test_an_empty_database_has_version_0() -> None:
    assert schema_version(duckdb.connect(":memory:")) == 0


def as_of_0001(path: Path) -> None:
    """A store as the first version left it: three cells, one answered, one failed, one to ask."""
    prompts = [prompt_row(name) for name in "abc"]
    cells = [cell_row(prompt) for prompt in prompts]
    rows: list[Row] = [
        experiment_row(),
        model_row(),
        *(item_row(name) for name in "abc"),
        *prompts,
        *cells,
        run_row(),
        run_end_row(),
        attempt_row(cells[0].key),
        attempt_row(cells[1].key, error_kind="timeout"),
        reply_row(cells[0].key),
        failure_row(cells[1].key, error="too late"),
        score_row(cells[0], 1),
    ]
    first = migrations()[0]
    path.mkdir()
    with duckdb.connect(str(path / DATABASE)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            "CREATE TABLE schema_migrations"
            " (version BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL)"
        )
        connection.execute(first.sql)
        connection.execute(
            "INSERT INTO schema_migrations VALUES (?, ?, now())", [first.version, first.name]
        )
        for row in rows:
            insert_into_what_there_is(connection, row)


def insert_into_what_there_is(connection: Connection, row: Row) -> None:
    """Insert a row without the columns that its table does not have yet."""
    described = connection.execute(f"DESCRIBE {row.TABLE}").fetchall()
    there = {name for name, *_ in described}
    values = dict(zip(COLUMNS[type(row)], VALUES[type(row)](row), strict=True))
    old = {name: value for name, value in values.items() if name in there}
    names = ", ".join(f'"{name}"' for name in old)
    marks = ", ".join("?" * len(old))
    connection.execute(f"INSERT INTO {row.TABLE} ({names}) VALUES ({marks})", list(old.values()))


def test_a_store_of_the_first_version_is_read_as_it_was(tmp_path: Path) -> None:
    """Its cells, replies and scores show in every view; what it did not record is NULL, not 0."""
    path = tmp_path / "store"
    as_of_0001(path)

    with Database(path) as database:
        aside = database.set_aside
    reader = open_read(path)

    assert aside is None
    assert ask(
        reader, "SELECT item_id, outcome, reply, score, error FROM results ORDER BY item_id"
    ).rows == [
        ("a", "ok", "Emma", 1.0, None),
        ("b", "failed", None, None, "too late"),
        ("c", "pending", None, None, None),
    ]
    assert ask(reader, "SELECT cells, replies, failed, pending FROM progress").rows == [
        (3, 1, 1, 1)
    ]
    assert ask(reader, "SELECT n, accuracy, missing FROM accuracy").rows == [(1, 1.0, 2)]
    assert ask(
        reader, "SELECT experiment, sum(requests), sum(troubles), sum(usd) FROM spend GROUP BY ALL"
    ).rows == [("small", 2, 1, None)]
    assert ask(reader, "SELECT DISTINCT ordinal FROM cells").rows == [(None,)]
    assert ask(reader, "SELECT items FROM experiments").rows == [(None,)]


def test_a_store_of_the_first_version_takes_new_events(tmp_path: Path) -> None:
    """And a journal that its version wrote is still read."""
    path = tmp_path / "store"
    as_of_0001(path)
    (path / JOURNAL).mkdir()
    old = (
        '{"kind":"attempt","row":{"key":"old","run_id":"run-1","attempt":1,'
        '"started_at":"2026-01-02T03:04:05.678901+00:00","latency_s":0.25,"status":200,'
        '"error_kind":null,"error":null}}\n'
    )
    (path / JOURNAL / "run-1.jsonl").write_text(old, encoding="utf-8")
    with Database(path) as database:
        journal = Journal(path / JOURNAL, "run-2")
        row = attempt_row("new", usd=0.5)
        database.put(journal.append(row), row)
        journal.close()
    reader = open_read(path)

    found = ask(reader, "SELECT key, usd FROM attempts WHERE key IN ('old', 'new')").rows

    assert sorted(found) == [("new", 0.5), ("old", None)]
