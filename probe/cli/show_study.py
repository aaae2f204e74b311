"""A study's tables on the terminal: our numbers, the paper's beside them, intervals below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from analysis.studies.grids import grids
from analysis.studies.shown import Grid, Shown
from analysis.studies.study import StudyTable
from probe.cli.show import printable, stdout
from probe.cli.show_scores import show_scores

_LABEL: Final = 13
"""Columns of the terminal that rows' labels may take; longer ones wrap, as cells have two lines."""
_INDENT: Final = 2
_BETWEEN: Final = 2
"""The box's blank divider, and one of padding."""


def show_study(table: StudyTable) -> None:
    """Print a study's tables."""
    console = stdout()
    shown = grids(table)
    made_of = f"{table.mode}, vectors: {', '.join(table.vectors)}"
    if table.experiment:
        made_of = printable(f"experiment {table.experiment}")
    console.print(Text.assemble((table.study, "bold"), f", {made_of}"))
    if not table.experiment:
        ours = "Ours, (the paper's), " if any(grid.printed for grid in shown) else "With "
        console.print(f"{ours}[95 % interval, characters resampled].", style="dim", markup=False)
    console.print()
    for grid in shown:
        show = show_scores if grid.groups else _show_grid
        show(console, grid)
    for note in table.notes:
        console.print(Text(printable(note), style="dim"))


def _show_grid(console: Console, grid: Grid) -> None:
    title = Text(printable(grid.title), style="bold")
    if grid.printed:
        title.append(
            f"  {grid.same} of {grid.printed} as printed in the paper", style="not bold dim"
        )
    console.print(title)
    parts = list(_parts(console, grid))
    for at, columns in enumerate(parts):
        last = at == len(parts) - 1 and not grid.undefined
        padding = (0, 0, 1 if last else 0, _INDENT)
        console.print(Padding(_table(grid, columns), padding, expand=False))
    if grid.undefined:
        why = f"No value or interval: {'; '.join(grid.undefined)}."
        under = Padding(Text(printable(why), style="dim"), (0, 0, 1, _INDENT), expand=False)
        console.print(under)


def _parts(console: Console, grid: Grid) -> Iterator[list[int]]:
    """The columns by number, as many at a time as the terminal is wide."""
    room = console.width - _INDENT - _label_width(grid)
    left, part = room, list[int]()
    for at in range(len(grid.columns)):
        width = _width(grid, at) + _BETWEEN
        if part and width > left:
            yield part
            part, left = [], room
        part.append(at)
        left -= width
    yield part


def _label_width(grid: Grid) -> int:
    longest = max(len(row.label) for row in grid.rows)
    return min(longest, _LABEL) if grid.has_intervals else longest


def _width(grid: Grid, at: int) -> int:
    cells = [row.cells[at] for row in grid.rows]
    texts = [text for cell in cells if cell for text in (_value(cell).plain, cell.interval or "")]
    words = grid.columns[at].split() or [""]
    return max(len(text) for text in (*texts, *words, _count(grid, at)))


def _table(grid: Grid, columns: Iterable[int]) -> Table:
    numbers = list(columns)
    heads = {at: textwrap.wrap(printable(grid.columns[at]), _width(grid, at)) for at in numbers}
    lines = max(len(head) for head in heads.values())
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column("", width=_label_width(grid), overflow="fold")
    for at, head in heads.items():
        header = Text("\n".join(["" for _ in range(lines - len(head))] + head))
        if any(grid.counts):
            header.append(f"\n{_count(grid, at)}", style="not bold dim")
        table.add_column(header, justify="right", width=_width(grid, at))
    for row in grid.rows:
        table.add_row(Text(printable(row.label)), *(_cell(row.cells[at]) for at in numbers))
    return table


def _count(grid: Grid, at: int) -> str:
    return f"n {grid.counts[at]}" if grid.counts[at] else ""


def _cell(cell: Shown | None) -> Text:
    if cell is None:
        return Text("")
    text = _value(cell)
    if cell.interval:
        text.append(f"\n{cell.interval}", style="dim")
    return text


def _value(cell: Shown) -> Text:
    text = Text(cell.value)
    if cell.paper is not None:
        text.append(f" ({cell.paper})", style="dim" if cell.same else "yellow")
    return text
