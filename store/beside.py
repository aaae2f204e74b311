"""Rows of several stores beside each other, in a database of their own.

A store that a run serves cannot be attached as its file, so what is to be held side by side is
written out first. What does not fit into memory lies in a folder, which is the caller's to remove.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import duckdb

from store.errors import QueryError, StoreBroken
from store.gate import quoted, with_literals
from store.read import Connection, Reader, Source
from store.schema import scalar_macros

_MEMORY: Final = "800MB"
_FREE: Final = "free some space, or name another folder for temporary files in TMPDIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """Where the rows of a relation come from.

    Attributes:
        source: The store.
        query: What gives them.
        parameters: Of the query, by name.
    """

    source: Source
    query: str
    parameters: Mapping[str, object] = field(default_factory=dict)


def beside(relations: Mapping[str, Filled], folder: Path) -> Connection:
    """A database in memory with a view for each relation, and the macros that give values.

    Args:
        relations: Name of a view -> where its rows come from.
        folder: An empty folder that rows may lie in for as long as the connection is open.

    Raises:
        QueryError: DuckDB refuses a query.
        StoreGone: The run that serves a store has ended.
        StoreBroken: There is no room for the rows.
    """
    connection = duckdb.connect(":memory:")
    connection.execute(
        "SET TimeZone = 'UTC'; SET python_enable_replacements = false;"
        f"SET memory_limit = '{_MEMORY}'; SET temp_directory = {quoted(str(folder / 'spilled'))};"
        "SET preserve_insertion_order = false; SET threads = 2"
    )
    for macro in scalar_macros():
        connection.execute(macro)
    for name, filled in relations.items():
        path = folder / f"{name}.parquet"
        _write(filled, path)
        connection.execute(f"CREATE VIEW {name} AS FROM read_parquet({quoted(str(path))})")
    return connection


def _write(filled: Filled, path: Path) -> None:
    query = with_literals(filled.query, dict(filled.parameters))
    try:
        if isinstance(filled.source, Reader):
            filled.source.write_parquet(query, path)
        else:
            filled.source.sql(query).write_parquet(str(path))
    except (duckdb.Error, QueryError) as error:
        if "No space left" in str(error):
            raise StoreBroken(path.parent, "the disk is full", _FREE) from None
        raise QueryError(str(error)) from None
