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


def _named_lines(text: str, item: Item) -> str:
    """Lines whose labels to be guessed give way to the names."""
    return _LABEL.sub(lambda label: item.gold.get(label[1], label[1]), text)


def describing(item: Item) -> Item | None:
    """The question what the people of a passage are like; None where nobody is to be described.

    Labels to be guessed give way to the names. Described are those who speak or are guessed; of
    other passages the first `MOST_DESCRIBED` of the cast that are named, by place.
    """
    text = _named_lines(item.text, item)
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
    places = {own.name: _first(own, standing) for own in item.cast}
    found = sorted((place, name) for name, place in places.items() if place is not None)
    return [name for _, name in found][:MOST_DESCRIBED]


def _first(character: Character, standing: Mapping[str, int]) -> int | None:
    """Where a character is first named in a text (words); None where nowhere, or no name is."""
    places = []
    for form in character.forms:
        parts = [fold(word) for part in name_phrase(form) for word in words(part)]
        if character.proper and parts and all(part in standing for part in parts):
            places.append(standing[parts[0]])
    return min(places, default=None)


def continued(item: Item) -> Item | None:
    """A scene whose first half names its speakers; None where fewer than two speak in both halves.

    The item's `accepted` says who each label really is, whatever the names are replaced by.
    """
    lines = item.text.split("\n")
    halves = first, second = lines[: len(lines) // 2], lines[len(lines) // 2 :]
    spoken = [{match[1] for line in half if (match := _LABEL.match(line))} for half in halves]
    asked = [label for label in item.gold if all(label in half for half in spoken)]
    if item.task != "character_guessing" or len(asked) < 2:
        return None
    named = [_named_lines(line, item) for line in first]
    told = [
        line if (match := _LABEL.match(line)) and match[1] in asked else _named_lines(line, item)
        for line in second
    ]
    return replace(
        item,
        task="control_test",
        text="\n".join((*named, "", "It goes on:", "", *told)),
        gold={label: item.gold[label] for label in asked},
        accepted=tuple(f"{label}: {item.gold[label]}" for label in asked),
    )


DERIVED: Final[Mapping[str, Derive]] = {
    "character_description": describing,
    "control_test": continued,
}
"""Tasks whose items are made from those of other tasks, and how."""
BASES: Final[Mapping[str, tuple[str, ...]]] = {
    "character_description": (
        "character_guessing",
        "question_answering",
        "summarization",
        "coreference",
    ),
    "control_test": ("character_guessing",),
}
"""Tasks whose items each is made from, the first that a dataset has."""


def derived(items: Iterator[Item], task: str) -> Iterator[Item]:
    """The items of a derived task."""
    for item in items:
        made = DERIVED[task](item)
        if made is not None:
            yield made
