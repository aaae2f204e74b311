"""The rows that this study's own queries return, and its names for representations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from analysis.similarity.relations import representation_name
from analysis.similarity.rows import InOut, PairRow, in_out_row, pair_row
from analysis.sql import query
from analysis.studies.austenalike.names import VECTORS
from store.read import Connection, ask

ROWS: Final = {representation_name(each.pipeline, each.kind): each.row for each in VECTORS}
"""A representation's name in general -> the name of its row, in the tables' order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """A character's two lists of ten, the experts' and a system's.

    Attributes:
        same_ranks: Ranks at which both hold the same name (count).
        common: Names that both hold (count).
        listed: Names on the system's list (count).
        top_in_ten: Whether the first of the experts' list is on the system's.
    """

    system: str
    character: str
    same_ranks: int
    common: int
    listed: int
    top_in_ten: bool

    @property
    def by_rank(self) -> float:
        """Agreement of the two lists rank by rank, in [0, 1], as label sequences of ten."""
        return self.same_ranks / (20 - self.same_ranks)

    @property
    def as_sets(self) -> float:
        """Jaccard similarity of the two lists as sets, in [0, 1]."""
        return self.common / (10 + self.listed - self.common)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedLists:
    """What whoever was asked said of a character, beside what experts say.

    Attributes:
        ordinal: Where experts' matrix first names the character.
        answered: Whether there is an answer about it; GPT-4 has one wherever it was asked.
        choice_place: Where its choice stands on the experts' list; None where it does not.
        other_choice_place: The same of its choice other than the character itself.
        lists: Its ten most common answers against the experts' ten.
    """

    ordinal: int
    answered: bool
    choice_place: int | None
    other_choice_place: int | None
    lists: Lists


def own_query(name: str) -> str:
    """The text of one of this study's queries by its file's name."""
    return query(name, "analysis.studies.austenalike")


def bars(connection: Connection) -> list[InOut]:
    """Mean cosines as the published figures take them."""
    return [in_out_row(row) for row in ask(connection, own_query("bars")).records()]


def expert_pairs(connection: Connection) -> list[PairRow]:
    """The pairs that the published correlations rest on."""
    return [pair_row(row) for row in ask(connection, own_query("expert_pairs")).records()]


def expert_lists(connection: Connection) -> list[Lists]:
    """Of each representation, every character's two lists of ten."""
    return [
        _lists(representation_name(row["pipeline"], row["kind"]), row)
        for row in ask(connection, own_query("expert_lists")).records()
    ]


def asked_lists(connection: Connection) -> list[AskedLists]:
    """Of each system that was asked, every character that experts know, in their order."""

    def place(value: object) -> int | None:
        return None if value is None else int(str(value))

    found = [
        AskedLists(
            ordinal=int(str(row["ordinal"])),
            answered=row["choice"] is not None,
            choice_place=place(row["choice_place"]),
            other_choice_place=place(row["other_choice_place"]),
            lists=_lists(str(row["system"]), row),
        )
        for row in ask(connection, own_query("asked_lists")).records()
    ]
    return sorted(found, key=lambda each: each.ordinal)


def row_name(system: str) -> str:
    """What the tables call a system."""
    return ROWS.get(system, system)


def _lists(system: str, row: dict[str, object]) -> Lists:
    return Lists(
        system=system,
        character=str(row["character"]),
        same_ranks=int(str(row["same_ranks"])),
        common=int(str(row["common"])),
        listed=int(str(row["listed"])),
        top_in_ten=bool(row["top_in_ten"]),
    )
