"""A study's tables as LaTeX, for the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from analysis.studies.shown import Grid, GridRow, Shown

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "<": "$<$",
    ">": "$>$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "†": r"\textdagger{}",
}


def latex(tables: Iterable[Grid]) -> str:
    r"""One table environment a grid, each with the paper's numbers in parentheses beside ours.

    Intervals stand under the numbers. Needs `\\usepackage{booktabs}` in the preamble.
    """
    return "\n".join(_grouped(grid) if grid.groups else _table(grid) for grid in tables)


def _table(grid: Grid) -> str:
    header = " & ".join(["", *(escaped(column) for column in grid.columns)])
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * len(grid.columns)}}}",
        r"\toprule",
        rf"{header} \\",
        *_counts(grid),
        r"\midrule",
        *(line for row in grid.rows for line in _row(grid, row)),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{escaped(grid.caption)}.{escaped(_legend(grid))}}}",
        rf"\label{{tab:{_label(grid)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _label(grid: Grid) -> str:
    return re.sub(r"[^a-z0-9]+", "-", grid.table.lower()).strip("-")


def _grouped(grid: Grid) -> str:
    """A table whose columns share headings, with a column of counts; intervals below numbers."""
    heads, rules, at = list[str](), list[str](), 3
    for name, own in groupby(grid.groups):
        width = len(list(own))
        heads.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}")
        rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
        at += width
    header = " & ".join(["", "$n$", *(escaped(column) for column in grid.columns)])
    undefined = f" {'; '.join(grid.undefined)}." if grid.undefined else ""
    said = escaped(f"{grid.caption}. {grid.legend}{undefined}".rstrip())
    lines = [
        r"\begin{table*}",
        r"\centering",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\begin{{tabular}}{{lr{'r' * len(grid.columns)}}}",
        r"\toprule",
        rf"{' & '.join(['', '', *heads])} \\",
        "".join(rules),
        rf"{header} \\",
        r"\midrule",
        *(line for row in grid.rows for line in _score_row(row)),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{said}}}",
        rf"\label{{tab:{_label(grid)}}}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _score_row(row: GridRow) -> list[str]:
    cells = [cell or Shown(value="", paper=None, same=False, interval=None) for cell in row.cells]
    values = [escaped(f"{cell.value} {cell.change}".rstrip()) for cell in cells]
    lines = [rf"{' & '.join([escaped(row.label), escaped(row.count), *values])} \\"]
    below = [
        [cell.interval or "" for cell in cells],
        [f"({cell.paper})" if cell.paper else "" for cell in cells],
    ]
    for texts in below:
        if any(texts):
            small = (rf"{{\scriptsize {escaped(text)}}}" if text else "" for text in texts)
            lines.append(rf"{' & '.join(['', '', *small])} \\")
    return lines


def _counts(grid: Grid) -> list[str]:
    if not any(grid.counts):
        return []
    counts = " & ".join(["$n$", *(escaped(count) for count in grid.counts)])
    return [rf"{counts} \\"]


def _row(grid: Grid, row: GridRow) -> list[str]:
    values = " & ".join([escaped(row.label), *(_value(cell) for cell in row.cells)])
    lines = [rf"{values} \\"]
    if grid.has_intervals:
        intervals = (
            rf"{{\scriptsize {cell.interval}}}" if cell and cell.interval else ""
            for cell in row.cells
        )
        lines.append(rf"{' & '.join(['', *intervals])} \\")
    return lines


def _value(cell: Shown | None) -> str:
    if cell is None:
        return ""
    value = escaped(cell.value) if "–" in cell.value else f"${cell.value}$"
    return value if cell.paper is None else f"{value} (${cell.paper}$)"


def _legend(grid: Grid) -> str:
    parts = []
    if grid.printed:
        parts.append(" In parentheses: as the paper prints it.")
    if grid.has_intervals:
        parts.append(" In brackets: 95 % intervals, characters resampled.")
    return "".join(parts)


def escaped(text: str) -> str:
    """A text whose characters mean nothing to LaTeX."""
    return "".join(_SPECIAL.get(char, char) for char in text)
