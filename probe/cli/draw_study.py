"""Draws a study's figures: a PNG and an SVG each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.plots import Chart, condition_bars, degradation, dots, group_bars, heat_map, save

if TYPE_CHECKING:
    from analysis.cells import Cell
    from analysis.studies import StudyTable
    from analysis.studies.study import Figure

_SIDES: Final = (".in", ".out")
_Y: Final = "Mean cosine similarity"


def draw_study(table: StudyTable, folder: Path) -> Iterator[Path]:
    """Draw a study's figures, and its tables that hold pairs of bars; the files, as written.

    Raises:
        MissingExtra: matplotlib is not installed.
        NotWritten: The folder cannot be written.
    """
    for layout in table.layouts:
        cells = [cell for cell in table.cells if cell.table == layout.table]
        if not cells or not all(cell.column.endswith(_SIDES) for cell in cells):
            continue
        chart = group_bars(
            cells,
            title=layout.title,
            row_labels=_labels(table, (cell.row for cell in cells)),
            column_labels=_labels(table, map(_group, cells)),
            y_label=_Y,
        )
        yield from save(chart, folder, _file(f"{table.study} {table.mode} {layout.table}"))
    for figure in table.figures:
        yield from save(_chart(figure), folder, _file(f"{table.study} {figure.name}"))


def _chart(figure: Figure) -> Chart:
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


def _file(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _group(cell: Cell) -> str:
    return cell.column.rpartition(".")[0]


def _labels(table: StudyTable, names: Iterator[str]) -> dict[str, str]:
    return {name: table.labels.get(name, name) for name in names}
