"""The numbers of tables by where they stand, each with how it is explained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.explain.explanation import Explanation, Numbers


@dataclass(frozen=True, slots=True)
class Name:
    """What a row or column goes by.

    Attributes:
        name: In records.
        label: In print; the same where there is no other.
    """

    name: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One number of a table.

    Attributes:
        table: As records say it.
        places: Row and column by which it is found, first as records and then as print has them.
        printed: As its record has it.
        shown: As the table prints it.
        undefined: Why there is no value or no interval.
        paper: What the paper prints there.
        explain: Where it comes from.
    """

    table: str
    places: Sequence[tuple[Name, Name]]
    printed: Numbers
    shown: str
    explain: Callable[[], Explanation]
    undefined: str | None = None
    paper: str | None = None

    @property
    def row(self) -> Name:
        """The row it stands in, as records say it."""
        return self.places[0][0]

    @property
    def column(self) -> Name:
        """The column it stands in, as records say it."""
        return self.places[0][1]
