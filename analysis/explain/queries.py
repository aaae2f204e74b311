"""Writes queries that run as they stand: parameters as literals, conditions that pick rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from store.gate import with_literals

_INDENT: Final = "    "
_PLAIN: Final = re.compile(r"[a-z_]+")
_RESERVED: Final = frozenset({"group", "end", "count"})


def literal(value: object) -> str:
    """A value as SQL writes it."""
    head = "SELECT "
    return with_literals(f"{head}$value", {"value": value}).removeprefix(head)


def condition(column: str, value: object) -> str:
    """That a column has a value."""
    name = column if _PLAIN.fullmatch(column) and column not in _RESERVED else f'"{column}"'
    return f"{name} IS NULL" if value is None else f"{name} = {literal(value)}"


def conditions(wanted: Mapping[str, object], *more: str) -> str:
    """All of several conditions, a line each where they are many."""
    each = [*(condition(column, value) for column, value in wanted.items()), *filter(None, more)]
    return "\n  AND ".join(each)


def select(
    columns: Sequence[str], view: str, wanted: Mapping[str, object], *more: str, order: str = "ALL"
) -> str:
    """Columns of a view's rows that meet conditions."""
    return (
        f"SELECT {', '.join(columns)}\nFROM {view}\nWHERE {conditions(wanted, *more)}\n"
        f"ORDER BY {order}"
    )


def within(
    text: str,
    parameters: Mapping[str, object],
    wanted: Mapping[str, object],
    *more: str,
    order: str = "ALL",
) -> str:
    """One of the project's queries with its parameters written out, cut down to some rows.

    Args:
        text: The query as its file has it.
        parameters: Of the query.
        wanted: Column -> the value that the rows have there.
        more: Conditions in SQL.
        order: Of the rows.
    """
    inner = indented(with_literals(body(text), dict(parameters)))
    where = conditions(wanted, *more)
    picked = f"\nWHERE {where}" if where else ""
    return f"SELECT * FROM (\n{inner}\n){picked}\nORDER BY {order}"


def body(text: str) -> str:
    """A query without what its file says first, which is of its parameters."""
    lines = text.strip().splitlines()
    first = next(at for at, line in enumerate(lines) if not line.startswith("--"))
    return "\n".join(lines[first:])


def indented(text: str, by: str = _INDENT) -> str:
    """A text moved to the right."""
    return "\n".join(by + line if line else line for line in text.splitlines())


def any_of(each: Iterable[Mapping[str, object]]) -> str:
    """That one of several sets of conditions is met."""
    parts = dict.fromkeys(
        " AND ".join(condition(column, value) for column, value in own.items()) for own in each
    )
    if len(parts) < 2:
        return next(iter(parts), "")
    return f"({' OR '.join(f'({part})' for part in parts)})"


REPLY_COLUMNS: Final = (
    "item_id",
    "names",
    "prompt",
    "sample",
    "outcome",
    "answer",
    "gold",
    "score",
    "unparsed",
    "reply",
)
"""What is shown of a cell behind a row."""


def replies(wanted: Mapping[str, object], *more: str) -> str:
    """The cells behind a row: item, answer, gold, score and reply."""
    order = "item_id, names, prompt, sample"
    return select(REPLY_COLUMNS, "results", wanted, *more, order=order)
