"""Replaces names in a text: one pass, whole words, the longest form first.

What becomes what is planned elsewhere (`prompts.names.planning`); this acts on it. Nothing outside
the names changes, and the edits lead back to the original.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from prompts.names.align import Alignment, Edit, apply
from prompts.names.find import Place, find_names
from prompts.names.ordinary import lower_name, ordinary
from prompts.names.words import (
    PARTICLES,
    TITLES,
    fold,
    is_name_word,
    is_title,
    name_phrase,
    words,
)

__all__ = [
    "PARTICLES",
    "TITLES",
    "NameMap",
    "Replaced",
    "fold",
    "is_name_word",
    "is_title",
    "name_phrase",
    "replace",
    "words",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMap:
    """A cast's names and what they become.

    Attributes:
        people: Character name -> the name it is shown under, for those an item may name; one to
            one.
        forms: Every surface form (phrase or word) -> its replacement, in the cast's own spelling.
            Two forms have one replacement only where they are one person's, as a nickname is.
    """

    people: Mapping[str, str]
    forms: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A text under other names.

    Attributes:
        text: The new text.
        edits: Every replacement made, in order.
        ambiguous: Forms left alone because they may be ordinary words there, one entry an
            occurrence.
    """

    text: str
    edits: tuple[Edit, ...]
    ambiguous: tuple[str, ...]

    @property
    def alignment(self) -> Alignment:
        """Maps offsets of the original text to this one."""
        return Alignment(self.edits)


def replace(text: str, name_map: NameMap) -> Replaced:
    """The text under other names, longest form first, in one pass.

    Whole words only, with or without their accents, in capitals or not; a possessive keeps its
    ending. In lower case a name is replaced in speakers' labels, alone, and where the whole text
    has no capital. A one-word name that is also an ordinary word (Bottom, Page, Will) is left
    alone where it may be that word (`prompts.names.ordinary`); those are returned, so that an audit
    can count them.
    """
    edits: list[Edit] = []
    ambiguous: list[str] = []
    for place in find_names(text, name_map.forms):
        stands = text[place.start : place.end]
        if place.case == "lower":
            if lower_name(text, place):
                new = name_map.forms[place.form].lower()
                edits.append(Edit(place.start, stands, _laid_out(new, stands)))
        elif " " not in place.form and ordinary(text, place):
            ambiguous.append(stands)
        else:
            edits.append(Edit(place.start, stands, _as_it_stands(place, name_map, stands)))
    if not edits:
        return Replaced(text=text, edits=(), ambiguous=tuple(ambiguous))
    done = tuple(edits)
    return Replaced(text=apply(text, done), edits=done, ambiguous=tuple(ambiguous))


def _as_it_stands(place: Place, name_map: NameMap, stands: str) -> str:
    """The replacement in capitals where the name is, word for word where the words match."""
    new = name_map.forms[place.form]
    if stands == place.form:
        return new
    old, own, news = stands.split(), place.form.split(), new.split()
    if len(old) != len(own) or len(own) != len(news):
        shout = stands.isupper() and not place.form.isupper()
        return _laid_out(new.upper() if shout else new, stands)
    capital = [o.isupper() and not p.isupper() for o, p in zip(old, own, strict=True)]
    cased = [
        word.upper() if shout else kept if word == part else word
        for word, shout, kept, part in zip(news, capital, old, own, strict=True)
    ]
    return _laid_out(" ".join(cased), stands)


def _laid_out(new: str, old: str) -> str:
    """The new name with the old one's line end between the same words, where they match."""
    parts, gaps = new.split(), re.findall(r"\s+", old)
    if not gaps or len(parts) != len(gaps) + 1:
        return new
    return "".join(part + gap for part, gap in zip(parts, [*gaps, ""], strict=True))
