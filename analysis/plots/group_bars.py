"""Paired bars, in-group beside out-group: the figures of how alike characters are."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.bars import SIDES, BarGrid, bar_grid
from analysis.plots.chart import (
    EDGE,
    FAINT,
    INK,
    LABEL_PT,
    LINE_IN,
    NOTE_PT,
    PALE,
    PNG_DPI,
    TITLE_PT,
    WIDTH_IN,
    Chart,
    style,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from analysis.cells import Cell

_PANEL_IN: Final = 1.18
_PLOT_IN: Final = 6.3
_BAR_MAX_IN: Final = 0.42


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """How one side's bars look.

    Attributes:
        offset: Middle of the bar from the middle of its pair, in bar widths.
    """

    offset: float
    face: str
    edge: str
    hatch: str


_LOOKS: Final = {
    "in": _Look(offset=-0.5, face="#2f7fbf", edge="#12395a", hatch=""),
    "out": _Look(offset=0.5, face="#fbdca6", edge="#8a5a00", hatch="/////"),
}
"""Blue and yellow differ to every eye, dark and light in print, plain and hatched when copied."""


def group_bars(
    cells: Sequence[Cell],
    *,
    title: str,
    row_labels: Mapping[str, str],
    column_labels: Mapping[str, str],
    y_label: str,
) -> Chart:
    """Paired bars, in-group beside out-group, one panel a row and one pair a group.

    All panels share one y axis. A cell's 95 % interval is a whisker; a cell without a value is
    marked "undefined" and has no bar. Counts stand under the pairs, once where all panels have the
    same, and are left out where they are too long for their place (the description has them).

    Args:
        cells: One for each row, group and side; `column` is "group.in" or "group.out".
        title: One line or more above all panels.
        row_labels: Name of a row to its panel's heading, in order; may hold more than `cells`.
        column_labels: Name of a group to its label, in order; may hold more than `cells`.
        y_label: What the bars measure.

    Raises:
        BadFigure: The cells do not fill the grid once, have no label, or a number is not finite.
        MissingExtra: matplotlib is not installed.
    """
    grid = bar_grid(cells, row_labels, column_labels)
    with style():
        from matplotlib.figure import Figure  # noqa: PLC0415 - see the package's docstring

        lines = textwrap.wrap(title, 92)
        legend_in = LINE_IN * (len(lines) + 0.5) + 0.08
        above_in = legend_in + LINE_IN / 2 + 0.02
        height_in = above_in + _PANEL_IN * len(grid.rows) + 0.35
        middle = 1 - legend_in / height_in
        figure = Figure(figsize=(WIDTH_IN, height_in), dpi=PNG_DPI)
        figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - above_in / height_in))
        panels = list(figure.subplots(len(grid.rows), 1, sharex=True, squeeze=False)[:, 0])
        for axes, row in zip(panels, grid.rows, strict=True):
            _panel(axes, grid, row)
        _axes(panels, grid)
        note = _counts(panels, grid)
        label = figure.supylabel(y_label, fontsize=LABEL_PT)
        top = 1 - 0.05 / height_in
        figure.text(EDGE, top, "\n".join(lines), va="top", fontsize=TITLE_PT, fontweight="bold")
        figure.text(1 - EDGE, middle, note, ha="right", va="center", fontsize=NOTE_PT, color=FAINT)
        _legend(figure, panels, middle)
        # Once: laid out anew at each saving, panels move a little, and the bytes with them.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        label.set_y((panels[0].get_position().y1 + panels[-1].get_position().y0) / 2)
    return Chart(figure=figure, title=title, description=grid.described(y_label))


def _bar_width(grid: BarGrid) -> float:
    """In groups; a figure of few groups has no broader bars than others."""
    return min(0.39, _BAR_MAX_IN * len(grid.groups) / _PLOT_IN)


def _panel(axes: Axes, grid: BarGrid, row: str) -> None:
    """Draw a row's bars and whiskers."""
    width = _bar_width(grid)
    xs, intervals = [], []
    for side, look in _LOOKS.items():
        for place, group in enumerate(grid.groups):
            cell = grid.cells[row, group, side]
            x = place + look.offset * width
            if cell.value is None:
                _mark_undefined(axes, x, grid)
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
            if cell.interval:
                xs.append(x)
                intervals.append(cell.interval)
    axes.axhline(0, color=INK, linewidth=0.8, zorder=3)
    axes.set_title(grid.rows[row], loc="left", fontsize=8, fontweight="bold", pad=2)
    if xs:
        axes.errorbar(
            xs,
            [(each.low + each.high) / 2 for each in intervals],  # a value may lie outside its own
            yerr=[(each.high - each.low) / 2 for each in intervals],
            fmt="none",
            ecolor=INK,
            elinewidth=0.8,
            capsize=1.8,
            label="95 % interval",
            zorder=4,
        )


