"""What a study is: the files it reads, and the tables it makes of what a store holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from analysis.cells import Cell
from store.corpus import Part
from store.read import Source

Form = Literal["count", "rate", "correlation", "cosine", "fraction"]
"""How a table's numbers are printed; see `probe.cli.show_study`."""


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
    """

    table: str
    title: str
    caption: str
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """The tables of a study.

    Attributes:
        cells: In the order in which they are shown.
        layouts: One a table, in order.
        labels: Name of a row or column to what people call it; not all have one.
        notes: What must be known to read the numbers, a sentence each.
    """

    study: str
    mode: str
    vectors: tuple[str, ...]
    cells: tuple[Cell, ...]
    layouts: tuple[Layout, ...]
    labels: Mapping[str, str]
    notes: tuple[str, ...]

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
                "mode": self.mode,
                "vectors": " ".join(self.vectors),
            }
            for cell in self.cells
        ]


class Study(Protocol):
    """A study that `probe table` can print."""

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
