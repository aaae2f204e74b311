"""What a store holds that can be named in a query: tables, views, their columns, and macros."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from probe.cli.sql_shell.session import Session
from store.read import Answered, Reader

_RELATIONS: Final = """
    SELECT table_name AS name, 'table' AS kind, comment FROM duckdb_tables()
    WHERE database_name IN (current_database(), 'memory') AND NOT internal
    UNION ALL
    SELECT view_name, 'view', comment FROM duckdb_views()
    WHERE database_name IN (current_database(), 'memory') AND NOT internal
    ORDER BY kind DESC, name"""
_COLUMNS: Final = """
    SELECT table_name, column_name AS "column", data_type AS type, comment FROM duckdb_columns()
    WHERE database_name IN (current_database(), 'memory') AND NOT internal
    ORDER BY table_name, column_index"""
_MACROS: Final = """
    SELECT function_name AS name,
           function_name || '(' || array_to_string(parameters, ', ') || ')' AS call,
           CASE function_type WHEN 'macro' THEN 'a value' ELSE 'rows' END AS gives, comment
    FROM duckdb_functions()
    WHERE database_name IN (current_database(), 'memory') AND NOT internal
          AND function_type LIKE '%macro'
    ORDER BY name"""
_WORDS: Final = """
    SELECT DISTINCT keyword_name AS word FROM duckdb_keywords()
    UNION SELECT DISTINCT function_name FROM duckdb_functions()
    WHERE internal AND regexp_full_match(function_name, '[a-z][a-z0-9_]+')
    ORDER BY 1"""
_RESERVED: Final = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Names of a store.

    Attributes:
        relations: Columns name, kind (table or view) and comment.
        columns: Columns table_name, column, type and comment; in a relation's own order.
        macros: Columns name, call, gives and comment.
        words: DuckDB's keywords and functions.
        reserved: Keywords that a name must be quoted to be.
    """

    relations: Answered
    columns: Answered
    macros: Answered
    words: tuple[str, ...]
    reserved: frozenset[str]
    of: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Put each relation's columns together."""
        for table, column, _, _ in self.columns.rows:
            self.of[str(table)] = (*self.of.get(str(table), ()), str(column))

    def names(self, kind: str = "") -> list[str]:
        """Names of tables, views, or both."""
        return [str(name) for name, what, _ in self.relations.rows if kind in {"", what}]

    def macro_names(self) -> list[str]:
        """Names of the store's macros."""
        return list(dict.fromkeys(str(row[0]) for row in self.macros.rows))


def read_catalogue(session: Session) -> Catalogue:
    """What a store holds now; raises as `Session.ask` does."""

    def read(reader: Reader) -> Catalogue:
        words = reader.answer(_WORDS).rows
        return Catalogue(
            relations=reader.answer(_RELATIONS),
            columns=reader.answer(_COLUMNS),
            macros=reader.answer(_MACROS),
            words=tuple(str(word) for (word,) in words),
            reserved=frozenset(str(word) for (word,) in reader.answer(_RESERVED).rows),
        )

    return session.do(read)
