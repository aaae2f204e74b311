"""Which statements may run on a store that is read: one, and one that returns rows.

DuckDB's own parser decides, twice: in the process that asks, and again in the process that serves,
which trusts nobody. The first knows kinds of statements; the second also looks at the functions
and tables a query names, since some functions act (stop the server, checkpoint, run another text)
and others read files, which is for the asking process to do, in its own folder.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

import duckdb

from store.errors import QueryError

_REFUSED: Final = (
    "the store is open read-only, for one query that returns rows (select, from, with, values,"
    " describe, show, summarize, explain): {found}"
)
_EXPLAIN: Final = r"^\s*explain\s+(analyze\s+)?"
_SERVED_FUNCTIONS: Final = (
    "duckdb_columns duckdb_constraints duckdb_functions duckdb_keywords duckdb_memory"
    " duckdb_schemas duckdb_settings duckdb_tables duckdb_types duckdb_views generate_series"
    " histogram histogram_values json_each json_tree pragma_database_size pragma_platform"
    " pragma_show pragma_storage_info pragma_table_info pragma_version range repeat repeat_row"
    " summary unnest"
).split()
"""Table functions that only read what the database holds."""


def check(query: str) -> None:
    """Refuse what is not one query.

    Raises:
        QueryError: Says what was found instead.
    """
    if not query.strip(" ;\n\t"):
        raise QueryError("the query is empty; try: from results limit 5")
    try:
        kind = _kind(query)
        if kind == "EXPLAIN":  # EXPLAIN ANALYZE runs what it explains
            inner = re.sub(_EXPLAIN, "", query, count=1, flags=re.IGNORECASE)
            kind = _kind(inner) if inner != query else kind
    except duckdb.Error as error:
        raise QueryError(str(error)) from None
    if kind != "SELECT":
        raise QueryError(_REFUSED.format(found=f"this is {kind}"))


def _kind(query: str) -> str:
    """The kind of the only statement of a text, or in words what there is instead."""
    statements = duckdb.extract_statements(query)
    kinds = [statement.type.name for statement in statements]
    if len(statements) != 1:
        return " and ".join(kinds) or "nothing"
    # DuckDB rewrites some pragmas into queries before it says what they are.
    return "PRAGMA" if _words(query)[0].lower().startswith("pragma") else kinds[0]


def _words(query: str) -> list[str]:
    """A text cut where its tokens start; only a comment in front is left out."""
    data = query.encode()
    starts = [start for start, _ in duckdb.tokenize(query)]
    return [data[a:b].decode() for a, b in pairwise([*starts, len(data)])]


def with_literals(query: str, parameters: dict[str, object]) -> str:
    """A query with its `$names` written out, for a protocol that carries texts only.

    Raises:
        TypeError: A value that is no text, number, truth value, None or list of such.
    """
    words = iter(_words(query))
    made: list[str] = []
    for word in words:
        if word != "$":
            made.append(word)
            continue
        after = next(words)
        name = re.match(r"\w+", after)
        key = name[0] if name else ""
        made.append(_literal(parameters[key]) + after[len(key) :])
    return "".join(made)


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    raise TypeError(f"a parameter of type {type(value).__name__} cannot be written into a query")


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def guard(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """The SQL that makes a macro `name(session, query)`: whether a served query may run.

    Only queries can be serialised, so the parser's own tree is what is looked at. A name inside a
    text of the query cannot be taken for a function's: there its quotes are escaped.
    """
    found = connection.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table'"
    ).fetchall()
    refused = sorted({str(row[0]) for row in found} - set(_SERVED_FUNCTIONS))
    names = ", ".join(quoted(each) for each in refused)
    return f"""
        CREATE OR REPLACE MACRO {name}(session, query) AS (
            SELECT coalesce(
                tree ->> 'error' = 'false'
                AND json_array_length(tree, 'statements') = 1
                AND NOT list_has_any(
                    regexp_extract_all(tree::VARCHAR, '"function_name":"([^"]*)"', 1), [{names}])
                AND NOT regexp_matches(tree::VARCHAR, '"table_name":"[^"]*[./:]'),
                false)
            FROM (SELECT lower(json_serialize_sql(
                regexp_replace(query::VARCHAR, {quoted(_EXPLAIN)}, '', 'i'))::VARCHAR)::JSON AS tree
            )
        )"""
