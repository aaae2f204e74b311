"""How much each task loses, model by model, as points with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from analysis.cells import as_printed
from analysis.panels import Panel, checked, described
from analysis.plots.chart import FAINT, INK, LABEL_PT, NOTE_PT, PALE, Chart, style
from analysis.plots.frame import Frame, framed, settle, wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from analysis.cells import Cell

_ROW_IN: Final = 0.15
"""Of one model within a task."""
_TASK_IN: Final = 0.14
"""Between two tasks."""
_LABEL_IN: Final = 1.5
_NUMBER: Final = 0.06
"""Room that a printed number takes, of the axis's width."""
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#8a4d76", "#8a6d00", "#2b7ba8", "#444444")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
"""Colours that colour-blind readers tell apart (after Okabe & Ito 2008, Color universal design;
some darker, to stand out from white), each with a shape of its own."""


def degradation(panel: Panel, *, title: str, x_label: str) -> Chart:
    """Points with 95 % intervals, a band a task and a row in it a model; right of zero is a loss.

    What the paper prints for a number is a grey stroke in its row.

    Args:
        panel: Places are tasks, series models; values in percentage points lost.
        title: Above the panel.
        x_label: What the points measure, with its unit.

    Raises:
        BadFigure: A cell is without a label, a number is not finite, or there is none.
        MissingExtra: matplotlib is not installed.
    """
    numbers = checked([panel])
    band_in = _ROW_IN * len(panel.series) + _TASK_IN
    with style():
        frame = Frame(
            title=title,
            legend=_legend(panel),
            shape=(1, 1),
            panel_in=max(0.8, band_in * len(panel.places)),
        )
        figure, (axes,) = framed(frame)
        step = _ROW_IN / band_in
        papers = [float(cell.paper) for cell in panel.cells.values() if cell.paper]
        low, high = min([0.0, *numbers, *papers]), max([0.0, *numbers, *papers])
        room = 0.05 * (high - low) or 1.0
        axes.set_xlim(low - room, high + 3 * room)
        for task, place in enumerate(panel.places):
            for at, series in enumerate(panel.series):
                cell = panel.cells.get((series, place))
                _point(axes, task + (at - (len(panel.series) - 1) / 2) * step, cell, at)
        _dress(axes, panel)
        axes.set_xlabel(x_label, fontsize=LABEL_PT)
        settle(figure)
    return Chart(figure=figure, title=title, description=described("Dot chart", x_label, [panel]))


def _legend(panel: Panel) -> list[tuple[Artist, str]]:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - see the package's docstring

    found: list[tuple[Artist, str]] = [
        (
            Line2D([], [], color=_colour(at), marker=_marker(at), markersize=4.5, linewidth=1.2),
            series,
        )
        for at, series in enumerate(panel.series)
    ]
    if any(cell.paper for cell in panel.cells.values()):
        stroke = Line2D([], [], color=FAINT, marker="|", markersize=7, linestyle="none")
        found.append((stroke, "the paper's"))
    return found


def _colour(at: int) -> str:
    return _COLOURS[at % len(_COLOURS)]


def _marker(at: int) -> str:
    """Goes round out of step with the colours, so that pairs repeat late."""
    return _MARKERS[(at + at // len(_MARKERS)) % len(_MARKERS)]


def _point(axes: Axes, y: float, cell: Cell | None, at: int) -> None:
    """One number with its interval and what the paper has for it."""
    if cell is None or cell.value is None:
        text = "not asked" if cell is None else "undefined"
        axes.annotate(
            text,
            (0, y),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=NOTE_PT - 1,
            color=FAINT,
        )
        return
    colour, right = _colour(at), cell.value
    if cell.interval:
        right = max(right, cell.interval.high)
        axes.plot([cell.interval.low, cell.interval.high], [y, y], color=colour, linewidth=1.2)
    if cell.paper:
        paper = float(cell.paper)
        axes.plot([paper], [y], color=FAINT, marker="|", markersize=7)
        left, most = axes.get_xlim()
        if right < paper < right + _NUMBER * (most - left):
            right = paper  # else the stroke would go through the number
    axes.plot([cell.value], [y], color=colour, marker=_marker(at), markersize=4.5, zorder=4)
    axes.annotate(
        as_printed(cell.value, 1),
        (right, y),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=NOTE_PT - 0.5,
    )


def _dress(axes: Axes, panel: Panel) -> None:
    axes.axvline(0, color=INK, linewidth=0.8, zorder=1)
    axes.set_ylim(len(panel.places) - 0.5, -0.5)
    for edge in range(1, len(panel.places)):
        axes.axhline(edge - 0.5, color=PALE, linewidth=0.5, zorder=0.5)
    axes.grid(axis="x", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.set_yticks(range(len(panel.places)), [wrapped(place, _LABEL_IN) for place in panel.places])
    axes.tick_params(axis="y", length=0, labelsize=LABEL_PT)
    axes.tick_params(axis="x", labelsize=NOTE_PT)
    axes.spines["left"].set_visible(False)
