"""Puts rows into tables: one Arrow batch a table, columns by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from store.read import Connection
from store.rows import COLUMNS, VALUES, Floats, Ints, Row

_TYPES: Final[dict[object, pa.DataType]] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", tz="UTC"),
    Ints: pa.list_(pa.int32()),
    Floats: pa.list_(pa.float32()),
}

_HELD: Final = "SELECT {by} FROM {} WHERE {by} IN (SELECT {by} FROM batch)"
"""Only the batch's own values are gathered: all of a table may be more than memory takes."""


def _arrow_schema(kind: type[Row]) -> pa.Schema:
    return pa.schema([(name, _TYPES[plain]) for name, (plain, _) in COLUMNS[kind].items()])


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array[Any]:
    try:
        return pa.array(values, type=kind)
    except UnicodeEncodeError:
        return pa.array([_storable(value) for value in values], type=kind)


def _storable(text: str | None) -> str | None:
    """A text with halves of surrogate pairs, which DuckDB cannot hold, as U+FFFD.

    The journal keeps them, and so does the escape in a reply's raw body.
    """
    return text and text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def insert(connection: Connection, rows: Iterable[Row], *, new_by: str | None = None) -> None:
    """Insert rows of any tables, one Arrow batch a table.

    Args:
        connection: The owner's.
        rows: Kept in their order within a table.
        new_by: A column: rows whose value the table holds already are left out.
    """
    by_table: dict[type[Row], list[Row]] = {}
    for row in rows:
        by_table.setdefault(type(row), []).append(row)
    for kind, batch in by_table.items():
        schema = _arrow_schema(kind)
        columns = [
            _column(values, column.type)
            for values, column in zip(
                zip(*map(VALUES[kind], batch), strict=True), schema, strict=True
            )
        ]
        connection.register("batch", pa.table(columns, schema=schema))
        # Table and column names are our own constants.
        only = f" WHERE {new_by} NOT IN ({_HELD.format(kind.TABLE, by=new_by)})" if new_by else ""
        connection.execute(f"INSERT INTO {kind.TABLE} BY NAME SELECT * FROM batch{only}")
        connection.unregister("batch")
