"""What a replacement left behind: counted, never hidden.

Two kinds, from likely to possible: *leaks* are capitalised words of the cast's names that still
stand in the text, mostly those left alone as ambiguous; *suspects* are capitalised words inside a
sentence that belong to nobody in the cast, so they may be names nobody listed (or places, or
weekdays).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prompts.item import Character
from prompts.names.replace import (
    NameMap,
    Replaced,
    fold,
    is_name_word,
    is_title,
    lower_words,
    name_phrase,
    words,
)

_MID_SENTENCE = re.compile(r"(?<=[a-z,;] )[A-Z][^\W\d_]+")
_NOT_NAMES = frozenset("I O God Heaven Heavens".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The account of one text under one strategy.

    Attributes:
        replaced: Occurrences replaced (count).
        leaks: Form -> occurrences of the cast's names still in the text.
        suspects: Word -> occurrences of possible names that belong to no one in the cast.
    """

    replaced: int
    leaks: Mapping[str, int]
    suspects: Mapping[str, int]


def audit(replaced: Replaced, name_map: NameMap, cast: Iterable[Character]) -> Audit:
    """Count what was replaced in a text, and what still stands there."""
    forms = [
        name_phrase(form) for character in cast if character.proper for form in character.forms
    ]
    parts = [part for form in forms for part in form if is_name_word(part)]
    # A name may hold several words ("O'Brien"); a single letter of it names nobody.
    names = {fold(word): word for part in parts for word in words(part) if len(word) > 1}
    present = words(replaced.text)
    lower = lower_words(replaced.text)
    standing = Counter(
        names[fold(word)] for word in present if fold(word) in names and not word.islower()
    )
    new = {fold(word) for form in name_map.forms.values() for word in words(form)}
    known = new | lower | names.keys()
    seen = (match[0] for match in _MID_SENTENCE.finditer(replaced.text))
    suspects = Counter(
        word
        for word in seen
        if fold(word) not in known and word not in _NOT_NAMES and not is_title(word)
    )
    return Audit(
        replaced=len(replaced.edits),
        leaks=dict(sorted(standing.items())) if name_map.forms else {},
        suspects=dict(sorted(suspects.items())),
    )
