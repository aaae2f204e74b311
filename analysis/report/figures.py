"""The figures of a report: differences by task and model, and those of the studies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from analysis.cells import Cell
from analysis.contrasts import Contrast
from analysis.panels import Panel
from analysis.plots import inline_svg, study_figure
from analysis.report.differences import HEADLINES, Namer, unit_of
from analysis.report.tables import panel_table
from analysis.report.text import visible
from analysis.report.values import FigureView
from analysis.statistics import Interval
from analysis.studies.study import Figure, StudyTable

_TITLES: Final = {
    "origin - NR": "What changed names cost: original less changed names, by task and model",
    "NR - NR+GIST": "What the instruction to go by the gist costs under changed names,"
    " by task and model",
}
_AXES: Final = {
    "origin - NR": "Percentage points lost, origin less NR",
    "NR - NR+GIST": "Percentage points lost, NR less NR+GIST",
}


def drawn(found: Sequence[Contrast], studies: Sequence[StudyTable]) -> tuple[FigureView, ...]:
    """Every figure, in order.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    figures = [*_losses(found), *(each for study in studies for each in study.figures)]
    return tuple(_view(each, f"figure-{at}") for at, each in enumerate(figures, start=1))


def _view(figure: Figure, name: str) -> FigureView:
    chart = study_figure(figure)
    return FigureView(
        title=visible(figure.title),
        svg=inline_svg(chart, name),
        tables=tuple(panel_table(panel, figure.axis, figure.decimals) for panel in figure.panels),
    )


def _losses(found: Sequence[Contrast]) -> Iterator[Figure]:
    """A figure a headline contrast that any task has."""
    namer = Namer.of(found)
    for name in HEADLINES:
        own = [each for each in found if each.contrast == name and unit_of(each.task) == "share"]
        if any(each.difference is not None for each in own):
            yield Figure(
                kind="losses",
                name=name,
                title=_TITLES[name],
                axis=_AXES[name],
                panels=(_panel(own, namer),),
            )


def _panel(own: Iterable[Contrast], namer: Namer) -> Panel:
    cells = {(visible(each.model), namer.label(each)): _cell(each, namer) for each in own}
    return Panel(
        heading="",
        places=tuple(dict.fromkeys(place for _, place in cells)),
        series=tuple(dict.fromkeys(series for series, _ in cells)),
        cells=cells,
    )


def _cell(each: Contrast, namer: Namer) -> Cell:
    span = each.interval
    return Cell(
        table=each.contrast,
        row=namer.label(each),
        column=visible(each.model),
        value=None if each.difference is None else 100 * each.difference,
        n=each.items,
        interval=Interval(100 * span.low, 100 * span.high) if span else None,
        undefined=each.undefined,
    )
