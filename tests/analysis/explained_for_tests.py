"""Holds every number of tables against what the rows behind it give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

import duckdb

from analysis.explain.entries import Entry
from analysis.explain.explanation import Definition, held_against
from store.read import DATABASE, Connection, Reader, Source, ask, open_read

VIEWS = ("similarity", "characters", "character_groups", "character_pairs", "character_choices")
NOT_SAID = ("interval",)
"""What a definition may leave empty."""


def verified(entries: Iterable[Entry], source: Source) -> int:
    """Check every number; how many there were.

    A query runs once, and what it returns is held against all numbers that it stands behind.
    """
    answers: dict[str, list[dict[str, object]]] = {}
    count = 0
    for entry in entries:
        told = entry.explain()
        where = (entry.table, entry.row.name, entry.column.name)
        check_definition(told.definition, where)
        if told.query and told.query not in answers:
            answers[told.query] = ask(source, told.query).records()
        rows = answers.get(told.query, [])
        assert told.query or told.nothing, where
        if entry.printed.value not in (None, 0, 0.0):
            assert rows, f"{where}: no row is behind {entry.printed.value}"
        if entry.printed.value is None:
            assert entry.undefined or entry.paper or told.nothing, where
        wrong = [
            each for each in held_against(entry.printed, told.recompute(rows)) if not each.same
        ]
        assert not wrong, (where, wrong)
        count += 1
    return count


def check_definition(own: Definition, where: Sequence[str]) -> None:
    for field in fields(own):
        text = getattr(own, field.name)
        assert text or field.name in NOT_SAID, (where, field.name)
        assert "{" not in text, (where, text)
        assert "None" not in text, (where, text)


def behind_all(entries: Iterable[Entry], source: Source) -> int:
    """Run the query behind the first row of each number; how many there were."""
    count, seen = 0, set()
    for entry in entries:
        told = entry.explain()
        if told.behind is None or not told.query or told.query in seen:
            continue
        seen.add(told.query)
        rows = ask(source, told.query).records()
        if rows:
            assert ask(source, told.behind(rows[0])).rows, told.behind(rows[0])
            count += 1
    return count


def one_of_each(entries: Iterable[Entry]) -> list[Entry]:
    """The first number of each table with rows behind it."""
    found: dict[str, Entry] = {}
    for each in entries:
        if each.printed.value is not None:
            found.setdefault(each.table, each)
    return list(found.values())


def with_views_held(store: Path) -> Reader:
    """The same store with its corpora's views as tables, so that many queries can be run on it."""
    connection = duckdb.connect(str(store / DATABASE))
    for view in VIEWS:
        connection.execute(
            f"CREATE TABLE held AS FROM {view}; DROP VIEW {view}; ALTER TABLE held RENAME TO {view}"
        )
    connection.close()
    return open_read(store)


def number(source: Connection | Reader, formula: str, query: str) -> float:
    """A formula in SQL over what a query returns."""
    return float(str(ask(source, f"SELECT {formula} FROM (\n{query}\n)").rows[0][0]))
