"""Copies a store's tables into a database of the export's own, as they all were at one moment.

One query says how far every table goes; then each is read up to there. Tables only grow, and a run
that is on adds its rows behind that, so that what is copied fits together. A column's values are
changed on the way in: what an export leaves out is never in its database.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from store.errors import BadFile, QueryError
from store.export.clean import Cleaner, cleaner
from store.export.decisions import OMITTED, Change, Treatment, treatments
from store.export.words import shortened, withheld, within
from store.gate import quoted
from store.read import Connection, Reader
from store.vectors import ensure_table

_TABLES: Final = """
    SELECT table_name FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal ORDER BY table_name"""
_COLUMNS: Final = """
    SELECT table_name, column_name FROM duckdb_columns()
    WHERE database_name = current_database() AND NOT internal"""
_TYPES: Final = """
    SELECT column_name, data_type FROM duckdb_columns()
    WHERE database_name = current_database() AND table_name = $table ORDER BY column_index"""
_ORDER: Final = (
    "experiments models plan_chunks set_aside cells prompts items replies likelihoods repeats"
    " failures attempts scores runs run_ends served"
).split()
"""Tables that hold what others are chosen by come first."""
_OF_PLANS: Final = "experiment_id IN (SELECT experiment_id FROM experiments)"
_OF_CELLS: Final = "key IN (SELECT key FROM cells)"
_OF_RUNS: Final = "run_id IN (SELECT run_id FROM runs)"
_CHOSEN: Final = {
    "models": _OF_PLANS,
    "plan_chunks": _OF_PLANS,
    "set_aside": _OF_PLANS,
    "cells": _OF_PLANS,
    "prompts": "prompt_hash IN (SELECT prompt_hash FROM cells)",
    "items": "item_hash IN (SELECT item_hash FROM prompts)",
    "replies": _OF_CELLS,
    "likelihoods": _OF_CELLS,
    "repeats": _OF_CELLS,
    "failures": _OF_CELLS,
    "attempts": _OF_CELLS,
    "scores": f"{_OF_CELLS} AND prompt_hash IN (SELECT prompt_hash FROM prompts)",
    # A reply may have come in a run of another experiment that asked the same.
    "runs": f"{_OF_PLANS} OR run_id IN (SELECT run_id FROM replies UNION SELECT run_id FROM"
    " attempts UNION SELECT run_id FROM failures UNION SELECT run_id FROM repeats)",
    "run_ends": _OF_RUNS,
    "served": _OF_RUNS,
}
"""Which rows belong to the experiments that are chosen; of every other table none do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What was copied.

    Attributes:
        texts: A Parquet file with the datasets' texts, for checking that none is left; in the
            working folder, never exported. None where everything may be shared.
    """

    texts: Path | None


def copy_tables(
    reader: Reader, work: Connection, folder: Path, experiments: Sequence[str], *, release: bool
) -> Taken:
    """Copy tables into a database that has the schema and no rows.

    Args:
        reader: The store.
        work: The export's own database.
        folder: For files on the way; they are its user's alone.
        experiments: Names of those wanted; all of them, and all else, where it is empty.
        release: Leave out what may not be shared.

    Raises:
        QueryError: An experiment is not there.
        BadFile: A column has no decision on whether it may be shared.
        StoreGone: The run that serves the store ended in the middle.
    """
    specs = _check_names(reader, experiments)
    ends = _ends(reader)
    columns = _columns(reader)
    works = [str(row[0]) for row in reader.answer("SELECT DISTINCT work FROM items").rows]
    made = _functions(work, cleaner(specs), set(works) if release else set())
    texts: Path | None = None
    for table in _ordered(ends):
        file = folder / f"{table}.raw.parquet"
        _make_table(work, table)
        reader.write_parquet(f'SELECT * FROM "{table}" WHERE rowid <= {ends[table]}', file)
        _insert(work, table, file, columns[table], experiments, made if release else _plain(made))
        if release and table == "items":
            texts = file
        else:
            file.unlink()
    return Taken(texts=texts)


def _check_names(reader: Reader, wanted: Sequence[str]) -> list[str]:
    """The experiment files; raises QueryError where an experiment is not there."""
    rows = reader.answer("SELECT experiment, spec FROM experiments").rows
    known = sorted({str(name) for name, _ in rows})
    for name in wanted:
        if name not in known:
            has = f"the store has {', '.join(known)}" if known else "the store has none"
            raise QueryError(f"no experiment is called {name!r}; {has}")
    return [str(spec) for _, spec in rows]


def _ends(reader: Reader) -> dict[str, int]:
    """The last row of every table, at one moment; -1 of an empty one."""
    tables = [str(row[0]) for row in reader.answer(_TABLES).rows]
    kept = [table for table in tables if table not in OMITTED]
    lasts = ", ".join(f'(SELECT coalesce(max(rowid), -1) FROM "{table}")' for table in kept)
    (row,) = reader.answer(f"SELECT {lasts}").rows
    return {table: int(str(last)) for table, last in zip(kept, row, strict=True)}


def _columns(reader: Reader) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table, column in reader.answer(_COLUMNS).rows:
        found.setdefault(str(table), []).append(str(column))
    return found


def _ordered(tables: Collection[str]) -> list[str]:
    return [
        *(table for table in _ORDER if table in tables),
        *(table for table in tables if table not in _ORDER),
    ]


def _make_table(work: Connection, table: str) -> None:
    if found := re.fullmatch(r"((?:character_)?vectors_)(\d+)", table):
        ensure_table(work, found[1], int(found[2]))


def _functions(
    work: Connection, clean: Cleaner, titles: Collection[str]
) -> dict[Change, tuple[str, str]]:
    """What does each change in SQL: to a text, and to a text of JSON."""
    short = shortened(titles)
    bodies: dict[str, Callable[[str], str]] = {
        "cleaned": clean.text,
        "cleaned_json": clean.json,
        "shortened": short,
        "shortened_json": within(short),
        "withheld": withheld,
        "secretless": clean.secretless,
    }
    for name, body in bodies.items():
        work.create_function(name, body, ["VARCHAR"], "VARCHAR")
    as_it_is = "secretless({0})" if clean.secrets else "{0}"
    return {
        Change.NONE: (as_it_is, as_it_is),
        Change.CLEANED: ("cleaned({0})", "cleaned_json({0})"),
        Change.SHORT: ("shortened({0})", "shortened_json({0})"),
        Change.WITHHELD: ("withheld({0})", "withheld({0})"),
        Change.LEFT_OUT: ("NULL", "NULL"),
        Change.ROUNDED: ("{0}", "{0}"),
    }


def _plain(made: dict[Change, tuple[str, str]]) -> dict[Change, tuple[str, str]]:
    """The changes of an export that is no release."""
    return {change: made[change] for change in (Change.NONE, Change.CLEANED)}


def _insert(
    work: Connection,
    table: str,
    file: Path,
    columns: Sequence[str],
    experiments: Sequence[str],
    made: dict[Change, tuple[str, str]],
) -> None:
    decided = treatments(table)
    types = dict(work.execute(_TYPES, {"table": table}).fetchall())
    parts: list[str] = []
    for column in columns:
        if column not in decided or column not in types:
            raise BadFile(
                file.parent,
                f"table {table}, column {column}",
                "nobody has decided whether it may leave the store",
                "update gistprobe; if this is the newest, report it",
            )
        parts.append(f'{_expression(column, types[column], decided[column], made)} AS "{column}"')
    where = _CHOSEN.get(table, "false") if experiments else "true"
    if experiments and table == "experiments":
        listed = ", ".join(quoted(name) for name in experiments)
        where = f"experiment IN ({listed})"
    work.execute(
        f'INSERT INTO "{table}" BY NAME SELECT {", ".join(parts)}'
        f" FROM read_parquet({quoted(str(file))}) WHERE {where}"
    )


def _expression(column: str, kind: str, how: Treatment, made: dict[Change, tuple[str, str]]) -> str:
    """The SQL that gives a column's values as they are exported."""
    is_json, name = kind == "JSON", f'"{column}"'
    if kind not in {"VARCHAR", "JSON"}:
        if Change.LEFT_OUT in made and how.release is Change.LEFT_OUT:
            return "NULL"
        if Change.ROUNDED in made and how.release is Change.ROUNDED:
            return f"list_transform({name}, lambda x: round(x, 2))"
        return name
    value = f"{name}::VARCHAR"
    for change in dict.fromkeys((how.always, how.release)):
        if change in made:
            value = made[change][is_json].format(value)
    return f"{value}::JSON" if is_json else value
