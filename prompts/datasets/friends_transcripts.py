"""What the datasets on the transcripts of Friends share: speakers' labels, cast, and places.

Speakers are given by full name ("Ross Geller"), by role ("The Doctor"), or by a sign: `#NOTE#` for
a stage direction, `#ALL#` for everyone, `#OTHER#` and `#GENERAL#` for someone who is not told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from prompts.datasets.base import Selection
from prompts.datasets.chosen import works_chosen
from prompts.datasets.native_json import Field
from prompts.datasets.speakers import gender_of, is_name
from prompts.datasets.works import Work, works
from prompts.item import Character
from prompts.names.replace import words

NOTE: Final = "#NOTE#"
MAIN: Final = (
    "Chandler Bing",
    "Joey Tribbiani",
    "Monica Geller",
    "Phoebe Buffay",
    "Rachel Green",
    "Ross Geller",
)
"""The six friends."""

_SIGNS: Final = {"#ALL#": "All", "#OTHER#": "Another", "#GENERAL#": "Another"}
_POSSESSIVE = re.compile(r"(?:['’]s|s['’])(?:\s|$)")
_EPISODE = re.compile(r"s\d{2}_e\d{2}")


def friends() -> Work:
    """The show."""
    return works()["friends"]


def check_works(selection: Selection) -> None:
    """Refuse a selection of works other than the show.

    Raises:
        UnknownName: A work is asked for that these transcripts are not of.
    """
    works_chosen(selection.works, [friends().titles])


def episode(scene: Field) -> str:
    """The episode of a scene, such as `s01_e24`, from its name.

    Raises:
        DatasetError: The name is not made that way.
    """
    name = scene.text()
    match = _EPISODE.match(name)
    if match is None:
        raise scene.wrong(f"{name!r} names no episode", "name scenes like s01_e24_c11")
    return match[0]


def speakers(names: Field) -> tuple[str, ...]:
    """Who speaks a line: names, roles, `All` and the like; nobody for a stage direction.

    Raises:
        DatasetError: A sign that is not known.
    """
    found: list[str] = []
    for one in names.each():
        name = " ".join(one.text().split())
        if name.startswith("#") and name not in {NOTE, *_SIGNS}:
            known = ", ".join((NOTE, *_SIGNS))
            raise one.wrong(f"the label {name!r} is unknown", f"use a name or one of {known}")
        if name and name != NOTE:
            found.append(_SIGNS.get(name, name))
    return tuple(dict.fromkeys(found))


def line(names: Sequence[str], spoken: str) -> str:
    """A line as shown: `Ross Geller: words`, `Julie and Ross Geller: words`, or a direction."""
    return f"{label_of(names)}{spoken}"


def label_of(names: Sequence[str]) -> str:
    """What stands before the words of a line."""
    if not names:
        return ""
    *first, last = names
    return f"{', '.join(first)} and {last}: " if first else f"{last}: "


def cast_with(names: Iterable[str], text: str) -> tuple[Character, ...]:
    """The cast of the show and everyone else who is named; roles are not proper names.

    Args:
        names: Who speaks in a scene, or is meant there.
        text: The scene: a word that it has in lower case is no name.
    """
    known = friends().cast
    everyone = {form for person in known for form in person.forms}
    others = [name for name in dict.fromkeys(names) if name not in everyone]
    counts = Counter(words(text))
    return (
        *known,
        *(
            Character(name=name, gender=gender_of(name), proper=_is_proper(name, counts))
            for name in others
        ),
    )


def _is_proper(name: str, counts: Mapping[str, int]) -> bool:
    """Whether a label is a name ("Peter Becker") and not a role ("Woman 2", "Ross's tailor")."""
    return is_name(name, counts) and not _POSSESSIVE.search(name)
