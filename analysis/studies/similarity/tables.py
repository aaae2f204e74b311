"""The tables of the study: for each attribute of groups, and for pairs.

Metrics as the similarity paper describes them in sections 5.1 and 5.2. Representations are
rows; groups, works or metrics are columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from analysis.cells import Cell
from analysis.similarity.measures import Case, Place, correlation_cell, mean_cell
from analysis.similarity.relations import Relations
from analysis.similarity.rows import (
    AnsweredPairs,
    InOut,
    Nearest,
    PairRow,
    TopTen,
    answered,
    answered_pairs,
    in_out,
    nearest,
    pairs,
    top_ten,
)
from analysis.studies.study import Form, Layout

ALL_GROUPS: Final = "all groups"
ALL_WORKS: Final = "all works"
OTHER_WORKS: Final = ", other works"
"""What the names of tables end in that leave characters of the same work out."""
_SCOPES: Final = {"all": "", "other": OTHER_WORKS}
_MANY_WORKS: Final = 2

Row = TypeVar("Row", Nearest, InOut)


@dataclass(frozen=True, slots=True)
class Table:
    """Cells that are shown together."""

    layout: Layout
    cells: tuple[Cell, ...]


def _layout(table: str, title: str, form: Form) -> Layout:
    return Layout(table=table, title=title, caption=title, form=form)


def group_tables(relations: Relations, works: Sequence[str], seed: int) -> list[Table]:
    """Most similar characters and mean cosines, for each attribute and group."""
    cosines, means = nearest(relations.connection), in_out(relations.connection)
    # A list of ten does not say who of them is the most similar.
    asked = [row for row in answered(relations.connection) if row.system not in relations.own.ten]
    places = {name: at for at, name in enumerate(relations.own.single, start=1)}
    asked.sort(key=lambda row: places.get(row.system, 0))
    attributes = dict.fromkeys(
        row.member.attribute for row in sorted(cosines, key=lambda row: row.member.ordinal)
    )
    tables: list[Table] = []
    for attribute in attributes:
        for scope, suffix in _SCOPES.items():
            if scope == "other" and len(works) < _MANY_WORKS:
                continue
            rows = [row for row in cosines if row.works == scope] + [
                row for row in asked if scope == "all" or row.chosen_work != row.member.work
            ]
            own = [row for row in rows if row.member.attribute == attribute]
            bars = [r for r in means if r.works == scope and r.member.attribute == attribute]
            tables += _rates(f"{attribute}{suffix}", own, works, seed)
            tables += _cosines(f"{attribute}{suffix}", bars, seed)
    return tables


def pair_tables(relations: Relations, part: str, works: Sequence[str], seed: int) -> list[Table]:
    """Agreement with experts' counts, over all pairs, by work and between works."""
    every = pairs(relations.connection, part)
    paired = [row for row in every if row.count > 0]
    agreement = _agreement(every, paired, top_ten(relations.connection, part), seed)
    own = _own_agreement(relations, part, seed)
    tables = [replace(agreement, cells=(*agreement.cells, *own))]
    if len(works) >= _MANY_WORKS:
        across = [row for row in paired if row.a_work != row.b_work]
        tables += [
            _by_work("pearson by work", "Correlation of cosine and count", paired, works, seed),
            _by_work(
                f"pearson by work{OTHER_WORKS}",
                "Correlation of cosine and count, pairs of different works",
                across,
                works,
                seed,
            ),
        ]
    return tables


def _rates(name: str, rows: Sequence[Nearest], works: Sequence[str], seed: int) -> list[Table]:
    def by_group(row: Nearest) -> str:
        return row.member.group

    def by_work(row: Nearest) -> str:
        return row.member.work

    def hit(row: Nearest) -> float | None:
        return None if row.hit is None else float(row.hit)

    groups = _groups(rows)
    title = f"Most similar character in the same group: {name}"
    tables = [
        Table(
            _layout(f"most similar: {name}", title, "rate"),
            _mean_cells(
                f"most similar: {name}", rows, (by_group, hit), (*groups, ALL_GROUPS), seed
            ),
        )
    ]
    if len(works) >= _MANY_WORKS:
        table = f"most similar by work: {name}"
        cells = _mean_cells(table, rows, (by_work, hit), (*works, ALL_WORKS), seed)
        tables.append(Table(_layout(table, f"{title}, by work", "rate"), cells))
    return tables


