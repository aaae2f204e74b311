"""Finds names in a text: whole words, the longest form at each place, none inside another.

One pattern of all forms would say the same, but each item has forms of its own, and compiling such
a pattern takes longer than everything else that is done with the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

# Between the words of a name: spaces and one line end, never a blank line.
_GAP: Final = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)"
# An underscore is Gutenberg's italics, not a letter; a combining accent belongs to its letter.
_ENDS: Final = r"(?![^\W_]|[\u0300-\u036f])"


def find_names(text: str, forms: Iterable[str]) -> list[tuple[int, int]]:
    """Where names stand in a text: (start, end) in characters, in order, not overlapping.

    Args:
        text: The passage.
        forms: Names of one or more words; each place goes to the longest that stands there.
    """
    ends: dict[int, int] = {}
    for form in sorted(forms, key=lambda form: (-len(form), form)):
        head, *_ = form.split()
        at = text.find(head)
        while at >= 0:
            if at not in ends and not (at and text[at - 1].isalnum()):
                match = _whole(form).match(text, at)
                if match:
                    ends[at] = match.end()
            at = text.find(head, at + 1)
    found: list[tuple[int, int]] = []
    reached = 0
    for start in sorted(ends):
        if start >= reached:
            reached = ends[start]
            found.append((start, reached))
    return found


@lru_cache(maxsize=1 << 14)
def _whole(form: str) -> re.Pattern[str]:
    return re.compile(_GAP.join(map(re.escape, form.split())) + _ENDS)
