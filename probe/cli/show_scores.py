"""Tables of scores on the terminal: models side by side, each with its columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from analysis.studies.shown import Grid, GridRow, Shown
from probe.cli.show import printable

_LABEL: Final = 16
"""Columns of the terminal that rows' labels may take; longer ones wrap, as cells have lines."""
_INDENT: Final = 2
_BETWEEN: Final = 2
_Columns = Sequence[int]


def show_scores(console: Console, grid: Grid) -> None:
    """Print one table; groups that the terminal has no room for stand below the others."""
    console.print(Text(printable(grid.title), style="bold"))
    if grid.legend:
        console.print(Text(printable(grid.legend), style="dim"))
    parts = list(_parts(console, grid))
    for at, groups in enumerate(parts):
        last = at == len(parts) - 1 and not grid.undefined
        padding = (0, 0, 1 if last else 0, _INDENT)
        console.print(Padding(_table(grid, groups), padding, expand=False))
    if grid.undefined:
        why = Text(printable(f"{'; '.join(grid.undefined)}."), style="dim")
        console.print(Padding(why, (0, 0, 1, _INDENT), expand=False))


def _parts(console: Console, grid: Grid) -> Iterator[list[_Columns]]:
    """Groups of columns by number, as many at a time as the terminal is wide."""
    room = console.width - _INDENT - _label_width(grid)
    numbers = range(len(grid.columns))
    groups = [list(own) for _, own in groupby(numbers, key=lambda at: grid.groups[at])]
    left, part = room, list[_Columns]()
    for own in groups:
        width = _group_width(grid, own) + _BETWEEN
        if part and width > left:
            yield part
            part, left = [], room
        part.append(own)
        left -= width
    yield part


def _label_width(grid: Grid) -> int:
    longest = max(
        max(len(printable(row.label)), len(f"n {row.count}") if row.count else 0)
        for row in grid.rows
    )
    return min(_LABEL, longest)


def _widths(grid: Grid, columns: _Columns) -> list[int]:
    """Of a group's columns; the first has what the group's longest word lacks."""
    widths = [
        max(
            len(printable(grid.columns[at])),
            *(len(line) for row in grid.rows for line in _lines(row.cells[at])),
        )
        for at in columns
    ]
    longest = max(map(len, printable(grid.groups[columns[0]]).split()), default=0)
    widths[0] += max(0, longest - sum(widths) - _BETWEEN * (len(widths) - 1))
    return widths


def _group_width(grid: Grid, columns: _Columns) -> int:
    return sum(_widths(grid, columns)) + _BETWEEN * (len(columns) - 1)


def _lines(cell: Shown | None) -> tuple[str, str, str]:
    """A cell's value with its change, its interval, and the paper's."""
    if cell is None:
        return "", "", ""
    paper = f"({cell.paper})" if cell.paper else ""
    return f"{cell.value} {cell.change}".rstrip(), cell.interval or "", paper


def _table(grid: Grid, groups: Sequence[_Columns]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column("", width=_label_width(grid), overflow="fold")
    heads = [
        textwrap.wrap(printable(grid.groups[own[0]]), _group_width(grid, own)) for own in groups
    ]
    most = max(len(head) for head in heads)
    for own, head in zip(groups, heads, strict=True):
        names = _aligned([printable(grid.columns[at]) for at in own], _widths(grid, own))
        header = Text("\n".join([*head, *[""] * (most - len(head)), names]))
        table.add_column(header, width=_group_width(grid, own), no_wrap=True)
    for row in grid.rows:
        label = Text(printable(row.label))
        if row.count:
            label.append(f"\nn {row.count}", style="dim")
        table.add_row(label, *(_cells(grid, row, own) for own in groups))
    return table


def _cells(grid: Grid, row: GridRow, columns: _Columns) -> Text:
    """A group's cells of one row, in up to three lines."""
    widths = _widths(grid, columns)
    lines = zip(*(_lines(row.cells[at]) for at in columns), strict=True)
    text = Text()
    for number, texts in enumerate(lines):
        if number and not any(texts):
            continue
        if number:
            text.append("\n")
        text.append(_aligned(texts, widths), style="dim" if number else "")
    return text


def _aligned(texts: Sequence[str], widths: Sequence[int]) -> str:
    return (" " * _BETWEEN).join(
        text.rjust(width) for text, width in zip(texts, widths, strict=True)
    )
