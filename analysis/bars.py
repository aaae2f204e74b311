"""The bars of a figure in their places, and what they say in words. Pure: nothing is drawn here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.cells import Cell
from analysis.errors import BadFigure

SIDES: Final = {"in": "In-group", "out": "Out-group"}
"""Ending of a cell's column to its name, in the order of a pair's bars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarGrid:
    """One cell for each row, group and side.

    Attributes:
        rows: Name to label, in the order of the panels.
        groups: Name to label, in the order of the x axis.
        cells: By row, group and side.
    """

    rows: Mapping[str, str]
    groups: Mapping[str, str]
    cells: Mapping[tuple[str, str, str], Cell]

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest y to show: all bars, all intervals and zero, with a margin."""
        ys = [0.0, *(number for cell in self.cells.values() for number in _numbers(cell))]
        margin = 0.06 * (max(ys) - min(ys)) or 1.0
        return min(ys) - margin, max(ys) + margin

    @property
    def even(self) -> bool:
        """Whether the two bars of every pair rest on as many cases."""
        return all(
            self.cells[row, group, "in"].n == self.cells[row, group, "out"].n
            for row in self.rows
            for group in self.groups
        )

    def counts(self, row: str) -> list[str]:
        """The cases behind each pair of bars, once where both rest on as many."""
        pairs = [[self.cells[row, group, side].n for side in SIDES] for group in self.groups]
        return ["n = " + " / ".join(map(str, dict.fromkeys(pair))) for pair in pairs]

    def described(self, y_label: str) -> str:
        """Every number in words, for those who cannot see the figure."""
        panels = [
            f"{label}. " + "; ".join(self._said(row, group) for group in self.groups) + "."
            for row, label in self.rows.items()
        ]
        brackets = "In brackets: the 95 % interval, where there is one, and the cases of the bar"
        start = f"Bar chart in {len(panels)} panels. Vertical axis: {y_label}. {brackets}."
        return " ".join([start, *panels])

    def _said(self, row: str, group: str) -> str:
        said = []
        for side, name in SIDES.items():
            cell = self.cells[row, group, side]
            span = cell.interval
            inside = [f"{span.low:z.3f} to {span.high:z.3f}"] if span else []
            inside += [cell.undefined] if cell.undefined else []
            value = "undefined" if cell.value is None else f"{cell.value:z.3f}"
            said.append(f"{name.lower()} {value} ({', '.join([*inside, f'n = {cell.n}'])})")
        return f"{self.groups[group]}: {', '.join(said)}"


def bar_grid(
    cells: Sequence[Cell], row_labels: Mapping[str, str], column_labels: Mapping[str, str]
) -> BarGrid:
    """The grid the cells fill; labels without a cell are left out.

    Raises:
        BadFigure: A place is empty or filled twice, a cell has no place, or a number is not finite.
    """
    placed: dict[tuple[str, str, str], Cell] = {}
    for cell in cells:
        group, _, side = cell.column.rpartition(".")
        if cell.row not in row_labels or group not in column_labels or side not in SIDES:
            raise BadFigure(f"{_name(cell)} has no label, or is neither .in nor .out")
        if (cell.row, group, side) in placed:
            raise BadFigure(f"{_name(cell)} is given twice")
        if not all(map(math.isfinite, _numbers(cell))):
            raise BadFigure(f"{_name(cell)} is not finite")
        placed[cell.row, group, side] = cell
    if not placed:
        raise BadFigure("there are none")
    rows = _present(row_labels, (row for row, _, _ in placed))
    groups = _present(column_labels, (group for _, group, _ in placed))
    for row in rows:
        for group in groups:
            for side in SIDES:
                if (row, group, side) not in placed:
                    raise BadFigure(f"row {row!r}, column '{group}.{side}' is missing")
    return BarGrid(rows=rows, groups=groups, cells=placed)


def _name(cell: Cell) -> str:
    return f"row {cell.row!r}, column {cell.column!r}"


def _numbers(cell: Cell) -> list[float]:
    value = [] if cell.value is None else [cell.value]
    return value + ([cell.interval.low, cell.interval.high] if cell.interval else [])


def _present(labels: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    seen = set(names)
    return {name: label for name, label in labels.items() if name in seen}
