"""The rows that the generic queries return, one for each character, pair or answer they are about.

A table's numbers are means and correlations of these; each comes from a query in
`analysis/sql/similarity` that also runs on the store by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from analysis.similarity.relations import representation_name
from analysis.sql import query
from store.read import Connection, ask

Works = Literal["all", "other"]
Record = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A character as a member of a group.

    Attributes:
        ordinal: Place of the membership in its file, from 0.
    """

    part: str
    attribute: str
    group: str
    ordinal: int
    character: str
    work: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Whom a system holds for the most similar to a member of a group.

    Attributes:
        system: A representation, or whoever was asked.
        works: Whether all characters are compared or only those of other works.
        chosen: None where a system that was asked named only the character itself.
        hit: Whether the chosen one is in the group; None where there is none.
    """

    system: str
    works: Works
    member: Member
    chosen: str | None
    chosen_work: str | None
    hit: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InOut:
    """Mean cosine of a member to its group and to everyone else; None where that is nobody."""

    system: str
    works: Works
    member: Member
    mean_in: float | None
    mean_out: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """A pair of characters, its cosine and how often experts call the two alike."""

    system: str
    a: str
    a_work: str
    b: str
    b_work: str
    cosine: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopTen:
    """How the ten most similar to a character agree with the ten experts name most.

    Attributes:
        jaccard: Of the two sets, in [0, 1].
        top_share: Part of those experts name most that is among the ten by cosine, in [0, 1].
    """

    system: str
    character: str
    jaccard: float
    top_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPairs:
    """How a model's answers about a character agree with the ten experts name most.

    Attributes:
        jaccard: Of its ten and theirs as sets, in [0, 1].
        top_share: Part of those experts name most that is among its ten, in [0, 1].
        choice_share: Whether its first is among the experts' ten; a part of it where several share
            the tenth place.
    """

    system: str
    character: str
    jaccard: float
    top_share: float
    choice_share: float


def nearest(connection: Connection) -> list[Nearest]:
    """Of each representation and group, the most similar character of every member."""
    return [
        Nearest(
            system=_system(row),
            works="all" if row["works"] == "all" else "other",
            member=_member(row),
            chosen=str(row["chosen"]),
            chosen_work=str(row["chosen_work"]),
            hit=bool(row["hit"]),
        )
        for row in ask(connection, query("similarity/nearest")).records()
    ]


def answered(connection: Connection) -> list[Nearest]:
    """Of each system that was asked and group, whom it named for every member."""
    return [
        Nearest(
            system=str(row["system"]),
            works="all",
            member=_member(row),
            chosen=_text(row["chosen"]),
            chosen_work=_text(row["chosen_work"]),
            hit=None if row["hit"] is None else bool(row["hit"]),
        )
        for row in ask(connection, query("similarity/answers_in_groups")).records()
    ]


def in_out(connection: Connection) -> list[InOut]:
    """Of each representation and group, every member's mean cosines."""
    return [in_out_row(row) for row in ask(connection, query("similarity/in_out")).records()]


def in_out_row(row: Record) -> InOut:
    """A row of in_out.sql, or of a query with the same columns."""
    return InOut(
        system=_system(row),
        works="all" if row["works"] == "all" else "other",
        member=_member(row),
        mean_in=_number(row["mean_in"]),
        mean_out=_number(row["mean_out"]),
    )


def pairs(connection: Connection, part: str) -> list[PairRow]:
    """Of each representation, every pair of characters with the counts of one benchmark."""
    text = f"SELECT * FROM (\n{query('similarity/pairs')}\n) WHERE part = $part"
    return [pair_row(row) for row in ask(connection, text, {"part": part}).records()]


def pair_row(row: Record) -> PairRow:
    """A row of pairs.sql, or of a query with the same columns."""
    return PairRow(
        system=_system(row),
        a=str(row["a"]),
        a_work=str(row["a_work"]),
        b=str(row["b"]),
        b_work=str(row["b_work"]),
        cosine=float(str(row["cosine"])),
        count=int(str(row["count"])),
    )


def top_ten(connection: Connection, part: str) -> list[TopTen]:
    """Of each representation, every character's agreement with one benchmark."""
    text = f"SELECT * FROM (\n{query('similarity/top_ten')}\n) WHERE part = $part"
    return [
        TopTen(
            system=_system(row),
            character=str(row["character"]),
            jaccard=float(str(row["jaccard"])),
            top_share=float(str(row["top_share"])),
        )
        for row in ask(connection, text, {"part": part}).records()
    ]


def answered_pairs(connection: Connection, part: str) -> list[AnsweredPairs]:
    """Of each of the user's own models, every character's agreement with one benchmark."""
    text = f"SELECT * FROM (\n{query('similarity/answers_in_pairs')}\n) WHERE part = $part"
    return [
        AnsweredPairs(
            system=str(row["system"]),
            character=str(row["character"]),
            jaccard=float(str(row["jaccard"])),
            top_share=float(str(row["top_share"])),
            choice_share=float(str(row["choice_share"])),
        )
        for row in ask(connection, text, {"part": part}).records()
    ]


def members(connection: Connection) -> list[Member]:
    """Every membership of a character that has a work."""
    query_text = """
        SELECT g.part, g.attribute, g."group", g.ordinal, g.character, c.work
        FROM character_groups AS g JOIN characters AS c USING (corpus, character) ORDER BY ALL"""
    return [_member(row) for row in ask(connection, query_text).records()]


def _system(row: Record) -> str:
    return representation_name(row["pipeline"], row["kind"])


def _member(row: Record) -> Member:
    return Member(
        part=str(row["part"]),
        attribute=str(row["attribute"]),
        group=str(row["group"]),
        ordinal=int(str(row["ordinal"])),
        character=str(row["character"]),
        work=str(row["work"]),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))
