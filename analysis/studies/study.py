"""What a study is: the files it reads, and the tables it makes of what a store holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from analysis.cells import Cell
from analysis.explain.explanation import Explanation
from analysis.panels import Panel
from analysis.studies.scores import Score
from store.corpus import Part
from store.read import Source

Explains = Callable[[Any], Explanation]
"""Where a cell of a study's tables comes from."""
Form = Literal["count", "rate", "correlation", "cosine", "fraction", "score", "percent", "nats"]
"""How a table's numbers are printed; see `analysis.studies.grids`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a user names for a study to work on; None or empty where nothing is named.

    Attributes:
        corpus: Which corpus of the store, where the study does not say so itself.
        data: The folder of the files that the study's authors published.
        groups: A file that says which characters are alike.
        pairs: A file that says how often two characters are called alike.
        characters: A file that says which work each character belongs to.
    """

    corpus: str | None = None
    data: Path | None = None
    groups: Path | None = None
    pairs: Path | None = None
    characters: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which of a study's tables are wanted.

    Attributes:
        mode: One of the study's modes.
        vectors: Encoders by name or id, the first that has vectors of a representation counting;
            empty for the study's own choice.
        seed: Of the intervals' resamples.
    """

    inputs: Inputs
    mode: str
    vectors: Sequence[str] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSource:
    """A part of a corpus that can be read from files, and what stands for their content.

    Attributes:
        read: Reads and checks the files whole; raises `BadFile`.
    """

    import_id: str
    read: Callable[[], Part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How one table or figure is shown.

    Attributes:
        table: As `Cell.table` says it.
        title: What it shows, in a line that stands above it.
        caption: The same for where the table is numbered anew.
        legend: What stands for what in a cell, in sentences; empty where all tables say the same.
        columns: Of each group of columns, in order, also those without a cell; empty where those of
            the cells are all.
        counted: Columns whose cases are told by row, as "8 + 9"; empty for the range over all.
    """

    table: str
    title: str
    caption: str
    form: Form
    legend: str = ""
    columns: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()


FigureKind = Literal["bars", "heat map", "losses", "dots"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure that can be drawn.

    Attributes:
        name: Of its files, before it is made fit for them.
        title: What it shows; stands above it.
        axis: What its numbers are, with their unit.
        decimals: How many of a number are printed (count); of dots alone, the others have one.
        nothing: The number that says nothing, which is marked; of dots alone, else 0.
    """

    kind: FigureKind
    name: str
    title: str
    axis: str
    panels: tuple[Panel, ...]
    decimals: int = 1
    nothing: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """The tables of a study.

    Attributes:
        cells: In the order in which they are shown.
        layouts: One a table, in order.
        labels: Name of a row or column to what people call it; not all have one.
        notes: What must be known to read the numbers, a sentence each.
        experiment: Whose replies the numbers are of; empty where they are no experiment's.
        figures: What can be drawn beside what the tables' own cells say.
        undrawn: Which figures cannot be drawn, and why, a sentence each.
    """

    study: str
    mode: str
    vectors: tuple[str, ...]
    cells: tuple[Cell, ...]
    layouts: tuple[Layout, ...]
    labels: Mapping[str, str]
    notes: tuple[str, ...]
    experiment: str = ""
    figures: tuple[Figure, ...] = ()
    undrawn: tuple[str, ...] = ()

    def records(self) -> list[dict[str, object]]:
        """One flat record a cell; values are not rounded."""
        return [
            {
                "table": cell.table,
                "row": cell.row,
                "column": cell.column,
                "value": cell.value,
                "n": cell.n,
                "low": cell.interval.low if cell.interval else None,
                "high": cell.interval.high if cell.interval else None,
                "paper": cell.paper,
                "undefined": cell.undefined,
                "study": self.study,
                **self._made_of(cell),
            }
            for cell in self.cells
        ]

    def _made_of(self, cell: Cell) -> dict[str, object]:
        if isinstance(cell, Score):
            return {"experiment": self.experiment, **cell.record()}
        return {"mode": self.mode, "vectors": " ".join(self.vectors)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOf:
    """Which tables of a study of conditions are wanted, and what is to stand in them.

    Attributes:
        experiment: Whose replies; None for the only one that has any of the study's tasks.
        models: The user's models to the paper's, where their names do not tell.
        paper: Whether the paper's models that are none of the user's have columns of their own.
        seed: Of the intervals' resamples; None for the experiment's own.
    """

    experiment: str | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    paper: bool = False
    seed: int | None = None


@runtime_checkable
class ExperimentStudy(Protocol):
    """A study of what an experiment's models replied; no file is brought in for it."""

    @property
    def name(self) -> str:
        """As the user gives it: the name of its package."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """An experiment must have one of these."""

    def table(self, store: Source, asked: AskedOf) -> StudyTable:
        """Its tables, from a store.

        Raises:
            NoSuchTable: There is no such experiment, or it has none of the tasks.
            BadRequest: No experiment is named where there are several or none.
        """

    def explained(self, store: Source, asked: AskedOf) -> tuple[StudyTable, Explains]:
        """The same with what explains each of their cells; raises as `table` does."""


class Study(Protocol):
    """A study of a corpus that `probe table` can print."""

    @property
    def name(self) -> str:
        """As the user gives it: the name of its package."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The ways in which its numbers can be worked out, the usual one first."""

    @property
    def needs(self) -> str:
        """Which files it can be given, and how, to end a sentence with."""

    def corpus(self, inputs: Inputs) -> str:
        """Which corpus it is about.

        Raises:
            BadRequest: The inputs do not say, or name what the study does not take.
        """

    def sources(self, inputs: Inputs, store: Source | None) -> list[PartSource]:
        """What can be brought in from the files that the inputs name.

        Args:
            inputs: What the user named.
            store: The store as it is, where there is one that holds corpora.

        Raises:
            BadFile: A file is missing, or cannot be read.
        """

    def table(self, store: Source, asked: Asked) -> StudyTable:
        """Its tables, from a store.

        Raises:
            NotHeld: The store lacks a part of the corpus.
            NoVectors: Nothing can be compared.
        """

    def explained(self, store: Source, asked: Asked) -> tuple[StudyTable, Explains]:
        """The same with what explains each of their cells; raises as `table` does."""
