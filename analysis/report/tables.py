"""Tables of an experiment and of studies, in the one form that the page has for tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from analysis.cells import Cell, as_printed
from analysis.pairs import Place
from analysis.panels import Panel
from analysis.report.differences import level, unit_of
from analysis.report.text import public, visible
from analysis.report.values import CellView, RowView, TableView
from analysis.studies.shown import Grid, Shown
from analysis.tables import ExperimentTable, Record

PROMPTS: Final = ("baseline", "verbatim", "gist")
_DASH: Final = "–"
_COLUMNS: Final = ("task", "dataset", "choices", "wording", "descriptions", "model")


def plain(value: object) -> str:
    """A value as a table of facts shows it."""
    if value is None:
        return _DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return visible(public(str(value)))


def record_table(
    title: str, records: Sequence[Record], columns: Mapping[str, str], query: str = ""
) -> TableView:
    """Records as a table, the first column as labels.

    Args:
        title: What it shows.
        records: Each has all columns.
        columns: Key of a record to what stands above its column, in order.
        query: What the records are of.
    """
    first, *rest = columns
    return TableView(
        title=title,
        columns=tuple(columns.values()),
        rows=tuple(
            RowView(
                label=plain(record[first]),
                cells=tuple(CellView(value=plain(record[key])) for key in rest),
            )
            for record in records
        ),
        query=query,
    )


def _title(place: Place) -> str:
    task = place.task.replace("_", " ")
    return visible(f"{task} on {place.dataset}, {place.model}{place.unusual}")


def _where(place: Place) -> str:
    """What tells a table's rows from others, as the end of a query."""
    own = {name: visible(getattr(place, name).replace("'", "''")) for name in _COLUMNS}
    return " AND ".join(f"{key} = '{value}'" for key, value in own.items())


def experiment_tables(table: ExperimentTable) -> tuple[TableView, ...]:
    """Accuracy by condition; of tasks that are more or less good, their headline."""
    headlines = {place: list(own) for place, own in groupby(table.headlines, key=Place.of)}
    made = []
    for place, own in groupby(table.accuracy, key=Place.of):
        rows = list(own)
        if any(row["n"] for row in rows) or place not in headlines:
            made.append(_of_place(place, rows, _accuracy(place, rows)))
        else:
            made.append(_of_place(place, headlines[place], _headline(place, headlines[place])))
    return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How a condition's number is shown, and what is said of all of them."""

    query: str
    note: str
    cell: Callable[[Record], CellView]


def _accuracy(place: Place, rows: Sequence[Record]) -> _Kind:
    chances = [float(str(row["chance"])) for row in rows if row["chance"] is not None]
    offered = place.choices == "options" and chances
    expected = (
        f"; guessing gives {level(sum(chances) / len(chances), 'share')} %" if offered else ""
    )
    return _Kind(
        query="accuracy",
        note=f"Accuracy in percent, {'answers offered' if offered else 'open answers'}{expected};"
        " in brackets the 95 % Wilson interval, an item counting once.",
        cell=_accuracy_cell,
    )


def _accuracy_cell(row: Record) -> CellView:
    how = (
        f"{row['n']} answers asked for in {row['replies']} scored replies to {row['cells']} cells"
        f" of {row['items']} items; {row['unparsed']} unparsed, {row['truncated']} cut off,"
        f" {row['missing']} without a score. Row of the view accuracy: names {row['names']},"
        f" prompt {row['prompt']}."
    )
    if row["accuracy"] is None:
        return CellView(value=_DASH, n="0", title=visible(how))
    low, high = (level(float(str(row[key])), "share") for key in ("low", "high"))
    return CellView(
        value=level(float(str(row["accuracy"])), "share"),
        interval=f"[{low}, {high}]",
        n=str(row["n"]),
        title=visible(how),
    )


