"""Seeded choices for replies: each a function of a text and of how many were made before it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A row of choices that a text decides; the same text gives the same row."""

    def __init__(self, text: str) -> None:
        # Half a surrogate pair, which JSON may hold, counts as it stands.
        self._seed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        self._made = 0

    def below(self, count: int) -> int:
        """A whole number from 0 to one under `count`, evenly."""
        self._made += 1
        digest = hashlib.sha256(b"%b%d" % (self._seed, self._made)).digest()
        return int.from_bytes(digest[:8], "big") % count

    def one(self, values: Sequence[T]) -> T:
        """One of some values."""
        return values[self.below(len(values))]

    def some(self, values: Sequence[T], count: int) -> list[T]:
        """So many of some values, each once, in a drawn order; all where there are fewer."""
        left = list(values)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]

    def chance(self, percent: int) -> bool:
        """True so many times in a hundred."""
        return self.below(100) < percent
