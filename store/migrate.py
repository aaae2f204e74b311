"""Brings a database's schema up to date, or refuses one that is newer."""

from __future__ import annotations

from pathlib import Path

import duckdb

from store.address import Place
from store.errors import StoreTooNew
from store.schema import migrations
from store.vectors import make_views

VERSION = "SELECT coalesce(max(version), 0) FROM schema_migrations"
"""Of a database that holds a store."""
_MADE = "SELECT count(*) FROM information_schema.tables WHERE table_name = 'schema_migrations'"


def _one_int(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def schema_version(connection: duckdb.DuckDBPyConnection) -> int:
    """The version of a database's schema; 0 for an empty database."""
    if not _one_int(connection, _MADE):
        return 0
    return _one_int(connection, VERSION)


def refuse_newer(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Stop at a schema this program does not know.

    Raises:
        StoreTooNew: The database was written by a later gistprobe.
    """
    refuse_version(schema_version(connection), path)


def refuse_version(found: int, path: Place) -> None:
    """Stop at a version of the schema that this program does not know; raises StoreTooNew."""
    known = migrations()[-1].version
    if found > known:
        raise StoreTooNew(path, found, known)


def migrate(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Apply the migrations a database lacks, each in one transaction with its record.

    Raises:
        StoreTooNew: The database was written by a later gistprobe.
    """
    refuse_newer(connection, path)
    found = schema_version(connection)
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations"
        " (version BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL)"
    )
    for step in migrations():
        if step.version > found:
            connection.execute("BEGIN")
            connection.execute(step.sql)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, now())", [step.version, step.name]
            )
            connection.execute("COMMIT")
    make_views(connection)
