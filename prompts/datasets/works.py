"""The works file: titles and casts of shows and novels whose datasets do not list them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from prompts.item import Character, Gender
from prompts.tasks.titles import same_title


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One work: its titles, the shown one first, and its cast."""

    titles: tuple[str, ...]
    cast: tuple[Character, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    titles: list[str]
    female: list[str] = field(default_factory=list)
    male: list[str] = field(default_factory=list)


def _people(lines: Sequence[str], gender: Gender) -> list[Character]:
    people = []
    for line in lines:
        name, *aliases = (form.strip() for form in line.split("|"))
        people.append(Character(name=name, aliases=tuple(aliases), gender=gender))
    return people


@cache
def works() -> dict[str, Work]:
    """Every work of the file, by its key."""
    text = (files("prompts.datasets") / "works.toml").read_text(encoding="utf-8")
    entries = {key: _Entry(**raw) for key, raw in tomllib.loads(text).items()}
    return {
        key: Work(
            titles=tuple(entry.titles),
            cast=(*_people(entry.female, "female"), *_people(entry.male, "male")),
        )
        for key, entry in entries.items()
    }


def work_titled(title: str) -> Work | None:
    """The work a title names, if the file has it."""
    for work in works().values():
        if any(same_title(title, known) for known in work.titles):
            return work
    return None
