"""Numbers of many rows as dots with their intervals, a panel a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.panels import Panel, checked, described
from analysis.plots.chart import FAINT, INK, LABEL_PT, NOTE_PT, PALE, WIDTH_IN, Chart, style
from analysis.plots.frame import Frame, framed, settle, text_in, wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from analysis.cells import Cell

_DOT_IN: Final = 0.105
"""Of one series within a row."""
_ROW_IN: Final = 0.09
"""Between two rows."""
_LABEL_MAX_IN: Final = 1.7
_ABREAST: Final = 3
"""Panels side by side (count)."""
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#8a4d76")
_MARKERS: Final = ("o", "s", "^", "D")
_BAND: Final = "#e9dcc3"
_REACH: Final = 1.5
"""How far beyond the values the axis may go for their intervals, in widths of the values."""


def dots(
    panels: Sequence[Panel], *, title: str, x_label: str, decimals: int = 1, nothing: float = 0.0
) -> Chart:
    """Dots with 95 % intervals, a row a place and in it a dot a series; one x axis for all panels.

    What a panel's line holds, the same at each place, is a vertical line through the panel with its
    interval as a band. Intervals that are far wider than the values lie apart are cut at the edge.

    Args:
        panels: Each has the same series; places may differ.
        title: Above all panels.
        x_label: What the dots measure, with its unit.
        decimals: Of the numbers in the description (count).
        nothing: The number that says nothing, which has a line of its own.

    Raises:
        BadFigure: A cell is without a label, a number is not finite, or there is none.
        MissingExtra: matplotlib is not installed.
    """
    checked(panels)
    columns = min(_ABREAST, len(panels))
    rows = -(-len(panels) // columns)
    most = max(len(panel.places) for panel in panels)
    row_in = _DOT_IN * len(panels[0].series) + _ROW_IN
    same = len({panel.places for panel in panels}) == 1
    with style():
        frame = Frame(
            title=title,
            legend=_legend(panels),
            shape=(rows, columns),
            panel_in=max(0.8, row_in * most) + 0.25,
        )
        figure, axes = framed(frame, share_y=same)
        for unused in axes[len(panels) :]:
            unused.remove()
        low, high = _limits(panels, nothing)
        for at, (place, panel) in enumerate(zip(axes, panels, strict=False)):
            place.set_xlim(low, high)
            _panel(place, panel, _DOT_IN / row_in, nothing)
            _dress(place, panel, columns, labelled=not (same and at % columns))
        figure.supxlabel(x_label, fontsize=LABEL_PT)
        settle(figure)
    said = described("Dot chart", x_label, panels, decimals)
    return Chart(figure=figure, title=title, description=said)


def _limits(panels: Sequence[Panel], nothing: float) -> tuple[float, float]:
    """Ends of the axis: all values, and intervals as far as they are not much wider."""
    cells = [cell for panel in panels for cell in panel.shown() if cell.value is not None]
    values = [cell.value for cell in cells if cell.value is not None] + [nothing]
    ends = [end for cell in cells if (own := cell.interval) for end in (own.low, own.high)]
    apart = max(values) - min(values) or 1.0
    low = max(min([*values, *ends]), min(values) - _REACH * apart)
    high = min(max([*values, *ends]), max(values) + _REACH * apart)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _legend(panels: Sequence[Panel]) -> list[tuple[Artist, str]]:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - see the package's docstring
    from matplotlib.patches import Patch  # noqa: PLC0415

    found: list[tuple[Artist, str]] = [
        (
            Line2D([], [], color=_COLOURS[at], marker=_MARKERS[at], markersize=4, linewidth=1.1),
            f"{series}, 95 % interval" if len(panels[0].series) == 1 else series,
        )
        for at, series in enumerate(panels[0].series)
    ]
    known = [cell for panel in panels for cell in panel.cells.values() if cell.value is not None]
    if not all(cell.interval for cell in known):
        hollow = Line2D([], [], color=INK, marker="o", markersize=4, markerfacecolor="white")
        hollow.set_linestyle("none")
        found.append((hollow, "no interval can be given"))
    with_line = next((panel for panel in panels if panel.line), None)
    if with_line is not None:
        mark = Patch(facecolor=_BAND, edgecolor=FAINT)
        found.append((mark, f"{with_line.line_label}, with its interval"))
    return found


def _panel(axes: Axes, panel: Panel, step: float, nothing: float) -> None:
    axes.axvline(nothing, color=INK, linewidth=0.8, zorder=1)
    if panel.line:
        _across(axes, next(iter(panel.line.values())))
    for row, place in enumerate(panel.places):
        for at, series in enumerate(panel.series):
            y = row + (at - (len(panel.series) - 1) / 2) * step
            _dot(axes, y, panel.cells.get((series, place)), at, nothing)


def _across(axes: Axes, cell: Cell) -> None:
    """One number for the whole panel."""
    if cell.value is None:
        return
    if cell.interval:
        axes.axvspan(cell.interval.low, cell.interval.high, color=_BAND, zorder=0, linewidth=0)
    axes.axvline(cell.value, color="#8a5a00", linewidth=1.2, linestyle="--", zorder=1)


def _dot(axes: Axes, y: float, cell: Cell | None, at: int, nothing: float) -> None:
    if cell is None:
        return
    if cell.value is None:
        axes.annotate(
            "undefined",
            (nothing, y),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=NOTE_PT - 1.5,
            color=FAINT,
        )
        return
    if cell.interval:
        ends = [cell.interval.low, cell.interval.high]
        axes.plot(ends, [y, y], color=_COLOURS[at], linewidth=1.1, zorder=3)
    # Without an interval it is hollow: a number of which nothing more is known.
    axes.plot(
        [cell.value],
        [y],
        color=_COLOURS[at],
        marker=_MARKERS[at],
        markersize=4,
        markerfacecolor=_COLOURS[at] if cell.interval else "white",
        zorder=4,
    )


def _dress(axes: Axes, panel: Panel, columns: int, *, labelled: bool) -> None:
    axes.set_ylim(len(panel.places) - 0.5, -0.5)
    for edge in np.arange(0.5, len(panel.places) - 0.5):
        axes.axhline(edge, color=PALE, linewidth=0.5, zorder=0.5)
    axes.grid(axis="x", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    widest = max(text_in(place) for place in panel.places)
    label_in = min(_LABEL_MAX_IN, widest, 0.55 * WIDTH_IN / columns)
    axes.set_yticks(
        range(len(panel.places)), [wrapped(place, label_in + 0.05) for place in panel.places]
    )
    axes.tick_params(axis="y", length=0, labelsize=NOTE_PT, labelleft=labelled)
    axes.tick_params(axis="x", labelsize=NOTE_PT)
    axes.spines["left"].set_visible(False)
    if panel.heading:
        heading = wrapped(panel.heading, 0.8 * WIDTH_IN / columns, 8)
        axes.set_title(heading, loc="left", fontsize=8, fontweight="bold", pad=3)
