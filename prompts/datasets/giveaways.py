"""Finds what gives an answer away: a person's own name in the text that asks who it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from prompts.item import Character, Item

GOLD_NAME: Final = "gold_name_in_text"
"""Flag of an item whose passage names someone it asks for."""


def forms_of(name: str, cast: Iterable[Character]) -> tuple[str, ...]:
    """Every form of the person that a label names; the label itself for someone else."""
    own = next((person.forms for person in cast if name in person.forms), ())
    return tuple(dict.fromkeys((name, *own)))


def is_named(text: str, forms: Sequence[str]) -> bool:
    """Whether one of the forms stands in a text, as whole words, as written or in capitals."""
    pattern = _any_of(tuple(sorted({*forms, *(form.upper() for form in forms)})))
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=1 << 10)  # the people of a work come again with each of its items
def _any_of(forms: tuple[str, ...]) -> re.Pattern[str] | None:
    own = [r"\s+".join(map(re.escape, form.split())) for form in forms if form.strip()]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(own)})(?![^\W_])") if own else None


def gold_name_flags(item: Item) -> tuple[str, ...]:
    """The flag for an item whose passage names one of the people asked for, or none."""
    named = any(is_named(item.text, forms_of(name, item.cast)) for name in item.gold.values())
    return (GOLD_NAME,) if named else ()
