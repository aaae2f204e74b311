"""Dot charts of works and scores, read back from the drawn artists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from analysis.cells import Cell
from analysis.errors import BadFigure
from analysis.panels import Panel
from analysis.statistics import Interval

pytest.importorskip("matplotlib", reason="needs the `report` extra: pip install -e '.[report]'")

from analysis.plots import Chart, dots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("Well-known", "Little-known")


def cell(value: float | None, low: float | None = None, high: float | None = None) -> Cell:
    interval = None if low is None or high is None else Interval(low, high)
    return Cell(table="t", row="r", column="c", value=value, n=9, interval=interval)


NUMBERS = {
    ("Well-known", "All works"): cell(0.35, 0.2, 0.5),
    ("Little-known", "All works"): cell(0.02, -0.1, 0.14),
    ("Well-known", "Emma"): cell(0.5, -9.0, 10.0),
    ("Little-known", "Emma"): cell(None),
    ("Well-known", "Othello"): cell(0.1),
}


def panel(heading: str = "m") -> Panel:
    return Panel(
        heading=heading, places=("All works", "Emma", "Othello"), series=KINDS, cells=NUMBERS
    )


def drawn(*panels: Panel, nothing: float = 0.0) -> Chart:
    return dots(panels or (panel(),), title="A title", x_label="Nats", decimals=2, nothing=nothing)


def points(axes: Axes) -> list[tuple[float, float, bool]]:
    """Value, place, and whether it is filled, of each dot from the top down."""
    found = [
        (
            float(np.asarray(line.get_xdata())[0]),
            float(np.asarray(line.get_ydata())[0]),
            line.get_markerfacecolor() != "white",
        )
        for line in axes.lines
        if line.get_marker() in {"o", "s"}
    ]
    return sorted(found, key=lambda each: each[1])


def test_a_dot_stands_at_its_value_in_its_row_and_is_hollow_without_an_interval() -> None:
    (axes,) = drawn().figure.axes

    assert [text.get_text() for text in axes.get_yticklabels()] == ["All works", "Emma", "Othello"]
    assert [(value, round(place), full) for value, place, full in points(axes)] == [
        (0.35, 0, True),
        (0.02, 0, True),
        (0.5, 1, True),
        (0.1, 2, False),
    ]
    assert "undefined" in [text.get_text() for text in axes.texts]


def test_an_interval_far_wider_than_the_values_does_not_set_the_axis() -> None:
    """Values lie 0.5 apart; the axis reaches 1.5 times that beyond them, and a little more."""
    (axes,) = drawn().figure.axes

    low, high = axes.get_xlim()
    assert -0.9 < low < -0.75
    assert 1.25 < high < 1.4
    spans = [
        tuple(np.asarray(line.get_xdata()).tolist())
        for line in axes.lines
        if line.get_marker() == "None"
    ]
    assert (-9.0, 10.0) in spans


def test_what_the_text_alone_tells_is_a_line_with_a_band() -> None:
    """Beside a line for the number that says nothing."""
    blind = cell(61.0, 52.0, 70.0)
    own = Panel(
        heading="m",
        places=("Loss",),
        series=("AUC",),
        cells={("AUC", "Loss"): cell(55.0, 45.0, 66.0)},
        line={"Loss": blind},
        line_label="Text alone",
    )

    chart = drawn(own, nothing=50.0)

    (axes,) = chart.figure.axes
    upright = [
        float(np.asarray(line.get_xdata())[0])
        for line in axes.lines
        if len(set(np.asarray(line.get_xdata()).tolist())) == 1 and len(line.get_xdata()) == 2  # type: ignore[arg-type]
    ]
    assert upright == [50.0, 61.0]
    (band,) = axes.patches
    assert band.get_window_extent().width > 0
    assert "Text alone 61.00 (52.00 to 70.00, n = 9)" in chart.description


def test_panels_share_an_axis_and_their_numbers_are_told_in_words() -> None:
    chart = drawn(panel("first"), panel("second"))

    assert len({axes.get_xlim() for axes in chart.figure.axes}) == 1
    assert "Well-known 0.35 (0.20 to 0.50, n = 9)" in chart.description
    assert [axes.get_title(loc="left") for axes in chart.figure.axes] == ["first", "second"]


def test_a_figure_of_nothing_is_refused() -> None:
    with pytest.raises(BadFigure):
        drawn(Panel(heading="", places=("a",), series=KINDS, cells={}))
