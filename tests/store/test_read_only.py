"""Whoever reads a store cannot change it, and who has not the token cannot read it."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from pathlib import Path

import duckdb
import pytest

from store.errors import QueryError
from store.live import LIVE, Live, read_live, write_live
from store.read import DATABASE, Reader, ask, open_read
from tests.store.owner_for_tests import CELLS
from tests.store.served_for_tests import COUNT, Owner, count, counted, owning, stranger

CHANGES = [
    "DELETE FROM replies",
    "INSERT INTO failures SELECT * FROM failures",
    "UPDATE replies SET text = ''",
    "TRUNCATE replies",
    "DROP TABLE replies",
    "ALTER TABLE replies ADD COLUMN x INTEGER",
    "CREATE OR REPLACE VIEW results AS SELECT 1",
    "CREATE TABLE other AS SELECT 1",
    "CREATE TEMP TABLE other AS SELECT 1",
    "WITH x AS (SELECT 'a') DELETE FROM replies",
    "MERGE INTO replies USING (SELECT 1) ON true WHEN MATCHED THEN DELETE",
    "EXPLAIN ANALYZE DELETE FROM replies",
    "COPY replies TO 'stolen.csv'",
    "COPY (SELECT 1) TO 'stolen.csv'",
    "EXPORT DATABASE 'stolen'",
    "ATTACH 'other.duckdb'",
    "DETACH served",
    "USE served",
    "SELECT 1; DELETE FROM replies",
    "SELECT 1; SELECT 2",
    "PREPARE p AS DELETE FROM replies",
    "EXECUTE p",
    "BEGIN",
    "SET threads = 1",
    "SET GLOBAL quack_authorization_function = 'quack_nop_authorization'",
    "RESET quack_authorization_function",
    "PRAGMA enable_profiling",
    "PRAGMA database_size",
    "/* */ PRAGMA database_size",
    "CALL pragma_database_size()",
    "CHECKPOINT",
    "FORCE CHECKPOINT",
    "VACUUM",
    "INSTALL spatial",
    "LOAD spatial",
    "CREATE SECRET (TYPE quack, TOKEN 'abcd')",
]
FUNCTIONS = [
    "FROM quack_stop('{address}')",
    "FROM main.quack_stop('{address}')",
    "FROM \"QUACK_STOP\"('{address}')",
    "SELECT (SELECT count(*) FROM quack_stop('{address}'))",
    "FROM query('FROM quack_stop(''{address}'')')",
    "FROM quack_query('{address}', 'DELETE FROM replies')",
    "FROM query('FROM quack_query(''{address}'', ''DELETE FROM replies'')')",
    "FROM checkpoint()",
    "FROM force_checkpoint()",
]


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_but_a_query_runs(store: Reader, change: str) -> None:
    """By the kind of statement, whether there is an owner or not, and with the same words."""
    with pytest.raises(QueryError, match="read-only, for one query that returns rows"):
        store.execute(change)

    assert counted(store) == CELLS


@pytest.mark.parametrize("query", ["", " ;\n", "-- nothing", "SELEC 1", "SELECT 1 INTO x"])
def test_what_is_no_query_is_said(store: Reader, query: str) -> None:
    with pytest.raises(QueryError, match=r"the query is empty|this is nothing|Parser Error"):
        ask(store, query)


@pytest.mark.parametrize("query", ["EXPLAIN SELECT 1", "explain analyze FROM replies"])
def test_a_plan_can_be_looked_at(store: Reader, query: str) -> None:
    """Of a query, that is: what changes something is refused above."""
    assert ask(store, query).columns == ("explain_key", "explain_value")


@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions_that_act_do_nothing_to_a_server(
    owner: Owner, readers: dict[str, Reader], text: str
) -> None:
    """Called from a query, they reach neither the data nor the server."""
    with contextlib.suppress(QueryError):
        ask(readers["served"], text.format(address=owner.live.address))

    assert count(owner.path) == CELLS


@pytest.mark.parametrize("token", [None, "", "abcd", "x" * 43])
def test_a_stranger_gets_nothing(owner: Owner, token: str | None) -> None:
    """Without the token, or with another."""
    connection = stranger(owner, token)

    with pytest.raises(duckdb.Error, match=r"authentication token|Authentication failed"):
        connection.execute(f"FROM quack_query('{owner.live.address}', '{COUNT}')")
    with pytest.raises(duckdb.Error, match=r"authentication token|Authentication failed"):
        connection.execute(f"ATTACH '{owner.live.address}' AS run")


@pytest.mark.parametrize("text", [*CHANGES, *FUNCTIONS[:5], *FUNCTIONS[7:]])
def test_the_server_itself_refuses_changes(
    owner: Owner, knowing: duckdb.DuckDBPyConnection, readers: dict[str, Reader], text: str
) -> None:
    """Whoever has the token and another client can read, not write."""
    sent = text.format(address=owner.live.address).replace("'", "''")

    with pytest.raises(duckdb.Error, match="Authorization failed"):
        knowing.execute(f"FROM quack_query('{owner.live.address}', '{sent}')").fetchall()

    assert counted(readers["served"]) == CELLS


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO run.failures SELECT 'k', 'r', 1, 'k', 'e', true, now() FROM range(9999)",
        "CREATE TABLE run.other (x INTEGER)",
        "DROP TABLE run.replies",
        "FROM run.query('DELETE FROM replies')",
    ],
)
def test_a_client_that_attaches_for_writing_cannot_write(
    owner: Owner, readers: dict[str, Reader], change: str
) -> None:
    """Not even rows sent in bulk, which are no statement."""
    connection = stranger(owner, owner.live.token)
    connection.execute(f"ATTACH '{owner.live.address}' AS run")

    with pytest.raises(duckdb.Error, match="Authorization failed"):
        connection.execute(change).fetchall()

    assert ask(readers["served"], "SELECT count(*) FROM failures").rows == [(0,)]


@pytest.mark.parametrize("query", ["FROM read_text('/etc/hostname')", "FROM 'data.csv'"])
def test_the_server_reads_no_files(
    owner: Owner, knowing: duckdb.DuckDBPyConnection, query: str
) -> None:
    """They are the asking process's affair."""
    sent = query.replace("'", "''")

    with pytest.raises(duckdb.Error, match="Authorization failed"):
        knowing.execute(f"FROM quack_query('{owner.live.address}', '{sent}')")


