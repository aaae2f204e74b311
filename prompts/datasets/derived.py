"""Items that are made from another task's items of the same dataset."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from prompts.item import Character, Item
from prompts.names.replace import fold, name_phrase, words

MOST_DESCRIBED: Final = 8
_LABEL: Final = re.compile(r"^(P\d+)(?=:)", re.MULTILINE)

Derive = Callable[[Item], Item | None]


def describing(item: Item) -> Item | None:
    """The question what the people of a passage are like; None where nobody is to be described.

    Labels to be guessed give way to the names. Described are those who speak or are guessed; of
    other passages the first `MOST_DESCRIBED` of the cast that are named, by place.
    """
    text = _LABEL.sub(lambda label: item.gold.get(label[1], label[1]), item.text)
    guessed = item.task == "character_guessing"
    people = list(dict.fromkeys(item.gold.values())) if guessed else _named(text, item)
    if not people:
        return None
    return replace(
        item,
        task="character_description",
        text=text,
        question="",
        gold=dict.fromkeys(people, ""),
        accepted=(),
        options=(),
        spans=(),
    )


def _named(text: str, item: Item) -> list[str]:
    standing: dict[str, int] = {}
    for at, word in enumerate(words(text)):
        standing.setdefault(fold(word), at)
    found = [(at, own.name) for own in item.cast if (at := _first(own, standing)) is not None]
    return [name for _, name in sorted(found)][:MOST_DESCRIBED]


def _first(character: Character, standing: Mapping[str, int]) -> int | None:
    """Where a character is first named in a text (words); None where nowhere, or no name is."""
    places = []
    for form in character.forms:
        parts = [fold(word) for part in name_phrase(form) for word in words(part)]
        if character.proper and parts and all(part in standing for part in parts):
            places.append(standing[parts[0]])
    return min(places, default=None)


DERIVED: Final[Mapping[str, Derive]] = {"character_description": describing}
"""Tasks that any dataset with a passage has items for, and how they are made."""
BASES: Final = ("character_guessing", "question_answering", "summarization", "coreference")
"""Tasks whose items they are made from, the first that a dataset has."""


def derived(items: Iterator[Item], task: str) -> Iterator[Item]:
    """The items of a derived task."""
    for item in items:
        made = DERIVED[task](item)
        if made is not None:
            yield made
