"""The forms that the tables of both modes share: which rows and columns there are, and sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.cells import Cell
from analysis.similarity.measures import Case, Place, correlation_cell, mean_cell
from analysis.similarity.own import Own
from analysis.similarity.rows import InOut, Member, Nearest, PairRow
from analysis.studies.austenalike.names import ATTRIBUTES, NOVELS, ROLES, SINGLE, TEN
from analysis.studies.austenalike.rows import ROWS, row_name
from store.read import Connection, ask

PARTS: Final = {"roles": ROLES, "social": ATTRIBUTES}
"""Part of the benchmark of groups -> the columns of its tables: roles themselves, or attributes of
which all groups are taken together."""
ALL: Final = "All"
_SIZES: Final = """
    SELECT attribute, "group", count(*) FROM character_groups
    WHERE part IN ('roles', 'social') GROUP BY ALL"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Systems:
    """Who was asked, GPT-4 first and then the user's own models, in the order of the rows.

    Attributes:
        single: Those that chose the most similar character.
        ten: Those that chose ten.
    """

    single: tuple[str, ...]
    ten: tuple[str, ...]


def asked_systems(own: Own) -> Systems:
    """GPT-4, and whoever else was asked the same."""
    return Systems(single=(*SINGLE, *own.single), ten=(TEN, *own.ten))


def column_of(member: Member) -> str:
    """The column that a member counts in."""
    return member.group if member.part == "roles" else member.attribute


def rate_cells(
    table: str, part: str, rows: Iterable[Nearest], systems: Systems, seed: int
) -> list[Cell]:
    """How often the most similar character is of the same group; rows without one are passed by."""
    cases: dict[tuple[str, str], list[Case]] = {}
    for row in rows:
        if row.member.part == part:
            own = cases.setdefault((row_name(row.system), column_of(row.member)), [])
            if row.hit is not None:
                own.append(Case(row.member.character, float(row.hit)))
    present = {system for system, _ in cases}
    return [
        mean_cell(Place(table, system, column), cases.get((system, column), []), seed)
        for system in (*ROWS.values(), *systems.single)
        if system in present
        for column in PARTS[part]
    ]


def bar_cells(figure: str, part: str, rows: Sequence[InOut], seed: int) -> list[Cell]:
    """A figure's bars: mean cosine within the group and outside it."""

    def side(name: str, of: Callable[[InOut], float | None]) -> dict[tuple[str, str], Cell]:
        return {
            (cell.row, cell.column): cell
            for cell in _cosine_cells(figure, part, rows, of, f".{name}", seed)
        }

    inside, outside = side("in", lambda row: row.mean_in), side("out", lambda row: row.mean_out)
    return [
        cell
        for system in ROWS.values()
        for column in PARTS[part]
        for name, cells in (("in", inside), ("out", outside))
        if (cell := cells.get((system, f"{column}.{name}"))) is not None
    ]


def difference_cells(figure: str, part: str, rows: Sequence[InOut], seed: int) -> list[Cell]:
    """By how much members' mean cosine to their group exceeds that to everyone else."""

    def difference(row: InOut) -> float | None:
        if row.mean_in is None or row.mean_out is None:
            return None
        return row.mean_in - row.mean_out

    return _cosine_cells(figure, part, rows, difference, "", seed)


def _cosine_cells(
    figure: str,
    part: str,
    rows: Sequence[InOut],
    of: Callable[[InOut], float | None],
    suffix: str,
    seed: int,
) -> list[Cell]:
    cases: dict[tuple[str, str], list[Case]] = {}
    for row in rows:
        if row.member.part == part:
            own = cases.setdefault((row_name(row.system), column_of(row.member)), [])
            if (value := of(row)) is not None:
                own.append(Case(row.member.character, value))
    present = {system for system, _ in cases}
    return [
        mean_cell(Place(figure, system, column + suffix), cases.get((system, column), []), seed)
        for system in ROWS.values()
        if system in present
        for column in PARTS[part]
    ]


def correlation_cells(
    table: str, rows: Sequence[PairRow], counts_for: Callable[[PairRow, str], bool], seed: int
) -> list[Cell]:
    """Correlations of each representation by novel, and over all pairs.

    Args:
        table: The table's number.
        rows: The pairs.
        counts_for: Whether a pair counts for a novel.
        seed: Of the intervals.
    """
    own: dict[str, list[PairRow]] = {}
    for row in rows:
        own.setdefault(row_name(row.system), []).append(row)
    return [
        correlation_cell(
            Place(table, system, novel),
            [row for row in own[system] if novel == ALL or counts_for(row, novel)],
            seed,
        )
        for system in ROWS.values()
        if system in own
        for novel in (*NOVELS, ALL)
    ]


def size_cells(connection: Connection) -> list[Cell]:
    """Tables 1 and 5: how many characters each group has in the benchmark's files."""
    sizes = {
        (str(attribute), str(group)): int(str(size))
        for attribute, group, size in ask(connection, _SIZES).rows
    }

    def cell(table: str, row: str, column: str, size: int) -> Cell:
        return Cell(table=table, row=row, column=column, value=float(size), n=size)

    roles = [cell("1", role, "size", sizes.get(("role", role), 0)) for role in ROLES]
    social = [
        cell("5", attribute, group, size)
        for (attribute, group), size in sorted(sizes.items(), key=_by_attribute_and_edge)
        if attribute in ATTRIBUTES
    ]
    return roles + social


def _by_attribute_and_edge(entry: tuple[tuple[str, str], int]) -> tuple[str, int, str]:
    (attribute, group), _ = entry
    return attribute, int(group) if group.isdigit() else 0, group