def test_files_of_the_asking_process_can_be_joined(
    store: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their paths in its own folder, with views and macros at hand, and as parquet too."""
    (tmp_path / "mine.csv").write_text("item,weight\ni0,2\ni1,3\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    query = (
        "SELECT sum(weight)::INTEGER, round(wilson_low(5, 10), 4)"
        " FROM 'mine.csv' JOIN results ON item = item_id JOIN replies USING (key)"
    )

    found = ask(store, query).rows
    store.write_parquet(query, tmp_path / "out.parquet")

    assert found == [(5, 0.2366)]
    assert duckdb.sql(f"FROM '{tmp_path}/out.parquet'").fetchall() == found


def test_a_limit_of_joining_files_is_said_in_our_words(readers: dict[str, Reader]) -> None:
    query = "FROM replies AS a JOIN replies AS b USING (key), read_text('/dev/null')"

    with pytest.raises(QueryError, match="can name each table only once"):
        ask(readers["served"], query)


def test_the_address_is_its_users_alone_from_the_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under any umask, and it appears whole or not at all."""
    live = Live(address="quack:localhost:1", token="a secret", pid=1)  # noqa: S106 - none
    modes: list[int] = []
    dump = json.dump

    def watched(record: object, file: object) -> None:
        (made,) = tmp_path.iterdir()
        modes.append(stat.S_IMODE(made.stat().st_mode))
        assert made.name != LIVE
        dump(record, file)  # type: ignore[arg-type]

    monkeypatch.setattr(json, "dump", watched)
    mask = os.umask(0)
    try:
        write_live(tmp_path, live)
    finally:
        os.umask(mask)

    assert modes == [0o600]
    assert stat.S_IMODE((tmp_path / LIVE).stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [LIVE]
    assert read_live(tmp_path) == live
    assert "secret" not in repr(live)


def test_the_token_is_nowhere_but_in_its_file(tmp_path: Path) -> None:
    """Nor anything of the server in the database; and no query shows it."""
    with owning(tmp_path) as owner:
        token = owner.live.token
        reader = open_read(tmp_path)
        shown = [
            ask(reader, query).rows
            for query in (
                "FROM duckdb_secrets()",
                "FROM duckdb_settings()",
                "FROM quack_server_list()",
                "FROM duckdb_databases()",
            )
        ]
        owner.end()

    assert len(token) >= 32
    assert token not in str(shown)
    with duckdb.connect(str(tmp_path / DATABASE), read_only=True) as connection:
        made = connection.execute(
            "SELECT function_name FROM duckdb_functions() WHERE function_name = 'may_run'"
        ).fetchall()
    assert made == []
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or token.encode() not in file.read_bytes()
