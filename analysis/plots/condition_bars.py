"""Bars of several prompts side by side, with intervals, and with a line of what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.cells import as_printed
from analysis.panels import Panel, checked, described
from analysis.plots.chart import FAINT, INK, LABEL_PT, NOTE_PT, PALE, WIDTH_IN, Chart, style
from analysis.plots.frame import Frame, framed, settle, text_in, wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from analysis.cells import Cell

_PANEL_IN: Final = 1.9
_MOST_ABREAST: Final = 12
"""Bars of a panel that may have half the width (count)."""
_BAR_MAX_IN: Final = 0.5
_NARROWEST_IN: Final = 4.2
_SMALL_PT: Final = 5.8
_HEADING_PT: Final = 8.0
_LINE_FACE: Final = "#ffffff"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    face: str
    edge: str
    hatch: str


_LOOKS: Final = (
    _Look(face="#1f5f99", edge="#0d2f4d", hatch=""),
    _Look(face="#e08214", edge="#6e3d00", hatch=""),
    _Look(face="#fee8b0", edge="#8a5a00", hatch="/////"),
)
"""Dark, middling and light, the last hatched: they differ in hue to every eye, and in print."""


def condition_bars(panels: Sequence[Panel], *, title: str, y_label: str) -> Chart:
    """Bars by place and series, one panel each; a panel's line lies over its bars.

    A 95 % interval is a whisker. A bar that is undefined says so; one that was not asked is a dash.
    All panels share one y axis, which begins at zero unless something is below it.

    Args:
        panels: Values in percent; each has the same series.
        title: Above all panels.
        y_label: What the bars measure, with its unit.

    Raises:
        BadFigure: A panel has a cell without a label, a number is not finite, or there is none.
        MissingExtra: matplotlib is not installed.
    """
    numbers = checked(panels)
    most = max(len(panel.places) * len(panel.series) for panel in panels)
    columns = 2 if len(panels) > 1 and most <= _MOST_ABREAST else 1
    rows = -(-len(panels) // columns)
    width_in = min(WIDTH_IN, max(_NARROWEST_IN, columns * _wanted_in(panels)))
    with style():
        frame = Frame(
            title=title,
            legend=_legend(panels),
            shape=(rows, columns),
            panel_in=_PANEL_IN,
            width_in=width_in,
        )
        figure, axes = framed(frame)
        for unused in axes[len(panels) :]:
            unused.remove()
        room_in = (width_in - 0.7) / columns
        for place, panel in zip(axes, panels, strict=False):
            _panel(place, panel, room_in)
        low, high = min([0.0, *numbers]), max([1.0, *numbers])
        axes[0].set_ylim(low * 1.05, high + 0.1 * (high - low))
        label = figure.supylabel(y_label, fontsize=LABEL_PT)
        settle(figure)
        last = axes[len(panels) - 1]
        label.set_y((axes[0].get_position().y1 + last.get_position().y0) / 2)
    kind = "Bar chart with a line" if any(panel.line for panel in panels) else "Bar chart"
    return Chart(figure=figure, title=title, description=described(kind, y_label, panels))


def _wanted_in(panels: Sequence[Panel]) -> float:
    """How wide the widest panel would be with bars as broad as they may be."""
    groups = max(len(panel.places) * (len(panel.series) + 1) for panel in panels)
    return 0.7 + groups * _BAR_MAX_IN


def _legend(panels: Sequence[Panel]) -> list[tuple[Artist, str]]:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - see the package's docstring
    from matplotlib.patches import Patch  # noqa: PLC0415

    found: list[tuple[Artist, str]] = [
        (Patch(facecolor=look.face, edgecolor=look.edge, hatch=look.hatch), series)
        for look, series in zip(_LOOKS, panels[0].series, strict=False)
    ]
    line = next((panel for panel in panels if panel.line), None)
    if line is not None:
        mark = Line2D([], [], color=INK, marker="D", markersize=4, markerfacecolor=_LINE_FACE)
        found.append((mark, line.line_label))
    if any(cell.interval for panel in panels for cell in panel.shown()):
        whisker = Line2D([], [], color=INK, linestyle="none", marker="|", markersize=8)
        found.append((whisker, "95 % interval"))
    return found


def _panel(axes: Axes, panel: Panel, room_in: float) -> None:
    """Draw one panel's bars, whiskers and line."""
    place_in = room_in / len(panel.places)
    width = min(0.84 / len(panel.series), _BAR_MAX_IN / place_in)
    labelled = not panel.line and width * place_in >= text_in("100.0", _SMALL_PT)
    for place, name in enumerate(panel.places):
        for at, (series, look) in enumerate(zip(panel.series, _LOOKS, strict=False)):
            x = place + (at - (len(panel.series) - 1) / 2) * width
            cell = panel.cells.get((series, name))
            if cell is None or cell.value is None:
                _mark(axes, x, "–" if cell is None else "undefined")
                continue
            axes.bar(
                x,
                cell.value,
                width,
                facecolor=look.face,
                edgecolor=look.edge,
                hatch=look.hatch,
                zorder=2,
            )
            _whisker(axes, x, cell)
            if labelled:
                _number(axes, x, cell)
    if panel.line:
        _line(axes, panel, width / 2 if len(panel.series) % 2 else 0.0)
    _dress(axes, panel, place_in)


