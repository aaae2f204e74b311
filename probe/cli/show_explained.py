"""Prints where a number comes from: definition, query, rows, and the number from these rows."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import click
from rich.padding import Padding
from rich.text import Text

from analysis.errors import BadRequest
from analysis.explain.entries import Entry, Name
from analysis.explain.explanation import Explanation, Held, Record, held_against, rows_of
from analysis.explain.matching import told
from probe.cli.show import cell, echo_json, printable, show_answered, stdout
from store.read import Answered, Reader, ask

_WIDEST: Final = 160
"""Signs that a cell of a row is given on the terminal; csv and json have all."""
_DIGITS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How an explanation is printed.

    Attributes:
        name: What `probe table` calls the tables.
        most: How many rows; None for all.
        form: `table`, `csv` or `json`.
    """

    name: str
    most: int | None
    form: str


def list_tables(name: str, entries: Sequence[Entry], form: str) -> None:
    """Print which tables there are."""
    counts: dict[str, int] = {}
    for each in entries:
        counts[each.table] = counts.get(each.table, 0) + 1
    rows: list[tuple[object, ...]] = [(f"{name}/{table}", n) for table, n in counts.items()]
    show_answered(Answered(("table", "numbers"), rows), form)


def list_places(entries: Sequence[Entry], form: str) -> None:
    """Print the rows and columns that a table or a row of one has."""
    rows = dict.fromkeys(each.row for each in entries)
    columns = dict.fromkeys(each.column for each in entries)
    found: list[tuple[object, ...]] = [("row", told(each)) for each in rows]
    found += [("column", told(each)) for each in columns]
    show_answered(Answered(("what", "called"), found), form)


def explain(entry: Entry, reader: Reader, shown: Shown) -> bool:
    """Print where a number comes from; whether its rows give the number that is printed."""
    own = entry.explain()
    rows = rows_of(reader, own)
    held = held_against(entry.printed, own.recompute(rows))
    if shown.form == "json":
        echo_json([_record(entry, own, rows, held)])
    elif shown.form == "csv":
        show_answered(_answered(rows), "csv")
        for line in (*_said(entry, own), _verdict(own, held)):
            click.echo(printable(line), err=True)
    else:
        _print(entry, own, rows, held, shown)
    return all(each.same for each in held)


def show_behind(entry: Entry, reader: Reader, number: int, shown: Shown) -> None:
    """Print the query for what is behind one of a number's rows, and what it returns.

    Raises:
        BadRequest: There is no such row, or nothing is behind the rows.
    """
    own = entry.explain()
    rows = rows_of(reader, own)
    if own.behind is None:
        raise BadRequest("nothing is behind these rows: they are as the store holds them")
    if number > len(rows):
        raise BadRequest(f"there is no row {number}: the query returns {len(rows)}")
    query = own.behind(rows[number - 1])
    found = ask(reader, query).records()
    if shown.form == "json":
        echo_json([{"query": query, "rows": found}])
    elif shown.form == "csv":
        show_answered(_answered(found), "csv")
    else:
        _print_query(f"Behind row {number}", query)
        _print_rows(found, shown.most)


def _print(
    entry: Entry, own: Explanation, rows: Sequence[Record], held: Sequence[Held], shown: Shown
) -> None:
    console = stdout()
    first, *rest = _said(entry, own)
    console.print(Text(printable(first), style="bold"))
    for line in rest:
        console.print(Padding(Text(printable(line)), (0, 0, 0, 2), expand=False))
    if own.query:
        console.print()
        _print_query("Query", own.query)
        _print_rows(rows, shown.most)
    console.print()
    same = all(each.same for each in held)
    console.print(Text(printable(_verdict(own, held)), style="" if same else "bold red"))
    if own.behind is not None and rows:
        words = [f"{shown.name}/{entry.table}", entry.row.name, entry.column.name]
        again = " ".join(map(shlex.quote, words))
        console.print(
            Text(printable(f"Behind a row: probe explain {again} --behind 1"), style="dim")
        )


def _print_query(heading: str, query: str) -> None:
    """The query alone stands at the margin, so that it can be copied."""
    click.echo(click.style(f"{heading}, as it runs with probe sql:", bold=True))
    click.echo(printable(query))


