"""A study's tables as texts in rows and columns, the same for the terminal and for LaTeX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from analysis.cells import Cell, as_printed
from analysis.studies.score_grids import SCORES, score_grid, score_text
from analysis.studies.scores import Score
from analysis.studies.shown import Grid, GridRow, Shown
from analysis.studies.study import Form, Layout, StudyTable

_DECIMALS: Final = {"rate": 2, "correlation": 2, "cosine": 3, "fraction": 2, "count": 0}
_LONG: Final = ("count", "fraction")
"""Forms whose tables have one line a cell: their rows have columns of their own."""


def grids(table: StudyTable) -> list[Grid]:
    """All tables of a study, in order."""
    return [
        score_grid(table, layout) if layout.form in SCORES else _grid(table, layout)
        for layout in table.layouts
    ]


def _grid(table: StudyTable, layout: Layout) -> Grid:
    own = [cell for cell in table.cells if cell.table == layout.table]
    placed = {place_of(table, layout.form, cell): cell for cell in own}
    rows = list(dict.fromkeys(row for row, _ in placed))
    columns = list(dict.fromkeys(column for _, column in placed))
    shown = {place: _shown(cell, layout.form) for place, cell in placed.items()}
    printed = [each for each in shown.values() if each.paper is not None]
    reasons = Counter(cell.undefined for cell in own if cell.undefined)
    return Grid(
        table=layout.table,
        title=layout.title,
        caption=layout.caption,
        columns=tuple(columns),
        counts=tuple(
            "" if layout.form in _LONG else _counts([c for p, c in placed.items() if p[1] == name])
            for name in columns
        ),
        rows=tuple(
            GridRow(label=row, cells=tuple(shown.get((row, column)) for column in columns))
            for row in rows
        ),
        has_intervals=any(each.interval for each in shown.values()),
        same=sum(each.same for each in printed),
        printed=len(printed),
        undefined=tuple(f"{why} ({count})" for why, count in reasons.most_common()),
    )


def place_of(table: StudyTable, form: Form, cell: Cell) -> tuple[str, str]:
    """The labels of the row and the column in which a cell is shown."""

    def label(name: str) -> str:
        return table.labels.get(name, name)

    if form in _LONG:
        alone = cell.column == "size"
        own = label(cell.row) if alone else f"{label(cell.row)}: {label(cell.column)}"
        return own, "characters" if form == "count" else "misses"
    group, _, side = cell.column.rpartition(".")
    if form == "cosine" and side in {"in", "out"}:
        return f"{label(group)} {side}", label(cell.row)
    if form == "cosine":
        return label(cell.column), label(cell.row)
    return label(cell.row), label(cell.column)


def text_of(cell: Cell, form: Form | None) -> str:
    """A cell's number as its table prints it; whole where no table does."""
    if form is None or cell.value is None:
        return "–" if cell.value is None else repr(cell.value)
    return score_text(cell, form) if isinstance(cell, Score) else _shown(cell, form).value


def _shown(cell: Cell, form: Form) -> Shown:
    decimals = _DECIMALS[form]
    if cell.value is None:
        value = "–"
    elif form == "fraction":
        value = f"{round(cell.value * cell.n)}/{cell.n}"
    else:
        value = as_printed(cell.value, decimals, digits_first=3 if form == "rate" else None)
    interval = None
    if cell.interval is not None:
        low, high = (
            as_printed(cell.interval.low, decimals),
            as_printed(cell.interval.high, decimals),
        )
        interval = f"[{low}, {high}]"
    return Shown(
        value=value,
        paper=cell.paper,
        same=cell.paper is not None and cell.value is not None and _same(value, cell.paper),
        interval=interval,
    )


def _same(ours: str, papers: str) -> bool:
    """Whether two printed numbers are equal: 0.4 and 0.40 are."""
    if "/" in papers or "/" in ours:
        return ours == papers
    return float(ours) == float(papers)


def _counts(cells: Sequence[Cell]) -> str:
    low, high = min(cell.n for cell in cells), max(cell.n for cell in cells)
    return f"{low}" if low == high else f"{low}–{high}"
