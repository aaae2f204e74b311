"""What a replacement left behind: counted, never hidden.

From likely to possible. *Leaks* are capitalised words of the cast's names, and nicknames of theirs,
that still stand in the text, mostly those left alone as ambiguous. *Titles*, *places* and *phrases*
give the work away without naming anyone, and no strategy replaces them. *Suspects* are capitalised
words inside a sentence that belong to nobody in the cast, so they may be names nobody listed (or
places, or weekdays).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from prompts.item import Character
from prompts.names.align import undo
from prompts.names.casts import Cast, cast_of
from prompts.names.find import Place, spread
from prompts.names.leaks import giveaways
from prompts.names.ordinary import is_listed_word, lower_words, starts_anew
from prompts.names.replace import NameMap, Replaced
from prompts.names.words import fold, is_title

_MID_SENTENCE = re.compile(r"(?<=[a-z,;] )[A-Z][^\W\d_]+")
_NOT_NAMES = frozenset("I O God Heaven Heavens".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The account of one text under one strategy.

    Attributes:
        replaced: Occurrences replaced (count).
        leaks: Form -> occurrences of the cast's names and nicknames still in the text.
        suspects: Word -> occurrences of possible names that belong to no one in the cast.
        titles: Title of the work -> occurrences.
        places: Place of the work -> occurrences.
        phrases: Phrase of the work -> occurrences.
    """

    replaced: int
    leaks: Mapping[str, int]
    suspects: Mapping[str, int]
    titles: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    phrases: Mapping[str, int] = field(default_factory=dict)


class _Left:
    """What of an original text was left as it is."""

    def __init__(self, replaced: Replaced) -> None:
        self.text = undo(replaced.text, replaced.edits)
        self._edits = replaced.edits
        self._starts = [edit.start for edit in replaced.edits]

    def has(self, start: int, end: int) -> bool:
        """Whether nothing of a stretch was replaced."""
        at = bisect_left(self._starts, end)
        return at == 0 or self._edits[at - 1].end <= start

    def count(self, places: Iterable[Place]) -> dict[str, int]:
        """Form -> occurrences of it that were left, of those found in the original."""
        found = Counter(place.form for place in places if self.has(place.start, place.end))
        return dict(sorted(found.items()))


def audit(
    replaced: Replaced, name_map: NameMap, cast: Iterable[Character], *, work: str = ""
) -> Audit:
    """Count what was replaced in a text, and what still stands there.

    Args:
        replaced: The text under other names.
        name_map: What they were replaced by; under an empty map nothing was to be replaced, and no
            leaks are counted.
        cast: Everyone of the work, or those an item may name.
        work: Title of the work, or its key; empty counts no titles, places and phrases.
    """
    left, names = _Left(replaced), cast_of(tuple(cast))
    # Everything that stands is found in the original, which is the same under every strategy.
    suspects = Counter(
        word
        for start, word, key in _capitals(left.text)
        if key not in names.every and left.has(start, start + len(word))
    )
    given_away = giveaways(left.text, work)
    return Audit(
        replaced=len(replaced.edits),
        leaks=_standing(left, names) if name_map.forms else {},
        suspects=dict(sorted(suspects.items())),
        titles=left.count(
            place for place in given_away.titles if fold(place.form) not in names.own
        ),
        places=left.count(given_away.places),
        phrases=left.count(given_away.phrases),
    )


@lru_cache(maxsize=16)
def _capitals(text: str) -> tuple[tuple[int, str, str], ...]:
    """Where capitalised words stand inside sentences that are not lower-case words elsewhere."""
    lower = lower_words(text)
    found = ((match.start(), match[0], fold(match[0])) for match in _MID_SENTENCE.finditer(text))
    return tuple(
        (start, word, key)
        for start, word, key in found
        if key not in lower and word not in _NOT_NAMES and not is_title(word)
    )


def _standing(left: _Left, names: Cast) -> dict[str, int]:
    """Names of the cast, and further forms of them, that were left."""
    present = spread(left.text)
    found: Counter[str] = Counter()
    for key in names.every.keys() & present.places.keys():
        for index in present.places[key]:
            start, word = present.starts[index], present.word(index)
            other = key not in names.own and is_listed_word(key) and starts_anew(left.text, start)
            if not word.islower() and not other and left.has(start, present.ends[index]):
                found[names.every[key]] += 1
    return dict(sorted(found.items()))
