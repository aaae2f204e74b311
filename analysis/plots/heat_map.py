"""A heat map with every number printed in its field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from analysis.cells import as_printed
from analysis.panels import Panel, checked, described
from analysis.plots.chart import FAINT, INK, LABEL_PT, NOTE_PT, WIDTH_IN, Chart, style
from analysis.plots.frame import Frame, framed, settle, text_in, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

_FIELD_IN: Final = 0.42
_FIELD_MAX_IN: Final = 1.15
_BAR_IN: Final = 0.9
"""The key to the colours, with its label."""
_NARROWEST_IN: Final = 4.2
_DARK: Final = 70.0
"""From which value on (percent) the ground is so dark that white is easier to read."""


def heat_map(panels: Sequence[Panel], *, title: str, key_label: str) -> Chart:
    """Series as rows and places as columns, values as colours from 0 to 100 and as numbers.

    One hue from light to dark, so that the order of the colours is the order of the values to every
    eye and in print. The 95 % interval stands below its value.

    Args:
        panels: Values in percent, one below the other.
        title: Above all panels.
        key_label: What the colours mean, with the unit.

    Raises:
        BadFigure: A panel has a cell without a label, a number is not finite, or there is none.
        MissingExtra: matplotlib is not installed.
    """
    checked(panels)
    rows = max(len(panel.series) for panel in panels)
    columns = max(len(panel.places) for panel in panels)
    label_in = max(text_in(series) for panel in panels for series in panel.series) + 0.2
    wanted = label_in + columns * _FIELD_MAX_IN + _BAR_IN
    width_in = min(WIDTH_IN, max(_NARROWEST_IN, wanted))
    place_in = (width_in - label_in - _BAR_IN) / columns
    with style():
        frame = Frame(
            title=title,
            legend=(),
            shape=(len(panels), 1),
            panel_in=_FIELD_IN * rows + 0.5,
            width_in=width_in,
        )
        figure, axes = framed(frame, share_y=False)
        shades = [_panel(each, panel, place_in) for each, panel in zip(axes, panels, strict=True)]
        key = figure.colorbar(shades[0], ax=axes, shrink=0.9, pad=0.02, aspect=18)
        key.set_label(key_label, fontsize=LABEL_PT)
        key.ax.tick_params(labelsize=NOTE_PT)
        key.outline.set_visible(False)
        settle(figure)
    return Chart(figure=figure, title=title, description=described("Heat map", key_label, panels))


def _panel(axes: Axes, panel: Panel, place_in: float) -> ScalarMappable:
    """Draw one panel; return what its colours mean."""
    values = [
        [
            float("nan")
            if (cell := panel.cells.get((series, place))) is None or cell.value is None
            else cell.value
            for place in panel.places
        ]
        for series in panel.series
    ]
    edges = [range(len(panel.places) + 1), range(len(panel.series) + 1)]
    mesh = axes.pcolormesh(
        *edges, values, cmap="Blues", vmin=0, vmax=100, edgecolors="white", linewidth=1.5
    )
    axes.set_ylim(len(panel.series), 0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for row, series in enumerate(panel.series):
        for column, place in enumerate(panel.places):
            _number(axes, (column + 0.5, row + 0.5), panel, (series, place))
    axes.set_xticks(
        [at + 0.5 for at in range(len(panel.places))],
        [wrapped(place, 0.95 * place_in) for place in panel.places],
    )
    axes.set_yticks([at + 0.5 for at in range(len(panel.series))], list(panel.series))
    axes.tick_params(length=0, labelsize=LABEL_PT)
    if panel.heading:
        heading = wrapped(panel.heading, place_in * len(panel.places), 8)
        axes.set_title(heading, loc="left", fontsize=8, fontweight="bold", pad=3)
    return mesh


def _number(axes: Axes, middle: tuple[float, float], panel: Panel, where: tuple[str, str]) -> None:
    cell = panel.cells.get(where)
    if cell is None or cell.value is None:
        text = "–" if cell is None else "undefined"
        axes.text(*middle, text, ha="center", va="center", fontsize=NOTE_PT, color=FAINT)
        return
    colour = "white" if cell.value >= _DARK else INK
    x, y = middle
    axes.text(
        x,
        y - 0.13 * bool(cell.interval),
        as_printed(cell.value, 1),
        ha="center",
        va="center",
        fontsize=9,
        color=colour,
    )
    if cell.interval:
        low, high = (as_printed(each, 1) for each in (cell.interval.low, cell.interval.high))
        span = f"{low}–{high}"
        axes.text(x, y + 0.23, span, ha="center", va="center", fontsize=NOTE_PT, color=colour)
