"""What a report holds, as values: everything that its page shows, before any HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_PARTS: Final = ("value", "change", "interval", "paper", "n")
_NUMERIC: Final = re.compile(r"[+\-\u2212<]? ?[\d,.]+( %)?[*†]*|–")
"""A number as tables print it, or the dash that stands for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """A cell of a table.

    Attributes:
        value: As printed; a dash where it is undefined.
        interval: 95 %; empty where there is none.
        n: Cases it rests on, as printed; empty where the table does not say so by cell.
        change: How it differs from what it is held against.
        paper: What the paper prints.
        title: How it was worked out.
    """

    value: str
    interval: str = ""
    n: str = ""
    change: str = ""
    paper: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """A line of a table; None stands where it has no cell."""

    label: str
    cells: tuple[CellView | None, ...]
    count: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table.

    Attributes:
        groups: Over the columns: what neighbours share, and how many they are.
        counts: Under each column; empty where the table does not say so by column.
        notes: What must be known to read it, a sentence each.
        query: The name of the query that it is made of; see `Report.queries`.
        where: What tells its rows from others of the query.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[RowView, ...]
    groups: tuple[tuple[str, int], ...] = ()
    counts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    query: str = ""
    where: str = ""

    @property
    def has_counts(self) -> bool:
        """Whether any row says how many cases it rests on."""
        return any(row.count for row in self.rows)

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Of each column but the first, which of a cell's texts it has; each gets its own place."""
        return tuple(
            tuple(part for part in _PARTS if part == "value" or any(getattr(c, part) for c in own))
            for own in self._cells()
        )

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Of each column but the first, whether it holds numbers only."""
        return tuple(all(_NUMERIC.fullmatch(c.value) for c in own) for own in self._cells())

    @property
    def spans(self) -> tuple[tuple[str, int], ...]:
        """The groups with how many places each is wide."""
        widths = iter(self.parts)
        return tuple(
            (name, sum(len(next(widths)) for _ in range(count))) for name, count in self.groups
        )

    def _cells(self) -> list[list[CellView]]:
        return [
            [cell for row in self.rows if (cell := row.cells[at]) is not None]
            for at in range(len(self.columns) - 1)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """An interval drawn within a line of a table, as shares of the strip's width (percent).

    Attributes:
        zero: Where no difference is.
        value: Where the estimate is.
        low: Where the interval begins; None where there is none.
        high: Where it ends.
    """

    zero: float
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastView:
    """A paired difference as it is printed.

    Attributes:
        low: The interval's lower end; empty where there is none.
        undefined: Why there is none.
        strip: None where there is no estimate.
        is_sure: Whether its p after Holm is below 0.05.
        title: Everything else that is known of it.
    """

    task: str
    model: str
    contrast: str
    a: str
    b: str
    difference: str
    low: str
    high: str
    undefined: str
    p: str
    items: int
    clusters: str
    strip: Strip | None
    is_sure: bool
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastTable:
    """The differences of one unit.

    Attributes:
        headline: What names cost, and what an instruction gives back.
        others: All further ones.
    """

    unit: str
    headline: tuple[ContrastView, ...]
    others: tuple[ContrastView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureView:
    """A drawn figure.

    Attributes:
        svg: An `svg` element that can stand in the page as it is.
        tables: Its numbers.
    """

    title: str
    svg: str
    tables: tuple[TableView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyView:
    """The tables of a study.

    Attributes:
        notes: What must be known to read them, a sentence each.
    """

    name: str
    tables: tuple[TableView, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A line of what was run."""

    label: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What was run.

    Attributes:
        facts: Of the plan and the code.
        spec: The experiment file.
        models: Of each model as served, what is known of it.
        runs: One line a run.
        spend: One line a model.
    """

    facts: tuple[Fact, ...]
    spec: str
    models: TableView
    runs: TableView
    spend: TableView


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What to know before trusting the numbers.

    Attributes:
        warnings: In sentences; empty where all is well.
    """

    outcomes: TableView
    by_condition: TableView
    reasons: TableView | None
    replacement: TableView | None
    leaks: TableView | None
    aside: TableView | None
    repeats: TableView
    agreement: TableView | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """The items that the page holds.

    Attributes:
        index: What the list of items needs, as JSON.
        chunks: The texts of some items each, compressed, as base64.
        held: How many items there are in the page.
        of: How many the experiment has.
        left_out: What is left out, in a sentence; empty where nothing is.
    """

    index: str
    chunks: tuple[str, ...]
    held: int
    of: int
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report.

    Attributes:
        summary: What the headline contrasts say, a sentence each.
        cautions: What limits them.
        subtitle: Models, tasks, cells and days, in a line.
        tables: Accuracy or headline by condition, one for each task, dataset and model.
        undrawn: Figures that are not drawn, and why.
        queries: Every query by its name, as it can be run by hand.
        version: Of the program that made the report.
    """

    experiment: str
    subtitle: str
    summary: tuple[str, ...]
    cautions: tuple[str, ...]
    provenance: Provenance
    contrasts: tuple[ContrastTable, ...]
    tables: tuple[TableView, ...]
    studies: tuple[StudyView, ...]
    figures: tuple[FigureView, ...]
    undrawn: tuple[str, ...]
    checks: Checks
    browser: Browser
    queries: dict[str, str] = field(default_factory=dict)
    version: str = ""
