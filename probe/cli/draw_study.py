"""Draws a study's figures: a PNG and an SVG each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.plots import group_bars, save, study_figure

if TYPE_CHECKING:
    from analysis.cells import Cell
    from analysis.studies import StudyTable

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
        yield from save(study_figure(figure), folder, _file(f"{table.study} {figure.name}"))


def _file(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _group(cell: Cell) -> str:
    return cell.column.rpartition(".")[0]


def _labels(table: StudyTable, names: Iterator[str]) -> dict[str, str]:
    return {name: table.labels.get(name, name) for name in names}
