"""The frame of a figure of panels: title, legend and labels around a grid of axes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.plots.chart import (
    EDGE,
    FAINT,
    LABEL_PT,
    LINE_IN,
    NOTE_PT,
    PNG_DPI,
    TITLE_PT,
    WIDTH_IN,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLE_CHARS_PER_IN: Final = 13
_HANDLE_IN: Final = 0.5
"""A legend's handle, with the space around it."""
_OUTSIDE_IN: Final = 0.45
"""Labels beneath the panels."""
_PIECE: Final = re.compile(r"[^-/_ ]*[-/_ ]|[^-/_ ]+")
"""What a label may be broken after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What stands around a figure's panels.

    Attributes:
        title: Above all; wrapped.
        legend: Handles with their labels, in order.
        shape: Rows and columns of panels.
        panel_in: Height of a row of panels (inches).
        outside_in: Further height, such as slanted labels need (inches).
        width_in: Of the whole (inches).
        note: A line at the foot, in small print; may be empty.
    """

    title: str
    legend: Sequence[tuple[Artist, str]]
    shape: tuple[int, int]
    panel_in: float
    outside_in: float = 0.0
    width_in: float = WIDTH_IN
    note: str = ""


def framed(frame: Frame, *, share_y: bool = True) -> tuple[Figure, list[Axes]]:
    """A figure with its title, legend and empty panels, row by row; to be used within `style`."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - see the package's docstring

    lines = textwrap.wrap(frame.title, round(_TITLE_CHARS_PER_IN * frame.width_in))
    note = textwrap.wrap(frame.note, round(1.45 * _TITLE_CHARS_PER_IN * frame.width_in))
    rows, columns = frame.shape
    entries = legend_rows([label for _, label in frame.legend], frame.width_in)
    title_in = 0.05 + LINE_IN * len(lines)
    above_in = title_in + LINE_IN * len(entries) + 0.1
    below_in = LINE_IN * 0.8 * len(note)
    height_in = above_in + rows * frame.panel_in + frame.outside_in + _OUTSIDE_IN + below_in
    figure = Figure(figsize=(frame.width_in, height_in), dpi=PNG_DPI)
    low, high = below_in / height_in, 1 - above_in / height_in
    figure.set_layout_engine("constrained", rect=(0, low, 1, high - low))
    grid = figure.subplots(rows, columns, sharey=share_y, squeeze=False)
    figure.text(
        EDGE,
        1 - 0.05 / height_in,
        "\n".join(lines),
        va="top",
        fontsize=TITLE_PT,
        fontweight="bold",
    )
    figure.text(EDGE, 0.03 / height_in, "\n".join(note), fontsize=NOTE_PT, color=FAINT)
    at = 0
    for row, count in enumerate(entries):
        own = frame.legend[at : at + count]
        at += count
        figure.legend(
            [handle for handle, _ in own],
            [label for _, label in own],
            loc="center left",
            bbox_to_anchor=(EDGE, 1 - (title_in + LINE_IN * (row + 0.5)) / height_in),
            ncols=count,
            borderpad=0,
            borderaxespad=0,
            frameon=False,
            fontsize=LABEL_PT,
            columnspacing=1.6,
        )
    return figure, list(grid.ravel())


def settle(figure: Figure) -> None:
    """Lay a figure out once; laid out anew at each saving, panels and bytes would change."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def legend_rows(labels: Sequence[str], width_in: float) -> list[int]:
    """How many entries of a legend stand on each line."""
    rows: list[int] = []
    left = 0.0
    for label in labels:
        needed = _HANDLE_IN + text_in(label)
        if not rows or needed > left:
            rows.append(0)
            left = width_in * (1 - 2 * EDGE)
        rows[-1] += 1
        left -= needed
    return rows


def text_in(text: str, size_pt: float = LABEL_PT) -> float:
    """About how wide a text is (inches), at 0.6 of its size a character."""
    return len(text) * 0.6 * size_pt / 72


def wrapped(label: str, width_in: float, size_pt: float = LABEL_PT) -> str:
    """A label on as many lines as it needs, broken at spaces or after a hyphen, slash or line."""
    lines = [""]
    for piece in _PIECE.findall(label):
        if lines[-1] and text_in((lines[-1] + piece).rstrip(), size_pt) > width_in:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.strip() for line in lines)
