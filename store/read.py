"""Opens a store for reading, and runs a user's query on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import duckdb

from store.errors import NoStore, QueryError, StoreBroken, StoreBusy
from store.migrate import refuse_newer, schema_version

Connection: TypeAlias = duckdb.DuckDBPyConnection
DATABASE = "probe.duckdb"
JOURNAL = "journal"
_HEADERS_BYTES: Final = 3 * 4096
_HOLDER = re.compile(r"\(PID (\d+)\)")
MOVE_AWAY = (
    f"move {DATABASE} (and {DATABASE}.wal) away and run again:"
    " the replies come back from the journal"
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a query returned.

    Attributes:
        columns: Column names, in order.
        rows: One tuple a row, values as Python objects.
    """

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]

    def records(self) -> list[dict[str, object]]:
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def connect(path: Path, *, read_only: bool) -> Connection:
    """Open a store's database file.

    Raises:
        StoreBusy: Another process owns it.
        StoreBroken: It does not open.
    """
    file = path / DATABASE
    try:
        return duckdb.connect(str(file), read_only=read_only)
    except duckdb.Error as error:
        refusal = _refusal(path, error)
    if read_only or isinstance(refusal, StoreBusy) or not _half_made(file):
        raise refusal
    file.unlink()
    try:
        return duckdb.connect(str(file))
    except duckdb.Error as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: duckdb.Error) -> StoreBusy | StoreBroken:
    if "Conflicting lock" in str(error) or "lock on file" in str(error):
        holder = _HOLDER.search(str(error))
        return StoreBusy(path, f"process {holder[1]}" if holder else "another process")
    return StoreBroken(path, f"the database does not open ({error})", MOVE_AWAY)


def _half_made(file: Path) -> bool:
    """Whether a kill left less than the headers, which DuckDB writes before anything else."""
    if not file.is_file() or file.stat().st_size >= _HEADERS_BYTES:
        return False
    start = file.read_bytes()
    return not start or start[8:12] == b"DUCK"


def open_read(path: Path) -> Connection:
    """Open a store read-only.

    Raises:
        NoStore: There is none at the path.
        StoreBusy: A run is on.
        StoreTooNew: It was written by a later gistprobe.
        StoreBroken: It does not open.
    """
    if not (path / DATABASE).exists():
        raise NoStore(path)
    connection = connect(path, read_only=True)
    try:
        refuse_newer(connection, path)
        if schema_version(connection) == 0:  # a kill between making the file and the tables
            raise NoStore(path)
        connection.execute("SET TimeZone = 'UTC'")
    except BaseException:
        connection.close()
        raise
    return connection


def ask(
    connection: Connection, query: str, parameters: dict[str, object] | list[object] | None = None
) -> Answered:
    """Run a query.

    Raises:
        QueryError: DuckDB refuses it; the message is DuckDB's.
    """
    if not query.strip(" ;\n\t"):
        raise QueryError("the query is empty; try: from results limit 5")
    try:
        cursor = connection.execute(query, parameters)
        rows = cursor.fetchall()
    except duckdb.Error as error:
        raise QueryError(str(error)) from None
    return Answered(tuple(column[0] for column in cursor.description or ()), rows)


def write_parquet(connection: Connection, query: str, path: Path) -> None:
    """Write a query's result as a Parquet file.

    Raises:
        QueryError: DuckDB refuses the query, or the file cannot be written.
    """
    try:
        relation: duckdb.DuckDBPyRelation | None = connection.sql(query)
        if relation is None:
            raise QueryError("the query returns no table to write")
        relation.write_parquet(str(path))
    except duckdb.Error as error:
        raise QueryError(str(error)) from None