def _headline(place: Place, rows: Sequence[Record]) -> _Kind:
    unit = unit_of(place.task)
    metric = visible(str(rows[0]["metric"]))
    measured = "nats a token" if unit == "nats" else "percent"

    def cell(row: Record) -> CellView:
        how = (
            f"Mean of {metric} over {row['items']} items; {row['replies']} scored replies to"
            f" {row['cells']} cells, {row['unparsed']} unparsed, {row['missing']} without a score."
            f" Row of the view headlines: names {row['names']}, prompt {row['prompt']}."
        )
        value = _DASH if row["value"] is None else level(float(str(row["value"])), unit)
        return CellView(value=value, n=str(row["items"]), title=visible(how))

    note = f"{metric} in {measured}; its uncertainty stands at the differences, which are paired."
    return _Kind(query="headlines", note=note, cell=cell)


def _of_place(place: Place, rows: Sequence[Record], kind: _Kind) -> TableView:
    """One table: strategies down, prompts across."""
    prompts = [name for name in PROMPTS if any(row["prompt"] == name for row in rows)]
    prompts += sorted({str(row["prompt"]) for row in rows} - set(prompts))
    lines = []
    for names, own in groupby(rows, key=lambda row: str(row["names"])):
        by_prompt = {str(row["prompt"]): row for row in own}
        cells = [kind.cell(by_prompt[name]) if name in by_prompt else None for name in prompts]
        lines.append(_row(visible(names.replace("_", " ")), cells))
    return TableView(
        title=_title(place),
        columns=("names", *map(visible, prompts)),
        rows=tuple(lines),
        notes=(kind.note,),
        query=kind.query,
        where=_where(place),
    )


def _row(label: str, cells: Sequence[CellView | None]) -> RowView:
    """A line; what all its numbers rest on is said once, at its end."""
    counts = {cell.n for cell in cells if cell is not None}
    if len(counts) != 1:
        return RowView(label=label, cells=tuple(cells))
    alone = tuple(None if cell is None else replace(cell, n="") for cell in cells)
    return RowView(label=label, cells=alone, count=counts.pop())


def grid_table(grid: Grid) -> TableView:
    """A study's table."""
    groups: list[tuple[str, int]] = []
    for name, own in groupby(grid.groups):
        groups.append((visible(name), len(list(own))))
    notes = [note for note in (grid.legend, *grid.undefined) if note]
    if grid.printed:
        notes.append(f"{grid.same} of {grid.printed} numbers print as in the paper.")
    return TableView(
        title=visible(grid.title),
        columns=("", *map(visible, grid.columns)),
        rows=tuple(
            RowView(
                label=visible(row.label),
                cells=tuple(_shown(cell) if cell else None for cell in row.cells),
                count=row.count,
            )
            for row in grid.rows
        ),
        groups=tuple(groups),
        counts=grid.counts if any(grid.counts) else (),
        notes=tuple(map(visible, notes)),
    )


def _shown(cell: Shown) -> CellView:
    return CellView(
        value=cell.value,
        interval=cell.interval or "",
        change=cell.change,
        paper=cell.paper or "",
    )


def panel_table(panel: Panel, axis: str, decimals: int) -> TableView:
    """The numbers of a panel of a figure."""
    series = (*panel.series, *((panel.line_label,) if panel.line else ()))

    def row(place: str) -> RowView:
        own = [panel.cells.get((name, place)) for name in panel.series]
        own += [panel.line.get(place)] if panel.line else []
        return RowView(
            label=visible(place),
            cells=tuple(_number(cell, decimals) if cell else None for cell in own),
        )

    return TableView(
        title=visible(panel.heading or axis),
        columns=("", *map(visible, series)),
        rows=tuple(map(row, panel.places)),
        notes=(f"{visible(axis)}.",),
    )


def _number(cell: Cell, decimals: int) -> CellView:
    span = cell.interval
    ends = [as_printed(end, decimals) for end in (span.low, span.high)] if span else []
    return CellView(
        value="undefined" if cell.value is None else as_printed(cell.value, decimals),
        interval=f"[{', '.join(ends)}]" if ends else "",
        n=str(cell.n),
        paper=cell.paper or "",
        title=visible(cell.undefined or ""),
    )
