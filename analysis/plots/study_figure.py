"""A study's figure, drawn as its kind says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.plots.condition_bars import condition_bars
from analysis.plots.degradation import degradation
from analysis.plots.dots import dots
from analysis.plots.heat_map import heat_map

if TYPE_CHECKING:
    from analysis.plots.chart import Chart
    from analysis.studies.study import Figure


def study_figure(figure: Figure) -> Chart:
    """The chart of a figure.

    Raises:
        BadFigure: Its numbers make no figure.
        MissingExtra: matplotlib is not installed.
    """
    if figure.kind == "bars":
        return condition_bars(figure.panels, title=figure.title, y_label=figure.axis)
    if figure.kind == "heat map":
        return heat_map(figure.panels, title=figure.title, key_label=figure.axis)
    if figure.kind == "dots":
        return dots(
            figure.panels,
            title=figure.title,
            x_label=figure.axis,
            decimals=figure.decimals,
            nothing=figure.nothing,
        )
    return degradation(figure.panels[0], title=figure.title, x_label=figure.axis)
