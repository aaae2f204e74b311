"""Prints results: tables for people, csv and json for programs.

Replies and texts are hostile input: control characters are shown, never sent to the terminal.
"""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import json
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from store.read import Answered

_PLAIN_WIDTH: Final = 120
_WIDEST: Final = 48
_MOST_WRAPPED: Final = 8
"""Columns that may share a terminal's width by wrapping; beyond, each row gets a block."""
_DIRECTION_MARKS: Final = frozenset(
    "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def stdout() -> Console:
    """A console on standard output; of a fixed width where that is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def printable(text: str) -> str:
    """A text with control characters and direction marks spelled out; line ends and tabs stay."""
    return "".join(
        char
        if char in "\n\t" or (unicodedata.category(char) != "Cc" and char not in _DIRECTION_MARKS)
        else f"\\x{ord(char):02x}"
        for char in text
    )


def plain(value: object) -> object:
    """A value as JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def cell(value: object) -> str:
    """A value as a table shows it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (float, decimal.Decimal)):
        number = float(value)
        return f"{number:.4g}" if abs(number) < 1e4 else f"{number:,.0f}"
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return printable(str(value))


def show_answered(answered: Answered, form: str) -> None:
    """Print a query's result."""
    if form == "json":
        echo_json(answered.records())
    elif form == "csv":
        echo_csv(answered.columns, answered.rows)
    else:
        _show_table(answered)


def echo_json(records: Sequence[dict[str, object]]) -> None:
    """Print records as a JSON list of objects."""
    click.echo(json.dumps(plain(list(records)), ensure_ascii=False, indent=2))


def echo_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows as CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([plain(value) for value in row] for row in rows)
    click.echo(out.getvalue(), nl=False)


def _show_table(answered: Answered) -> None:
    console = stdout()
    shown = [[cell(value) for value in row] for row in answered.rows]
    widths = [
        min(_WIDEST, max([len(name), *(_longest_line(row[at]) for row in shown)]))
        for at, name in enumerate(answered.columns)
    ]
    wide = sum(widths) + 3 * len(widths) > console.width
    if wide and len(widths) > _MOST_WRAPPED:
        _show_records(console, answered.columns, shown)
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at, name in enumerate(answered.columns):
        numeric = all(
            isinstance(row[at], (int, float, decimal.Decimal, type(None))) for row in answered.rows
        )
        justify: Literal["left", "right"] = "right" if numeric and shown else "left"
        table.add_column(Text(name), justify=justify, overflow="fold")
    for row in shown:
        table.add_row(*(Text(value) for value in row))
    console.print(table)
    console.print(f"{len(shown)} row{'s' * (len(shown) != 1)}", style="dim")


def _longest_line(text: str) -> int:
    return max((len(line) for line in text.split("\n")), default=0)


def _show_records(console: Console, columns: Sequence[str], rows: list[list[str]]) -> None:
    """One block a row, for results wider than the terminal."""
    for number, row in enumerate(rows, start=1):
        console.rule(Text(f"row {number} of {len(rows)}"), align="left", style="dim")
        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in zip(columns, row, strict=True):
            table.add_row(Text(name), Text(value))
        console.print(table)