def _mark_undefined(axes: Axes, x: float, grid: BarGrid) -> None:
    """Say so where the bar would stand, on the side of zero that has more room."""
    low, high = grid.bounds
    up = high >= -low
    axes.annotate(
        "undefined",
        (x, 0),
        xytext=(0, 2 if up else -2),
        textcoords="offset points",
        rotation=90,
        ha="center",
        va="bottom" if up else "top",
        fontsize=NOTE_PT,
        color=FAINT,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )


def _axes(panels: Sequence[Axes], grid: BarGrid) -> None:
    """The common axes, with the groups' labels under the last panel."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - see the package's docstring

    for axes in panels:
        axes.set_ylim(*grid.bounds)
        axes.set_xlim(-0.5, len(grid.groups) - 0.5)
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        axes.grid(axis="y", color=PALE, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.tick_params(axis="x", length=0, pad=NOTE_PT + 4)
        for edge in range(1, len(grid.groups)):
            axes.axvline(edge - 0.5, color=PALE, linewidth=0.5, zorder=0.5)
    labels = list(grid.groups.values())
    flat = _fits(labels, LABEL_PT)
    panels[-1].set_xticks(
        range(len(labels)),
        labels,
        rotation=0 if flat else 30,
        ha="center" if flat else "right",
        rotation_mode="anchor",
    )


def _counts(panels: Sequence[Axes], grid: BarGrid) -> str:
    """Write the cases under each pair; return what they are, or nothing where they do not fit."""
    counts = [grid.counts(row) for row in grid.rows]
    if not all(_fits(texts, NOTE_PT) for texts in counts):
        return ""
    for axes, texts in zip(panels, counts, strict=True):
        if axes is not panels[-1] and all(texts == others for others in counts):
            continue
        for place, text in enumerate(texts):
            axes.annotate(
                text,
                (place, 0),
                xycoords=("data", "axes fraction"),
                xytext=(0, -2),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize=NOTE_PT,
                color=FAINT,
            )
    return "n: cases behind each bar" if grid.even else "n: cases, in-group / out-group"


def _fits(texts: Sequence[str], size_pt: float) -> bool:
    """Whether each text is narrower than its group, at 0.6 of its size a character."""
    return max(map(len, texts)) * 0.6 * size_pt / 72 < _PLOT_IN / len(texts)


def _legend(figure: Figure, panels: Sequence[Axes], middle: float) -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415 - see the package's docstring

    bars: list[Artist] = [
        Patch(facecolor=look.face, edgecolor=look.edge, hatch=look.hatch)
        for look in _LOOKS.values()
    ]
    named = [axes.get_legend_handles_labels() for axes in panels]
    whiskers, names = next((each for each in named if each[0]), ([], []))
    figure.legend(
        bars + whiskers,
        [SIDES[side] for side in _LOOKS] + names,
        loc="center left",
        bbox_to_anchor=(EDGE, middle),
        ncols=len(bars) + len(whiskers),
        borderpad=0,
        borderaxespad=0,
        frameon=False,
        fontsize=LABEL_PT,
        columnspacing=1.6,
    )
