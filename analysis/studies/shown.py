"""A table as texts in rows and columns, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A cell as it is printed.

    Attributes:
        value: Ours; a dash where it is undefined.
        paper: The paper's, as the paper prints it; None where it prints none.
        same: Whether the two are the same number.
        interval: 95 %; None where there is none.
        change: How it differs from what it is held against, with its marks; may be empty.
    """

    value: str
    paper: str | None
    same: bool
    interval: str | None
    change: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A line; None stands where the table has no cell.

    Attributes:
        count: The cases that its numbers rest on, where that is told by row.
    """

    label: str
    cells: tuple[Shown | None, ...]
    count: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table.

    Attributes:
        counts: Under each column, the cases that its numbers rest on, as "7" or "5–7".
        has_intervals: Whether any cell has one.
        same: Cells that print as in the paper (count).
        printed: Cells that the paper prints (count).
        undefined: Why there are no values or intervals, with how many cells that is so of.
        legend: What stands for what in a cell; empty where all of a study's tables say the same.
        groups: Over each column, what it shares with its neighbours; empty where nothing is shared.
    """

    table: str
    title: str
    caption: str
    columns: tuple[str, ...]
    counts: tuple[str, ...]
    rows: tuple[GridRow, ...]
    has_intervals: bool
    same: int
    printed: int
    undefined: tuple[str, ...]
    legend: str = ""
    groups: tuple[str, ...] = ()
