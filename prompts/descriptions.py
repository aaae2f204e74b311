"""Short descriptions of the characters, put before a passage (memorization paper, section 5.2).

A model writes them once, from scenes of the work (`probe describe`); experiments then name the
file. Format: JSON lines with `work`, `character` and `description`; further keys say where the
description comes from. Under replaced names the names in a description are replaced as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from prompts.datasets.jsonl import read_lines
from prompts.errors import DatasetError, SetAside
from prompts.item import Character, Item
from prompts.names.replace import fold, name_phrase, words
from prompts.tasks.titles import same_title

NONE: Final = "none"
"""The id of asking without descriptions."""
_HEADING: Final = "What is known of the characters:"
_KEYS: Final = ("work", "character", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptions:
    """Descriptions of characters, by work.

    Attributes:
        name: Its id, in tables; `none` where nothing is described.
        by_work: Title of a work -> name of a character -> what is said of them.
    """

    name: str = NONE
    by_work: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def block(self, item: Item) -> str:
        """What stands before an item's passage, original names; empty where nothing is described.

        Described are those who are offered as answers or named in the passage, in the order of
        the file.

        Raises:
            SetAside: The file describes nobody of them.
        """
        if self.name == NONE:
            return ""
        known = next((own for work, own in self.by_work.items() if same_title(work, item.work)), {})
        about = [f"{name}: {text}" for name, text in known.items() if _concerns(item, name)]
        if not about:
            reason = f"descriptions {self.name!r} say nothing of anyone in it"
            raise SetAside(item.item_id, reason)
        return "\n".join((_HEADING, *about))


def _concerns(item: Item, name: str) -> bool:
    forms = _forms(item, name)
    if any(option in forms for option in item.options):
        return True
    standing = {fold(word) for text in (item.text, item.question) for word in words(text)}
    return any(
        all(fold(word) in standing for part in name_phrase(form) for word in words(part))
        for form in forms
        if name_phrase(form)
    )


def _forms(item: Item, name: str) -> tuple[str, ...]:
    """The names of whom a description is about: those of the cast's member who has this one."""
    found: list[Character] = [member for member in item.cast if name in member.forms]
    return found[0].forms if found else (name,)


def read_descriptions(path: Path, name: str) -> Descriptions:
    """A file of descriptions, checked.

    Raises:
        DatasetError: It is missing, a line lacks a key, or describes someone a second time.
    """
    by_work: dict[str, dict[str, str]] = {}
    for line in read_lines(path):
        missing = [
            key for key in _KEYS if not isinstance(line.raw.get(key), str) or not line.raw[key]
        ]
        if missing:
            found = f"no text under {', '.join(missing)}"
            raise DatasetError(path, line.where, found, f"give {', '.join(_KEYS)} as strings")
        work, character, text = (str(line.raw[key]) for key in _KEYS)
        described = by_work.setdefault(work, {})
        if character in described:
            found = f"{character!r} of {work!r} is described a second time"
            raise DatasetError(path, line.where, found, "keep one description of each character")
        described[character] = " ".join(text.split())
    if not by_work:
        raise DatasetError(path, "", "no description in this file", "make it with `probe describe`")
    return Descriptions(name=name, by_work=by_work)
