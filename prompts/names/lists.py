"""Name lists by culture and gender, read once from the file beside this module."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from prompts.errors import UnknownName
from prompts.item import Gender


@dataclass(frozen=True, slots=True, kw_only=True)
class NameList:
    """Names of one culture; every entry is a single word."""

    female: tuple[str, ...]
    male: tuple[str, ...]
    surname: tuple[str, ...]

    def given(self, gender: Gender) -> tuple[str, ...]:
        """Given names for a gender; an unknown gender may get either."""
        if gender == "female":
            return self.female
        if gender == "male":
            return self.male
        return self.female + self.male


@cache
def _all() -> dict[str, NameList]:
    raw = tomllib.loads((files("prompts.names") / "lists.toml").read_text(encoding="utf-8"))
    return {
        culture: NameList(
            **{kind: tuple(dict.fromkeys(words.split())) for kind, words in by.items()}
        )
        for culture, by in raw.items()
    }


def cultures() -> tuple[str, ...]:
    """The cultures there are lists for."""
    return tuple(_all())


def name_list(culture: str) -> NameList:
    """The lists of one culture.

    Raises:
        UnknownName: No such culture.
    """
    try:
        return _all()[culture]
    except KeyError:
        raise UnknownName("culture", culture, _all()) from None