def _cosines(name: str, rows: Sequence[InOut], seed: int) -> list[Table]:
    def group(row: InOut) -> str:
        return row.member.group

    def mean_in(row: InOut) -> float | None:
        return row.mean_in

    def mean_out(row: InOut) -> float | None:
        return row.mean_out

    def difference(row: InOut) -> float | None:
        if row.mean_in is None or row.mean_out is None:
            return None
        return row.mean_in - row.mean_out

    groups = (*_groups(rows), ALL_GROUPS)
    sides = {
        side: {
            (cell.row, cell.column): cell
            for cell in _mean_cells(f"cosine: {name}", rows, (group, of), groups, seed, f".{side}")
        }
        for side, of in (("in", mean_in), ("out", mean_out))
    }
    bars = [
        sides[side][row, f"{column}.{side}"]
        for row in _systems(rows)
        for column in groups
        for side in ("in", "out")
    ]
    less = f"in less out: {name}"
    return [
        Table(
            _layout(
                f"cosine: {name}", f"Mean cosine within the group and outside it: {name}", "cosine"
            ),
            tuple(bars),
        ),
        Table(
            _layout(less, f"Cosine within less outside: {name}", "cosine"),
            _mean_cells(less, rows, (group, difference), groups, seed),
        ),
    ]


def _agreement(
    every: Sequence[PairRow], paired: Sequence[PairRow], tens: Sequence[TopTen], seed: int
) -> Table:
    cells: list[Cell] = []
    for system in dict.fromkeys(row.system for row in every):
        own = [row for row in tens if row.system == system]
        jaccard = [Case(row.character, row.jaccard) for row in own]
        top = [Case(row.character, row.top_share) for row in own]
        named = [row for row in paired if row.system == system]
        all_pairs = [row for row in every if row.system == system]
        cells += [
            correlation_cell(Place("pairs", system, "pearson"), named, seed),
            correlation_cell(Place("pairs", system, "pearson_all_pairs"), all_pairs, seed),
            mean_cell(Place("pairs", system, "jaccard"), jaccard, seed),
            mean_cell(Place("pairs", system, "top10"), top, seed),
        ]
    layout = _layout("pairs", "Pairs: agreement with cosine similarity", "correlation")
    return Table(layout, tuple(cells))


def _own_agreement(relations: Relations, part: str, seed: int) -> list[Cell]:
    """The rows of the user's own models: the choice of one, or the two lists of ten."""
    if not relations.own.systems:
        return []
    found: dict[str, list[AnsweredPairs]] = {}
    for row in answered_pairs(relations.connection, part):
        found.setdefault(row.system, []).append(row)
    cells = []
    for system in relations.own.systems:
        rows = found.get(system.name, [])
        if system.is_ten:
            jaccard = [Case(row.character, row.jaccard) for row in rows]
            top = [Case(row.character, row.top_share) for row in rows]
            cells.append(mean_cell(Place("pairs", system.name, "jaccard"), jaccard, seed))
        else:
            top = [Case(row.character, row.choice_share) for row in rows]
        cells.append(mean_cell(Place("pairs", system.name, "top10"), top, seed))
    return cells


def _by_work(
    table: str, title: str, rows: Sequence[PairRow], works: Sequence[str], seed: int
) -> Table:
    cells = [
        correlation_cell(
            Place(table, system, work),
            [
                row
                for row in rows
                if row.system == system and (work == ALL_WORKS or work in (row.a_work, row.b_work))
            ],
            seed,
        )
        for system in dict.fromkeys(row.system for row in rows)
        for work in (*works, ALL_WORKS)
    ]
    return Table(_layout(table, title, "correlation"), tuple(cells))


def _mean_cells(
    table: str,
    rows: Sequence[Row],
    by_and_of: tuple[Callable[[Row], str], Callable[[Row], float | None]],
    columns: Sequence[str],
    seed: int,
    suffix: str = "",
) -> tuple[Cell, ...]:
    """Means of rows by system and column; the last column takes all rows."""
    by, of = by_and_of
    cells = []
    for system in _systems(rows):
        own = [row for row in rows if row.system == system]
        for column in columns:
            cases = [
                Case(row.member.character, value)
                for row in own
                if (column == columns[-1] or by(row) == column) and (value := of(row)) is not None
            ]
            cells.append(mean_cell(Place(table, system, column + suffix), cases, seed))
    return tuple(cells)


def _systems(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row.system for row in rows))


def _groups(rows: Iterable[Row]) -> list[str]:
    """Groups in the order in which the benchmark's file first has them."""
    ordered = sorted(rows, key=lambda row: row.member.ordinal)
    return list(dict.fromkeys(row.member.group for row in ordered))