def _print_rows(rows: Sequence[Record], most: int | None) -> None:
    shown = rows if most is None else rows[:most]
    count = f"{len(rows)} row{'s' * (len(rows) != 1)}"
    if len(shown) < len(rows):
        count += f", the first {len(shown)} of them (--all shows all)"
    click.echo(click.style(f"\n{count}:" if rows else f"\n{count}", bold=True))
    if not shown:
        return
    alike = {
        name: value
        for name, value in rows[0].items()
        if len(rows) > 1 and all(row[name] == value for row in rows)
    }
    if alike:
        said = "; ".join(f"{name} {cell(value)}" for name, value in alike.items())
        stdout().print(Text(f"In every row: {said}", style="dim"))
    own = [{name: row[name] for name in row if name not in alike} for row in shown]
    show_answered(_answered([_cut(row) for row in own]), "table")


def _cut(row: Record) -> dict[str, object]:
    """A row of which no cell is longer than a few lines."""
    return {
        name: value if _fits(value) else f"{str(value)[:_WIDEST]} …" for name, value in row.items()
    }


def _fits(value: object) -> bool:
    return not isinstance(value, (str, list, dict)) or len(str(value)) <= _WIDEST


def _said(entry: Entry, own: Explanation) -> list[str]:
    """The number and its definition, a line each."""
    row, column = (_label(each) for each in (entry.row, entry.column))
    lines = [f"{entry.table}, {row}, {column}: {entry.shown}{_beside(entry)}"]
    if entry.undefined:
        lines.append(f"Undefined: {entry.undefined}.")
    if entry.paper is not None:
        lines.append(f"The paper prints {entry.paper}.")
    told_of = own.definition
    lines += [
        f"What: {told_of.what}",
        f"Formula: {told_of.formula}",
        f"Unit: {told_of.unit}",
        f"Source: {told_of.source}",
    ]
    if told_of.interval:
        lines.append(f"Interval: {told_of.interval}")
    return lines


def _label(own: Name) -> str:
    return own.label or own.name


def _beside(entry: Entry) -> str:
    """What is told beside the number, as records have it."""
    printed = entry.printed
    parts = [f"exactly {printed.value!r}"] if isinstance(printed.value, float) else []
    if printed.interval is not None:
        parts.append(f"95 % [{_number(printed.interval.low)}, {_number(printed.interval.high)}]")
    if printed.p is not None:
        parts.append(f"p {_number(printed.p)}")
    if printed.n is not None:
        parts.append(f"n {printed.n}")
    return f" ({'; '.join(parts)})" if parts else ""


def _verdict(own: Explanation, held: Sequence[Held]) -> str:
    if not own.query:
        return f"There is nothing to work it out from: {own.nothing}."
    parts = []
    for each in held:
        if each.same:
            parts.append(f"{each.name} {_number(each.found)}, as printed")
        else:
            parts.append(
                f"{each.name} {_number(each.found)}, BUT PRINTED IS {_number(each.printed)}"
            )
    return f"Recomputed from these rows: {'; '.join(parts)}"


def _number(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_number, value))}]"
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}"
    return "undefined" if value is None else str(value)


def _answered(rows: Sequence[Record]) -> Answered:
    columns = tuple(rows[0]) if rows else ()
    return Answered(columns, [tuple(row.values()) for row in rows])


def _record(
    entry: Entry, own: Explanation, rows: Sequence[Record], held: Sequence[Held]
) -> dict[str, object]:
    printed, definition = entry.printed, own.definition
    return {
        "table": entry.table,
        "row": entry.row.name,
        "column": entry.column.name,
        "shown": entry.shown,
        "value": printed.value,
        "low": printed.interval.low if printed.interval else None,
        "high": printed.interval.high if printed.interval else None,
        "p": printed.p,
        "n": printed.n,
        "undefined": entry.undefined,
        "paper": entry.paper,
        "what": definition.what,
        "formula": definition.formula,
        "unit": definition.unit,
        "source": definition.source,
        "interval": definition.interval,
        "query": own.query,
        "behind": own.behind(rows[0]) if own.behind and rows else None,
        "recomputed": {
            each.name: {"found": each.found, "printed": each.printed, "same": each.same}
            for each in held
        },
        "rows": list(rows),
    }
