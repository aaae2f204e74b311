"""Figures of studies as pictures; the only package that imports matplotlib.

matplotlib is an optional extra and slow to load, so it is imported when a figure is drawn, not with
these modules. pyplot, which keeps figures in global state and may look for a display, is not used.
"""

from analysis.plots.chart import Chart, save
from analysis.plots.condition_bars import condition_bars
from analysis.plots.degradation import degradation
from analysis.plots.dots import dots
from analysis.plots.group_bars import group_bars
from analysis.plots.heat_map import heat_map
from analysis.plots.inline import inline_svg
from analysis.plots.study_figure import study_figure

__all__ = [
    "Chart",
    "condition_bars",
    "degradation",
    "dots",
    "group_bars",
    "heat_map",
    "inline_svg",
    "save",
    "study_figure",
]
