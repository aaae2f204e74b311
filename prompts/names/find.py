"""Finds names in a text: whole words, the longest form at each place, none inside another.

A text is parted into words once, however many maps are held against it; then a form costs one look
at where its first word stands. Case and accents are set aside at first; what may differ in them
is decided at each place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from prompts.names.words import PARTICLES, WORD, fold

Case: TypeAlias = Literal["name", "lower"]
"""How a name stands: with its capitals (or in capitals throughout), or all in lower case."""

# Between the words of a name: spaces and one line end, never a blank line.
_GAP: Final = re.compile(r"[^\S\n]+|[^\S\n]*\n[^\S\n]*")
_SHORT: Final = 200


@dataclass(frozen=True, slots=True)
class Spread:
    """The words of a text.

    Attributes:
        starts: First character of each word.
        ends: One past its last.
        places: Folded word -> indices of the words that fold to it, in order.
    """

    text: str
    starts: list[int]
    ends: list[int]
    places: Mapping[str, list[int]]

    def word(self, index: int) -> str:
        """A word as it stands."""
        return self.text[self.starts[index] : self.ends[index]]


def spread(text: str) -> Spread:
    """The words of a text and where they are."""
    return _short(text) if len(text) < _SHORT else _long(text)


@lru_cache(maxsize=1 << 12)  # names, options and questions
def _short(text: str) -> Spread:
    return _spread(text)


@lru_cache(maxsize=16)  # an item's own texts, under one strategy after another
def _long(text: str) -> Spread:
    return _spread(text)


def _spread(text: str) -> Spread:
    found = WORD.findall(text)
    starts: list[int] = []
    ends: list[int] = []
    places: dict[str, list[int]] = {}
    at = 0
    for index, word in enumerate(found):
        start = text.index(word, at)
        at = start + len(word)
        starts.append(start)
        ends.append(at)
        key = fold(word)
        if key in places:
            places[key].append(index)
        else:
            places[key] = [index]
    return Spread(text, starts, ends, places)


@dataclass(frozen=True, slots=True)
class Place:
    """A form found in a text, at characters `start` to `end`."""

    start: int
    end: int
    form: str
    case: Case


@dataclass(frozen=True, slots=True)
class _Shape:
    keys: tuple[str, ...]
    words: tuple[str, ...]
    between: tuple[str, ...]


@lru_cache(maxsize=1 << 15)
def _shape(form: str) -> _Shape:
    own = _spread(form)
    found = tuple(own.word(index) for index in range(len(own.starts)))
    between = tuple(form[end:start] for end, start in zip(own.ends, own.starts[1:], strict=False))
    return _Shape(tuple(map(fold, found)), found, between)


def find_names(text: str, forms: Iterable[str], *, any_case: bool = False) -> list[Place]:
    """Where names stand in a text, in order, not overlapping.

    Args:
        text: The passage.
        forms: Names of one or more words; each place goes to the longest that stands there.
        any_case: Whether capitals do not matter, as for phrases that are no names.
    """
    words = spread(text)
    best: dict[int, tuple[int, Place]] = {}
    for form in forms:
        shape = _shape(form)
        if not shape.keys or shape.keys[0] not in words.places:
            continue
        size = len(shape.keys)
        for at in words.places[shape.keys[0]]:
            if at in best and best[at][0] >= size:
                continue
            case = _case_at(words, at, shape, any_case)
            if case is not None:
                end = words.ends[at + size - 1]
                best[at] = size, Place(words.starts[at], end, form, case)
    found: list[Place] = []
    reached = 0
    for at in sorted(best):
        size, place = best[at]
        if at >= reached:
            reached = at + size
            found.append(place)
    return found


def _case_at(words: Spread, at: int, shape: _Shape, any_case: bool) -> Case | None:  # noqa: FBT001 - a private step
    """How a form stands at a word of the text; None where it does not."""
    size = len(shape.keys)
    if size > 1:
        if at + size > len(words.starts):
            return None
        for step in range(1, size):
            here = at + step
            if fold(words.word(here)) != shape.keys[step]:
                return None
            if not _parts(
                shape.between[step - 1], words.text[words.ends[here - 1] : words.starts[here]]
            ):
                return None
    if any_case:
        return "name"
    pairs = [(own, words.word(at + step)) for step, own in enumerate(shape.words)]
    if all(_fits(own, stands, size) for own, stands in pairs):
        return "name"
    return "lower" if all(stands.islower() for _, stands in pairs) else None


def _fits(own: str, stands: str, size: int) -> bool:
    """Whether a word has the capital that a name has; particles may stand either way."""
    return (
        stands[0] == own[0]
        or not own[0].isupper()
        or stands[0].isupper()
        or (size > 1 and own.lower() in PARTICLES)
    )


@lru_cache(maxsize=1 << 12)
def _parts(own: str, stands: str) -> bool:
    """Whether what stands between two words parts them as the name does."""
    own, stands = own.replace("’", "'"), stands.replace("’", "'")
    if own == stands:
        return True
    mark, found = own.strip(), stands.strip()
    if len(own) == len(mark):
        return False
    # "St. James" may stand without its full stop.
    if found not in {mark, mark.rstrip(".")} or not stands.startswith(found):
        return False
    return _GAP.fullmatch(stands[len(found) :]) is not None
