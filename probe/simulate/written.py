"""Answers written in the form that a prompt asks for: prose, and the values a JSON answer has."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Said:
    """An answer.

    Attributes:
        prose: As the prompt asks for it.
        values: The same by the names of the properties that a JSON answer would have.
    """

    prose: str
    values: Mapping[str, object] = field(default_factory=dict)


def speakers_said(names: Mapping[str, str]) -> Said:
    """A name for each speaker, one a line."""
    return Said("\n".join(f"{label}: {name}" for label, name in names.items()), dict(names))


def title_said(title: str) -> Said:
    """The title of a work."""
    return Said(title, {"title": title})


def trait_said(trait: str, letter: str) -> Said:
    """A trait, by its letter in prose."""
    return Said(f"({letter})", {"trait": trait})


def words_said(words: str) -> Said:
    """Words of the passage."""
    return Said(words, {"answer": words})


def letter_of(option: str, options: Sequence[str]) -> str:
    """The letter that stands before an option."""
    return string.ascii_lowercase[options.index(option)]