def _whisker(axes: Axes, x: float, cell: Cell) -> None:
    if cell.interval is None:
        return
    low, high = cell.interval.low, cell.interval.high
    axes.errorbar(
        [x],
        [(low + high) / 2],  # a value may lie outside its own interval
        yerr=[(high - low) / 2],
        fmt="none",
        ecolor=INK,
        elinewidth=0.8,
        capsize=1.8,
        zorder=4,
    )


def _number(axes: Axes, x: float, cell: Cell) -> None:
    """The value, above its bar and whisker."""
    if cell.value is None:
        return
    top = max(cell.value, cell.interval.high if cell.interval else 0.0)
    axes.annotate(
        as_printed(cell.value, 1),
        (x, top),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=_SMALL_PT,
    )


def _mark(axes: Axes, x: float, text: str) -> None:
    axes.annotate(
        text,
        (x, 0),
        xytext=(0, 2),
        textcoords="offset points",
        rotation=90 if len(text) > 1 else 0,
        ha="center",
        va="bottom",
        fontsize=_SMALL_PT,
        color=FAINT,
    )


def _line(axes: Axes, panel: Panel, beside: float) -> None:
    """The line, broken where a place has no value, with its numbers on white.

    Args:
        axes: Where.
        panel: What it shows.
        beside: How far right of a place's middle its points stand, clear of the bars' whiskers.
    """
    values = [
        None if (cell := panel.line.get(name)) is None else cell.value for name in panel.places
    ]
    axes.plot(
        [place + beside for place in range(len(values))],
        [float("nan") if value is None else value for value in values],
        color=INK,
        linewidth=1.2,
        marker="D",
        markersize=4,
        markerfacecolor=_LINE_FACE,
        zorder=6,
    )
    for place, (name, value) in enumerate(zip(panel.places, values, strict=True)):
        if value is None:
            continue
        _whisker(axes, place + beside, panel.line[name])
        axes.annotate(
            as_printed(value, 1),
            (place + beside, value),
            xytext=(5, 5),
            textcoords="offset points",
            fontsize=_SMALL_PT,
            fontweight="bold",
            zorder=7,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
        )


def _dress(axes: Axes, panel: Panel, place_in: float) -> None:
    """Axis, grid and labels of one panel."""
    axes.axhline(0, color=INK, linewidth=0.8, zorder=3)
    axes.set_xlim(-0.5, len(panel.places) - 0.5)
    axes.grid(axis="y", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", length=0)
    axes.tick_params(axis="y", labelleft=True, labelsize=NOTE_PT)
    axes.set_xticks(
        range(len(panel.places)), [wrapped(name, 0.95 * place_in) for name in panel.places]
    )
    if panel.heading:
        heading = wrapped(panel.heading, 0.9 * place_in * len(panel.places), _HEADING_PT)
        axes.set_title(heading, loc="left", fontsize=_HEADING_PT, fontweight="bold", pad=3)
