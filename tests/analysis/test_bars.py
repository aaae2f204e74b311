"""Cells in their places, and what they say in words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from analysis.bars import bar_grid
from analysis.cells import Cell
from analysis.errors import BadFigure
from analysis.statistics import Interval
from tests.analysis.bars_for_tests import GROUPS, ROWS, cells


def test_the_description_says_every_number() -> None:
    """Nothing rounds to -0, and an undefined cell comes with its reason."""
    assert bar_grid(cells(), ROWS, GROUPS).described("Mean cosine similarity") == (
        "Bar chart in 2 panels. Vertical axis: Mean cosine similarity. In brackets: the 95 % "
        "interval, where there is one, and the cases of the bar. "
        "What they do. Skipper: in-group 0.500 (0.375 to 0.750, n = 7), "
        "out-group -0.125 (-0.250 to 0.000, n = 7); "
        "Cook & mate, $5 to $6 <each>: in-group 0.250 (0.300 to 0.400, n = 4), "
        "out-group 0.000 (n = 4). "
        "What they say. Skipper: in-group undefined (one character, n = 1), "
        "out-group -0.200 (-0.300 to -0.100, n = 6); "
        "Cook & mate, $5 to $6 <each>: in-group 0.000 (n = 4), "
        "out-group 0.100 (0.000 to 0.200, n = 4)."
    )


def without(row: str, column: str) -> list[Cell]:
    return [each for each in cells() if (each.row, each.column) != (row, column)]


FIRST = Cell(table="Figure 9", row="deeds", column="skipper.in", value=0.5, n=7)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([], "there are none"),
        (without("words", "cook.out"), "row 'words', column 'cook.out' is missing"),
        ([*cells(), FIRST], "row 'deeds', column 'skipper.in' is given twice"),
        ([replace(FIRST, row="other")], "row 'other', column 'skipper.in' has no label"),
        ([replace(FIRST, column="other.in")], "column 'other.in' has no label"),
        ([replace(FIRST, column="skipper.up")], "column 'skipper.up' has no label, or is neither"),
        ([replace(FIRST, column="skipper")], "column 'skipper' has no label, or is neither"),
        ([replace(FIRST, value=float("nan"))], "column 'skipper.in' is not finite"),
        ([replace(FIRST, interval=Interval(0, float("inf")))], "'skipper.in' is not finite"),
    ],
)
def test_cells_that_make_no_figure_are_refused(given: list[Cell], found: str) -> None:
    """A gap or a doubled bar is not drawn in silence; the error names the cell."""
    with pytest.raises(BadFigure, match=f"^these cells make no figure: .*{re.escape(found)}"):
        bar_grid(given, ROWS, GROUPS)
