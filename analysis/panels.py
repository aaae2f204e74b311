"""What the panels of a figure hold, and what they say in words. Pure: nothing is drawn here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analysis.cells import Cell, as_printed
from analysis.errors import BadFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Numbers of several series at the same places; what was not asked is not there.

    Attributes:
        heading: What stands above the panel; may be empty.
        places: Labels along the axis, in order.
        series: Labels of what stands side by side at each place, in order.
        cells: By series and place, values in percent or percentage points, or as the figure says.
        line: One further number a place, drawn as a line; empty where there is none.
        line_label: What the line is.
    """

    heading: str
    places: tuple[str, ...]
    series: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    line: Mapping[str, Cell] = field(default_factory=dict)
    line_label: str = ""

    def shown(self) -> list[Cell]:
        """Every cell, those of the line last."""
        return [*self.cells.values(), *self.line.values()]


def checked(panels: Sequence[Panel]) -> list[float]:
    """Every number that the panels show, bounds of intervals with them.

    Raises:
        BadFigure: There is no cell, one stands where no label is, or a number is not finite.
    """
    cells = [cell for panel in panels for cell in panel.shown()]
    if not cells:
        raise BadFigure("there are none")
    for panel in panels:
        for series, place in panel.cells:
            if series not in panel.series or place not in panel.places:
                raise BadFigure(f"row {series!r}, column {place!r} has no label")
        for place in panel.line:
            if place not in panel.places:
                raise BadFigure(f"the line's place {place!r} has no label")
    numbers = [number for cell in cells for number in numbers_of(cell)]
    if not all(map(math.isfinite, numbers)):
        raise BadFigure("a number is not finite")
    return numbers


def numbers_of(cell: Cell) -> list[float]:
    """A cell's value and the bounds of its interval, as far as there are any."""
    value = [] if cell.value is None else [cell.value]
    return value + ([cell.interval.low, cell.interval.high] if cell.interval else [])


def described(kind: str, axis: str, panels: Sequence[Panel], decimals: int = 1) -> str:
    """Every number of a figure in words, for those who cannot see it.

    Args:
        kind: What sort of figure it is, such as "Bar chart".
        axis: What its numbers are, with their unit.
        panels: What it shows.
        decimals: Digits after the point (count).
    """
    brackets = "In brackets: the 95 % interval, where there is one, and the items"
    number = f"{len(panels)} panel{'s' * (len(panels) != 1)}"
    said = [_said(panel, decimals) for panel in panels]
    return " ".join([f"{kind} in {number}. Numbers: {axis}. {brackets}.", *said])


def _said(panel: Panel, decimals: int) -> str:
    places = []
    for place in panel.places:
        said = [
            f"{series} {_number(panel.cells[series, place], decimals)}"
            for series in panel.series
            if (series, place) in panel.cells
        ]
        if place in panel.line:
            said.append(f"{panel.line_label} {_number(panel.line[place], decimals)}")
        places.append(f"{place}: {', '.join(said) or 'not asked'}")
    return f"{panel.heading + '. ' if panel.heading else ''}{'; '.join(places)}."


def _number(cell: Cell, decimals: int) -> str:
    span = cell.interval
    ends = [as_printed(end, decimals) for end in (span.low, span.high)] if span else []
    inside = [" to ".join(ends)] if ends else []
    inside += [cell.undefined] if cell.undefined else []
    value = "undefined" if cell.value is None else as_printed(cell.value, decimals)
    return f"{value} ({', '.join([*inside, f'n = {cell.n}'])})"
