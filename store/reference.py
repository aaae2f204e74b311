"""What a store's tables, views and macros hold, in Markdown, by the schema's own comments.

The questions that people ask of them stand in `store/schema/questions.toml`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from store.read import Answered, Source, ask

_RELATIONS: Final = """
    SELECT table_name AS name, 'table' AS kind, comment, '' AS sql
    FROM duckdb_tables() WHERE NOT internal
    UNION ALL
    SELECT view_name, 'view', comment, sql FROM duckdb_views() WHERE NOT internal
    ORDER BY ALL"""
_COLUMNS: Final = """
    SELECT table_name, column_name, data_type, comment
    FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index"""
_MACROS: Final = """
    SELECT function_name AS name, function_type = 'table_macro' AS gives_rows, parameters, comment
    FROM duckdb_functions()
    WHERE NOT internal AND function_type IN ('macro', 'table_macro')
          AND database_name IN (current_database(), 'memory')
    ORDER BY ALL"""
_OF_A_DIMENSION: Final = re.compile(r"vectors_\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something that people ask of their results.

    Attributes:
        title: The question.
        note: What to know about the answer, in Markdown; may be empty.
        sql: One query that returns rows.
    """

    title: str
    note: str
    sql: str


def questions() -> tuple[Question, ...]:
    """The questions of `docs/sql.md`, in their order."""
    text = (files("store.schema") / "questions.toml").read_text(encoding="utf-8")
    return tuple(
        Question(title=each["title"], note=each.get("note", ""), sql=each["sql"].strip())
        for each in tomllib.loads(text)["question"]
    )


def undescribed(source: Source) -> list[str]:
    """Tables, views, columns and macros of a store that have no comment."""
    names = [str(row[0]) for row in ask(source, _RELATIONS).rows if not row[2]]
    names += [f"{row[0]}.{row[1]}" for row in ask(source, _COLUMNS).rows if not row[3]]
    names += [f"{row[0]}()" for row in ask(source, _MACROS).rows if not row[3]]
    return names


def reference(source: Source) -> str:
    """Every view, macro and table of a store with its columns, as Markdown sections.

    The tables that hold vectors, one a dimension, are left out: a view runs over all of them.
    """
    relations = [
        row
        for row in ask(source, _RELATIONS).records()
        if not _OF_A_DIMENSION.search(str(row["name"]))
    ]
    columns: dict[str, list[Sequence[object]]] = {}
    for name, *rest in ask(source, _COLUMNS).rows:
        columns.setdefault(str(name), []).append(rest)
    known = {str(row["name"]) for row in relations}
    parts: list[str] = []
    for kind, title in (("view", "Views"), ("macro", "Macros"), ("table", "Tables")):
        parts += [f"## {title}", ""]
        if kind == "macro":
            parts += [*_macros(source), ""]
        for row in (each for each in relations if each["kind"] == kind):
            name = str(row["name"])
            parts += [f"### {name}", "", str(row["comment"]), ""]
            if kind == "view" and (sources := _sources(name, str(row["sql"]), known)):
                parts += [f"Source: {sources}.", ""]
            parts += [*_table(("column", "type", "meaning"), _rows(columns[name])), ""]
    return "\n".join(parts).rstrip() + "\n"


def _rows(columns: Iterable[Sequence[object]]) -> Iterator[tuple[str, str, str]]:
    for name, data_type, comment in columns:
        yield f"`{name}`", str(data_type), str(comment)


def _sources(name: str, sql: str, known: set[str]) -> str:
    """The tables, views and macros that a view's query names."""
    body = sql.split(" AS ", 1)[1]
    found = re.findall(r"(?:FROM|JOIN)\s+\(*\s*\"?(\w+)\"?", body)
    own = {each for each in found if each in known and each != name}
    if "differences(" in body:
        own.add("differences")
    return ", ".join(f"`{each}`" for each in sorted(own))


def _macros(source: Source) -> list[str]:
    def rows() -> Iterator[tuple[str, str, str]]:
        for row in ask(source, _MACROS).records():
            given = row["parameters"]
            names = ", ".join(map(str, given)) if isinstance(given, list) else ""
            call = f"{row['name']}({names})"
            yield (
                f"`FROM {call}`" if row["gives_rows"] else f"`{call}`",
                "rows" if row["gives_rows"] else "a value",
                str(row["comment"]),
            )

    return _table(("macro", "gives", "meaning"), rows())


def answered_questions(source: Source) -> str:
    """Every question with its query and what it gives on a store, as Markdown sections."""
    parts: list[str] = []
    for number, each in enumerate(questions(), start=1):
        parts += [f"### {number}. {each.title}", ""]
        if each.note:
            parts += [each.note, ""]
        parts += ["```sql", each.sql, "```", "", *_result(ask(source, each.sql)), ""]
    return "\n".join(parts).rstrip() + "\n"


def _result(answered: Answered) -> list[str]:
    return _table(answered.columns, ([_shown(value) for value in row] for row in answered.rows))


def _shown(value: object) -> str:
    """A value as a cell of a table; NULL is empty."""
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, list) else str(value)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(columns), line("---" for _ in columns), *map(line, rows)]
