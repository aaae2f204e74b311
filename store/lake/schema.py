"""Brings a lake's tables up to date, and makes what a catalogue does not hold.

Tables and what is said of them lie in the lake. Views and macros are each process's own, in its
memory: two versions of this program may have one lake open, and each has the views it knows.
"""

from __future__ import annotations

import duckdb

from store.address import Lake
from store.lake.attach import LAKE, inline_little, own_first
from store.migrate import VERSION, refuse_version
from store.schema import migrations
from store.vectors import make_views

_MADE = f"""
    SELECT count(*) FROM duckdb_tables()
    WHERE database_name = '{LAKE}' AND table_name = 'schema_migrations'"""


def version(connection: duckdb.DuckDBPyConnection) -> int:
    """The version of a lake's schema; 0 where it has none."""
    made = connection.execute(_MADE).fetchone()
    if not made or not made[0]:
        return 0
    row = connection.execute(VERSION).fetchone()
    return int(row[0]) if row else 0


def migrate_lake(connection: duckdb.DuckDBPyConnection, lake: Lake) -> None:
    """Apply the migrations a lake lacks, all in one transaction.

    Raises:
        StoreTooNew: It was written by a later gistprobe.
        duckdb.Error: Among others where another process does the same: then try again.
    """
    found = version(connection)
    refuse_version(found, lake)
    missing = [step for step in migrations() if step.version > found]
    if not missing:
        return
    if found == 0:
        inline_little(connection)
    connection.execute("BEGIN")
    if found == 0:
        connection.execute(
            "CREATE TABLE schema_migrations"
            " (version BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL)"
        )
    for step in missing:
        connection.execute(step.sql)
        connection.execute(
            "INSERT INTO schema_migrations VALUES (?, ?, now())", [step.version, step.name]
        )
    connection.execute("COMMIT")


def make_own_views(connection: duckdb.DuckDBPyConnection, *, described: bool) -> None:
    """Make the views and macros in this process's memory, over the tables there are now.

    Args:
        connection: To the lake.
        described: Whether they carry comments, for people; a run can do without.
    """
    with own_first(connection):
        make_views(connection, described=described)
    connection.execute("RESET VARIABLE views_stale")
