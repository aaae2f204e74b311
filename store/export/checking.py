"""Looks for a dataset's words in a release before anyone gets it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from store.errors import BadFile
from store.export.schema import Column, Relation
from store.export.words import runs_of_words, texts_in
from store.gate import quoted
from store.read import Connection

_LONG: Final = r"\w\W+\w+\W+\w+\W+\w+\W+\w"
_BATCH: Final = 1_000


def refuse_quotations(
    work: Connection, texts: Path, found: Sequence[Relation], target: Path
) -> None:
    """Refuse a release in which five words in a row of a dataset's text are left.

    Titles of works are no quotations.

    Args:
        work: The export's database.
        texts: A Parquet file whose columns text and question hold the datasets' texts.
        found: The export's tables.
        target: Where it was to go.

    Raises:
        BadFile: Names the table and column.
    """
    titles = {
        run
        for title in _values(work, "SELECT DISTINCT work FROM items")
        for run in runs_of_words(title)
    }
    left: dict[tuple[str, ...], tuple[str, str]] = {}
    for relation in found:
        for column in relation.columns:
            for run in _runs(work, relation, column):
                if run not in titles:
                    left.setdefault(run, (relation.name, column.name))
    if not left:
        return
    columns = {row[0] for row in work.execute(f"DESCRIBE FROM {quoted(str(texts))}").fetchall()}
    for column in sorted(columns & {"text", "question"}):
        for text in _values(work, f"SELECT {column} FROM {quoted(str(texts))}"):
            for run in runs_of_words(text):
                if run in left:
                    table, name = left[run]
                    raise BadFile(
                        target,
                        f"table {table}, column {name}",
                        "five words in a row of a dataset's text would be released",
                        "take them out of what you wrote, or leave the experiment out with"
                        " --experiment",
                    )


def _runs(work: Connection, relation: Relation, column: Column) -> Iterator[tuple[str, ...]]:
    if column.kind not in {"VARCHAR", "JSON"}:
        return
    name = f'"{column.name}"::VARCHAR'
    query = (
        f'SELECT DISTINCT {name} FROM "{relation.name}"'
        f" WHERE regexp_matches({name}, {quoted(_LONG)})"
    )
    for value in _values(work, query):
        for text in texts_in(value):
            yield from runs_of_words(text)


def _values(work: Connection, query: str) -> Iterator[str]:
    cursor = work.cursor()
    cursor.execute(query)
    while rows := cursor.fetchmany(_BATCH):
        yield from (str(row[0]) for row in rows if row[0] is not None)
