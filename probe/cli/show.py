"""Prints results: tables and Markdown for people, CSV for their spreadsheets, JSON for programs.

Replies and texts are hostile input. Characters that a terminal obeys or that nobody sees are
spelled out; a text that a spreadsheet would take for a formula gets a single quote in front, which
makes it text there; and Markdown's and HTML's own signs are escaped.
"""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import json
import math
import re
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
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of what moves the cursor, turns the writing round, ends lines or has no width."""
_FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet's formula can begin with; full-width forms count in some."""
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MARKUP: Final = {
    **{sign: f"\\{sign}" for sign in "\\`*_{}[]()#+-!|~$"},
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "@": "&#64;",  # a name behind it is told on some sites
    ":": "&#58;",  # some readers make an address a link
    "\t": " ",
    "\n": "<br>",
}


def stdout() -> Console:
    """A console on standard output; of a fixed width where that is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def printable(text: str) -> str:
    r"""A text with what is unseen or obeyed spelled out; line ends and tabs stay.

    That is control characters, marks of direction, characters without width and Unicode's own ends
    of lines and paragraphs, each as its number: `\x1b`, `\x202e`.
    """
    if text.isprintable():
        return text
    return "".join(
        f"\\x{ord(char):02x}" if char not in "\n\t" and _unseen(char) else char for char in text
    )


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in _UNSEEN


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
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
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
    if form == "table":
        _show_table(stdout(), answered)
    else:
        click.echo(written(answered, form), nl=False)


def written(answered: Answered, form: str, *, raw: bool = False) -> str:
    """A query's result as text, its last line ended.

    Args:
        answered: The result.
        form: table, csv, json or markdown.
        raw: Of csv: values as they are, for programs.
    """
    if form == "json":
        return json_text(answered.records())
    if form == "csv":
        return csv_text(answered.columns, answered.rows, raw=raw)
    if form == "markdown":
        return markdown_text(answered)
    return table_text(answered)


def table_text(
    answered: Answered, *, width: int = _PLAIN_WIDTH, styled: bool = False, expanded: bool = False
) -> str:
    """A query's result as a table.

    Args:
        answered: The result.
        width: Of a line (characters).
        styled: With the terminal's bold and dim.
        expanded: One block a row, whatever its width.
    """
    out = io.StringIO()
    console = Console(file=out, highlight=False, width=width, force_terminal=styled)
    _show_table(console, answered, expanded=expanded)
    return out.getvalue()


def echo_json(records: Sequence[dict[str, object]]) -> None:
    """Print records as a JSON list of objects."""
    click.echo(json_text(records), nl=False)


def json_text(records: object) -> str:
    """Records as JSON, with what is unseen or obeyed as JSON's own escapes: nothing is lost."""
    text = json.dumps(plain(records), ensure_ascii=False, indent=2) + "\n"
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        json.dumps(char)[1:-1] if char != "\n" and _unseen(char) else char for char in text
    )


def echo_csv(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, raw: bool = False
) -> None:
    """Print rows as CSV with a header; as `csv_text`."""
    click.echo(csv_text(columns, rows, raw=raw), nl=False)


def csv_text(columns: Sequence[str], rows: Sequence[Sequence[object]], *, raw: bool = False) -> str:
    """Rows as CSV with a header.

    A text that a spreadsheet would take for a formula gets a single quote in front, and what is
    unseen is spelled out. Numbers are as they are, also where they are negative.

    Args:
        columns: The header.
        rows: Their values, in the header's order.
        raw: Texts as they are too, for programs.
    """
    lines = _Lines()
    # With this end of lines the writer also quotes a cell that holds a carriage return.
    writer = csv.writer(lines, lineterminator="\r\n")
    write = _exact if raw else _guarded
    writer.writerow([write(name) for name in columns])
    writer.writerows([write(value) for value in row] for row in rows)
    return "".join(lines.written)


class _Lines:
    """Takes rows from a writer and ends them with a line feed alone."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, line: str) -> int:
        self.written.append(line.removesuffix("\r\n") + "\n")
        return len(line)


def _exact(value: object) -> object:
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(plain(value), ensure_ascii=False)
    return value if isinstance(value, float) else plain(value)


def _guarded(value: object) -> object:
    found = _exact(value)
    if not isinstance(found, str):
        return found
    is_formula = found.startswith(_FORMULA) and not _NUMBER.fullmatch(found)
    return ("'" if is_formula else "") + printable(found)


def markdown_text(answered: Answered) -> str:
    """A query's result as a Markdown table in which no text is markup, HTML or a link."""
    rules = ("--:" if _is_numeric(answered, at) else ":--" for at in range(len(answered.columns)))
    lines = [[_unmarked(name) for name in answered.columns], rules]
    lines += [[_unmarked(cell(value)) for value in row] for row in answered.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _unmarked(text: str) -> str:
    return "".join(_MARKUP.get(char, char) for char in printable(text))


def _is_numeric(answered: Answered, at: int) -> bool:
    found = [row[at] for row in answered.rows if row[at] is not None]
    return bool(found) and all(isinstance(value, (int, float, decimal.Decimal)) for value in found)


def _show_table(console: Console, answered: Answered, *, expanded: bool = False) -> None:
    shown = [[cell(value) for value in row] for row in answered.rows]
    widths = [
        min(_WIDEST, max([len(name), *(_longest_line(row[at]) for row in shown)]))
        for at, name in enumerate(answered.columns)
    ]
    wide = sum(widths) + 3 * len(widths) > console.width
    if expanded or (wide and len(widths) > _MOST_WRAPPED):
        _show_records(console, answered.columns, shown)
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at, name in enumerate(answered.columns):
        justify: Literal["left", "right"] = "right" if _is_numeric(answered, at) else "left"
        table.add_column(Text(printable(name)), justify=justify, overflow="fold")
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
            table.add_row(Text(printable(name)), Text(value))
        console.print(table)
