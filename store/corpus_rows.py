"""Rows that are brought in from files: features, characters, and the benchmarks over them.

One frozen dataclass a table, as in `store.rows`. Each row carries the import it came with.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, TypeAlias

from store.keys import digest

_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """One part of a corpus, brought in at one time."""

    TABLE: ClassVar[str] = "imports"
    import_id: str
    corpus: str
    relation: str
    part: str
    path: str
    rows: int
    report: str
    imported_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureRow:
    """One event, modifier, quote or assertion of a character."""

    TABLE: ClassVar[str] = "feature_rows"
    import_id: str
    ordinal: int
    pipeline: str
    kind: str
    work: str
    character: str
    role: str | None
    text: str
    context: str | None
    target_start: int | None
    target_end: int | None
    target_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CastRow:
    """A character of a corpus."""

    TABLE: ClassVar[str] = "cast_rows"
    import_id: str
    ordinal: int
    character: str
    work: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One membership: the character has this value of the attribute."""

    TABLE: ClassVar[str] = "group_rows"
    import_id: str
    ordinal: int
    attribute: str
    group: str
    character: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """How often two characters are called alike."""

    TABLE: ClassVar[str] = "pair_rows"
    import_id: str
    ordinal: int
    a: str
    b: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRow:
    """Whom a system names as like a character, at one rank of one sample."""

    TABLE: ClassVar[str] = "choice_rows"
    import_id: str
    ordinal: int
    system: str
    character: str
    sample: int
    rank: int
    chosen: str


CorpusRow: TypeAlias = ImportRow | FeatureRow | CastRow | GroupRow | PairRow | ChoiceRow


def import_id(corpus: str, relation: str, part: str, content: object) -> str:
    """What stands for a part of a corpus.

    Args:
        corpus: The corpus.
        relation: As in the table `imports`.
        part: As there.
        content: Digests of the files, and a number that goes up when they are read otherwise.
    """
    return digest([corpus, relation, part, content])[:_DIGITS]


def target_id(text: str, start: int | None = None, end: int | None = None) -> str:
    """What stands for a text to embed, or for the word at a place in it (half-open, characters)."""
    return digest([text] if start is None else [text, start, end])[:_DIGITS]
