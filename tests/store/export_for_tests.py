"""Exports of small stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from store.database import Database
from store.export import Asked, Source, export
from store.insert import insert
from store.read import Connection
from store.rows import Row

NOW = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
EXCERPTS = Source(name="excerpts", title="Excerpts", licence="theirs", path="https://doi.org/x")


def wanted(*chosen: str, release: bool = False, licence: str = "") -> Asked:
    return Asked(
        created=NOW,
        release=release,
        licence=licence,
        chosen=chosen,
        sources={"excerpts": EXCERPTS},
    )


def store_of(path: Path, rows: Iterable[Row], *more: Callable[[Connection], object]) -> Path:
    """A store with these rows, and what else is done to its database."""
    with Database(path) as database:
        database.call(lambda connection: insert(connection, list(rows)))
        for act in more:
            database.call(act)
    return path


def exported(store: Path, target: Path, *chosen: str, release: bool = False) -> Path:
    export(store, target, wanted(*chosen, release=release))
    return target


def read(folder: Path, query: str) -> list[tuple[object, ...]]:
    """What a query on an export's files gives; `{name}` stands for a table."""
    tables = {file.stem: f"'{file}'" for file in (folder / "data").iterdir()}
    return duckdb.sql(query.format(**tables)).fetchall()
