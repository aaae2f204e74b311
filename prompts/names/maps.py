"""Named maps: which name becomes which, by hand, for the works a map knows.

Format, of the paper's maps beside this module and of a user's own file: TOML, a table for each map
and in it one for each work, by a title or by its key in the works file, with a line for each name:

    [my_map."Pride and Prejudice"]
    Elizabeth = "Meilin"
    "Mr. Darcy" = "Mr. Zhang"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from prompts.datasets.base import read_text
from prompts.datasets.works import work_titled, works
from prompts.errors import DatasetError
from prompts.names.words import fold, words
from prompts.tasks.titles import same_title

DRAWN: Final = (
    "original",
    "masked",
    "same_culture",
    "cross_culture",
    "same_culture_swapped",
    "cross_culture_swapped",
    "other_cast",
)
"""Names of the strategies that are no maps, so that no map may be called so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkNames:
    """What a map says of one work.

    Attributes:
        work: A title of the work, or its key in the works file.
        names: Each name with what it becomes; one to one.
    """

    work: str
    names: tuple[tuple[str, str], ...]

    def is_of(self, work: str) -> bool:
        """Whether a work is the one meant, by any title that the works file knows."""
        if same_title(self.work, work):
            return True
        known = works().get(self.work) or work_titled(self.work)
        return known is not None and any(same_title(title, work) for title in known.titles)

    @property
    def permutes(self) -> bool:
        """Whether it gives the cast's own names to others, so that replacing twice goes on."""
        return not {_key(new) for _, new in self.names}.isdisjoint(
            _key(old) for old, _ in self.names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMap:
    """A map of names by hand."""

    name: str
    works: tuple[WorkNames, ...]

    def for_work(self, work: str) -> WorkNames | None:
        """What it says of a work; None where it does not know the work."""
        return next((entry for entry in self.works if entry.is_of(work)), None)


def read_maps(path: Path) -> dict[str, NamedMap]:
    """The maps of a file, by name.

    Raises:
        DatasetError: Not TOML of this format, or a map is not one to one.
    """
    try:
        raw = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        found = f"not TOML ({error})"
        raise DatasetError(path, "", found, "mend the line; a name may stand once only") from None
    if not raw:
        raise DatasetError(path, "", "no map", 'begin one with a line [my_map."Title of a work"]')
    return {name: _map(path, name, entry) for name, entry in raw.items()}


@cache
def built_in_maps() -> Mapping[str, NamedMap]:
    """The maps of the paper, by name."""
    with as_file(files("prompts.names") / "maps.toml") as path:
        return read_maps(path)


def _map(path: Path, name: str, raw: object) -> NamedMap:
    where = f"[{name}]"
    if name in DRAWN:
        raise DatasetError(path, where, "the name of a built-in strategy", "choose another name")
    entries = _table(path, where, raw, 'a table for each work, such as [my_map."Emma"]')
    found: list[WorkNames] = []
    for work, lines in entries.items():
        here = f"[{name}.{work!r}]"
        twice = next((entry for entry in found if entry.is_of(work)), None)
        if twice is not None:
            raise DatasetError(path, here, f"the same work as {twice.work!r}", "join the two")
        names = _table(path, here, lines, 'a line for each name, such as Emma = "Meilin"')
        found.append(WorkNames(work=work, names=_checked(path, here, names)))
    return NamedMap(name=name, works=tuple(found))


def _table(path: Path, where: str, raw: object, wanted: str) -> dict[str, object]:
    if not isinstance(raw, dict):
        raise DatasetError(path, where, f"{raw!r} instead of a table", f"write {wanted}")
    if not raw:
        raise DatasetError(path, where, "empty", f"write {wanted}, or take it out")
    return raw


def _checked(path: Path, where: str, raw: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    names: list[tuple[str, str]] = []
    olds: dict[tuple[str, ...], str] = {}
    news: dict[tuple[str, ...], str] = {}
    for old, new in raw.items():
        at = f"{where}, {old!r}"
        if not isinstance(new, str) or not words(new) or not words(old):
            raise DatasetError(path, at, f"{new!r} for {old!r}", "write a name and its new name")
        if _key(old) == _key(new):
            raise DatasetError(path, at, "becomes itself", "take the line out: others stay anyway")
        if _key(old) in olds:
            found = f"the same name as {olds[_key(old)]!r}"
            fix = "write it once: case, accents and apostrophes make no difference"
            raise DatasetError(path, at, found, fix)
        if _key(new) in news:
            found = f"{new!r} is what {news[_key(new)]!r} becomes too"
            raise DatasetError(path, at, found, "give each name one of its own")
        olds[_key(old)], news[_key(new)] = old, old
        names.append((" ".join(old.split()), " ".join(new.split())))
    _check_chains(path, where, names)
    return tuple(names)


def _check_chains(path: Path, where: str, names: list[tuple[str, str]]) -> None:
    """Names may change places, but none may take the name of one that is given a new one.

    A chain (A becomes B, B becomes C) would be taken further by a second replacement.
    """
    new_of = {_key(old): _key(new) for old, new in names}
    given = set(new_of.values())
    for old, new in names:
        if _key(new) in new_of and _key(old) not in given:
            found = f"becomes {new!r}, which is another name of the map"
            fix = "choose a name that the map does not replace, or let the two change places"
            raise DatasetError(path, f"{where}, {old!r}", found, fix)


def _key(name: str) -> tuple[str, ...]:
    return tuple(map(fold, words(name)))
