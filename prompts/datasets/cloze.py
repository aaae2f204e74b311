"""Passages for the name cloze, made from any text and its cast.

Source: Chang et al. (2023), Speak, Memory, section 3: passages of 40 to 60 tokens that have exactly
one proper name and no other. They take names and tokens from a trained tagger. Here a name is one
of the cast, or any word that the text has with a capital within a sentence and never without, which
also keeps out places and peoples; tokens are words and punctuation marks. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from prompts.item import Character
from prompts.names.casts import Cast, cast_of
from prompts.names.find import Place, find_names, spread
from prompts.names.ordinary import lower_words, ordinary
from prompts.names.words import fold, is_title
from prompts.tasks.name_cloze import MASK

_TOKEN: Final = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_BREAK: Final = re.compile(r"(?P<mark>[.!?…]+[\"”’'»)\]_*]*)\s+|\s*\n[^\S\n]*\n\s*")
_LAST_WORD: Final = re.compile(r"\w+\Z")
_STARTERS: Final = frozenset('.!?…:;"“‘([—-')


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloze:
    """One passage with its name taken out.

    Attributes:
        text: The passage, with a mask where the name was.
        name: The name; as the cast spells it where the text has it in capitals.
        start: Where the passage begins in the whole text (code point).
        end: One past its last.
    """

    text: str
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """Where names stand in a text, in order: those that can be asked for, and all others."""

    single: list[Place]
    others: list[int]

    def only(self, start: int, end: int) -> Place | None:
        """The one name of a stretch; None where there is none, or another one."""
        first = bisect_left(self.single, start, key=lambda place: place.start)
        here = self.single[first : first + 2]
        if not here or here[0].start >= end or (len(here) > 1 and here[1].start < end):
            return None
        other = bisect_left(self.others, start)
        return None if other < len(self.others) and self.others[other] < end else here[0]


def cloze_windows(
    text: str, cast: Sequence[Character], *, least: int = 40, most: int = 60
) -> Iterator[Cloze]:
    """The passages of a text that can be asked for their name, in order, not overlapping.

    Each is a run of whole sentences: the first and shortest from where the last one ended.

    Args:
        text: A chapter, a scene, a book.
        cast: Its people; roles are no names.
        least: Tokens of a passage at least (count).
        most: Tokens of a passage at most (count).
    """
    named = _named(text, cast_of(tuple(cast)))
    sentences = list(_sentences(text))
    sizes = [len(_TOKEN.findall(text, start, end)) for start, end in sentences]
    total = [0, *accumulate(sizes)]
    at = 0
    while at < len(sentences):
        found = None
        for last in range(at, len(sentences)):
            count = total[last + 1] - total[at]
            if count > most:
                break
            start, end = sentences[at][0], sentences[last][1]
            place = named.only(start, end) if count >= least else None
            if place is not None:
                found = last, _masked(text, place, start, end)
                break
        if found is None:
            at += 1
        else:
            at = found[0] + 1
            yield found[1]


def _masked(text: str, place: Place, start: int, end: int) -> Cloze:
    stands = text[place.start : place.end]
    shouted = stands.isupper() and not place.form.isupper()
    return Cloze(
        text=text[start : place.start] + MASK + text[place.end : end],
        name=place.form if shouted else stands,
        start=start,
        end=end,
    )


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence stands, without the white space around it; a blank line ends one."""
    start = len(text) - len(text.lstrip())
    for found in _BREAK.finditer(text, start):
        mark = found["mark"]
        if mark == "." and _abbreviated(text, found.start()):
            continue
        end = found.start() + len(mark or "")
        if end > start:
            yield start, end
        start = found.end()
    end = len(text.rstrip())
    if end > start:
        yield start, end


def _abbreviated(text: str, at: int) -> bool:
    """Whether the full stop at an offset belongs to a title or an initial."""
    word = _LAST_WORD.search(text, max(0, at - 20), at)
    return word is not None and (is_title(word[0]) or (len(word[0]) == 1 and word[0].isupper()))


def _named(text: str, cast: Cast) -> _Named:
    plurals = {extra.spelling for extra in cast.plurals.values()}
    nicknames = {extra.spelling for extra in cast.nicknames.values()}
    forms = dict.fromkeys([*cast.phrases, *cast.spellings, *sorted(nicknames), *sorted(plurals)])
    places = [place for place in find_names(text, forms) if place.case == "name"]
    asked = [place for place in places if _can_be_asked(text, place, plurals)]
    known = {place.start for place in asked}
    others = {place.start for place in places} - known
    return _Named(single=asked, others=sorted(others | _foreign(text, places)))


def _can_be_asked(text: str, place: Place, plurals: set[str]) -> bool:
    """Whether a place holds one person's name of a single word, and surely a name."""
    one_word = not re.search(r"\s", text[place.start : place.end])
    return one_word and place.form not in plurals and not ordinary(text, place)


def _foreign(text: str, places: Sequence[Place]) -> set[int]:
    """Where words stand that are names, for all the text tells, though not of the cast."""
    words, lower = spread(text), lower_words(text)
    spans = [(place.start, place.end) for place in places]

    def of_cast(at: int) -> bool:
        before = bisect_left(spans, (at + 1, 0)) - 1
        return before >= 0 and spans[before][0] <= at < spans[before][1]

    capital = [
        (at, word)
        for index, at in enumerate(words.starts)
        if len(word := words.word(index)) > 1
        and word[0].isupper()
        and fold(word) not in lower
        and not is_title(word)
        and not of_cast(at)
    ]
    names = {fold(word) for at, word in capital if not _begins(text, at)}
    return {at for at, word in capital if fold(word) in names}


def _begins(text: str, at: int) -> bool:
    """Whether a sentence, quotation or paragraph begins at an offset.

    A line alone does not: verse has a capital there, but so may a name in wrapped prose.
    """
    before = text[max(0, at - 40) : at]
    bare = before.rstrip(" \t\r\n'_*")
    gap = before[len(bare) :]
    if bare.endswith(".") and _abbreviated(text, at - len(gap) - 1):
        return False
    return not bare or bare[-1] in _STARTERS or gap.count("\n") > 1
