"""What an export's tables are: columns with types and meanings, and the keys that hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from store.export.decisions import OMITTED, Treatment, treatments
from store.read import Connection

VIEWS: Final = ("results", "accuracy")
"""Views that an export has as tables beside those they are made of."""
_RELATIONS: Final = """
    SELECT table_name, comment FROM duckdb_tables() WHERE NOT internal AND NOT temporary
    UNION ALL
    SELECT view_name, comment FROM duckdb_views() WHERE NOT internal AND view_name IN {views}
    ORDER BY 1"""
_COLUMNS: Final = """
    SELECT column_name, data_type, is_nullable, comment FROM duckdb_columns()
    WHERE table_name = $relation AND NOT internal ORDER BY column_index"""
_TYPES: Final = {
    "BIGINT": "integer",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "DOUBLE": "number",
    "FLOAT": "number",
    "HUGEINT": "number",
    "INTEGER": "integer",
    "TIMESTAMP": "datetime",
    "TIMESTAMP WITH TIME ZONE": "datetime",
    "UBIGINT": "integer",
}
_PRIMARY: Final = {
    "attempts": ("key", "run_id", "attempt"),
    "cells": ("experiment_id", "cell_id"),
    "cast_rows": ("import_id", "ordinal"),
    "choice_rows": ("import_id", "ordinal"),
    "encoders": ("encoder_id",),
    "experiments": ("experiment_id",),
    "feature_rows": ("import_id", "ordinal"),
    "group_rows": ("import_id", "ordinal"),
    "items": ("item_hash",),
    "likelihoods": ("key",),
    "models": ("experiment_id", "model"),
    "pair_rows": ("import_id", "ordinal"),
    "prompts": ("prompt_hash",),
    "replies": ("key",),
    "run_ends": ("run_id",),
    "runs": ("run_id",),
    "scores": ("prompt_hash", "key", "version"),
    "served": ("run_id", "model"),
}
_FOREIGN: Final = (
    ("cells", ("experiment_id",), "experiments"),
    ("cells", ("prompt_hash",), "prompts"),
    ("cells", ("experiment_id", "model"), "models"),
    ("failures", ("run_id",), "runs"),
    ("attempts", ("run_id",), "runs"),
    ("likelihoods", ("key",), "replies"),
    ("models", ("experiment_id",), "experiments"),
    ("prompts", ("item_hash",), "items"),
    ("repeats", ("key",), "replies"),
    ("replies", ("run_id",), "runs"),
    ("run_ends", ("run_id",), "runs"),
    ("runs", ("experiment_id",), "experiments"),
    ("scores", ("key",), "replies"),
    ("scores", ("prompt_hash",), "prompts"),
    ("served", ("run_id",), "runs"),
    ("set_aside", ("experiment_id",), "experiments"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of an export.

    Attributes:
        kind: DuckDB's type.
        meaning: The schema's comment, with its unit; empty where the name says it all.
        how: What was done to it; None of views, which are made of columns that were treated.
    """

    name: str
    kind: str
    required: bool
    meaning: str
    how: Treatment | None

    @property
    def type(self) -> str:
        """The type as a data package calls it."""
        if self.kind.endswith("]"):
            return "array"
        return _TYPES.get(self.kind, "number" if self.kind.startswith("DECIMAL") else "string")

    @property
    def stored(self) -> str:
        """The SQL that gives it as a Parquet file can hold it for everyone: JSON is text there."""
        name = f'"{self.name}"'
        if self.kind == "JSON":
            return f"{name}::VARCHAR AS {name}"
        return f"{name}::DOUBLE AS {name}" if self.kind == "HUGEINT" else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One table of an export.

    Attributes:
        meaning: The schema's comment.
        primary: The columns that tell its rows apart; empty where none do.
        foreign: Columns, and the table whose rows they name by columns of the same names.
    """

    name: str
    meaning: str
    is_view: bool
    columns: tuple[Column, ...]
    primary: tuple[str, ...]
    foreign: tuple[tuple[tuple[str, ...], str], ...]


def relations(work: Connection) -> list[Relation]:
    """What an export has, tables first; only keys that hold for its rows are named."""
    views = "(" + ", ".join(f"'{view}'" for view in VIEWS) + ")"
    found = [
        _relation(work, str(name), str(comment or ""))
        for name, comment in work.execute(_RELATIONS.format(views=views)).fetchall()
        if name not in OMITTED
    ]
    return sorted(found, key=lambda each: (each.is_view, each.name))


def _relation(work: Connection, name: str, meaning: str) -> Relation:
    decided = treatments(name)
    columns = tuple(
        Column(
            name=str(column),
            kind=str(kind),
            required=name not in VIEWS and not nullable,
            meaning=str(comment or ""),
            how=decided.get(str(column)),
        )
        for column, kind, nullable, comment in work.execute(_COLUMNS, {"relation": name}).fetchall()
    )
    primary = _PRIMARY.get(re.sub(r"\d+$", "N", name), ())
    return Relation(
        name=name,
        meaning=meaning,
        is_view=name in VIEWS,
        columns=columns,
        primary=primary if primary and _tells_apart(work, name, primary) else (),
        foreign=tuple(
            (keys, to)
            for table, keys, to in _FOREIGN
            if table == name and _all_there(work, name, keys, to)
        ),
    )


def _tells_apart(work: Connection, table: str, columns: tuple[str, ...]) -> bool:
    listed = ", ".join(columns)
    return not work.execute(
        f"SELECT 1 FROM {table} GROUP BY {listed} HAVING count(*) > 1 LIMIT 1"
    ).fetchall()


def _all_there(work: Connection, table: str, columns: tuple[str, ...], to: str) -> bool:
    listed = ", ".join(columns)
    return not work.execute(
        f"SELECT 1 FROM {table} ANTI JOIN {to} USING ({listed}) LIMIT 1"
    ).fetchall()
