"""The numbers of a study's tables, each with how it is explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from analysis.cells import Cell
from analysis.explain.entries import Entry, Name
from analysis.explain.explanation import Explanation, Numbers
from analysis.studies.grids import place_of, text_of
from analysis.studies.scores import Score
from analysis.studies.study import StudyTable


def study_entries(table: StudyTable, explain: Callable[[Any], Explanation]) -> Iterator[Entry]:
    """Every cell of a study's tables, also those that only programs are told.

    Args:
        table: The tables.
        explain: Of one of their cells, where it comes from.
    """
    forms = {layout.table: layout.form for layout in table.layouts}
    for cell in table.cells:
        form = forms.get(cell.table)
        yield Entry(
            table=cell.table,
            places=list(_places(table, cell)),
            printed=_printed(cell),
            shown=text_of(cell, form),
            undefined=cell.undefined,
            paper=cell.paper,
            explain=partial(explain, cell),
        )


def _printed(cell: Cell) -> Numbers:
    p = cell.p if isinstance(cell, Score) else None
    return Numbers(value=cell.value, interval=cell.interval, p=p, n=cell.n)


def _places(table: StudyTable, cell: Cell) -> Iterator[tuple[Name, Name]]:
    """Row and column as records have them, and as print has them where that is otherwise."""

    def label(name: str) -> str:
        return table.labels.get(name, name)

    row = Name(cell.row, label(cell.row))
    if isinstance(cell, Score):
        change = " change" if cell.kind == "change" else ""
        names = (f"{cell.group} {cell.column}{change}", f"{label(cell.group)} {label(cell.column)}")
        yield row, Name(names[0], names[1] + change)
        return
    yield row, Name(cell.column, label(cell.column))
    form = next((own.form for own in table.layouts if own.table == cell.table), None)
    if form is not None:
        shown = place_of(table, form, cell)
        if shown != (row.label, label(cell.column)):
            yield Name(shown[0], shown[0]), Name(shown[1], shown[1])
