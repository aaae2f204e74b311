"""The alias map: which character of a work a cluster of mentions stands for.

A plain table without header, three tab-separated columns, UTF-8: the work's code, an alias, and the
character's name. Within a work the last row of an alias wins; other works' rows never count. The
names that pipelines give to clusters are tokens joined by spaces, so an alias must be written so
too ("Miss Bates 's niece").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from embedder.errors import UnknownWork
from store.errors import BadFile
from store.files import Line, lines_of, read_text

COLUMNS = "work, alias, name"
ARTICLE = re.compile("a ", re.IGNORECASE)
EPITHET = re.compile("(?:dear|poor) ", re.IGNORECASE)
OUTER = "-,."


@dataclass(frozen=True, slots=True, kw_only=True)
class Aliases:
    """The aliases of one work.

    Attributes:
        work: Its code.
        names: Alias to character's name.
        overridden: Rows of the work that do not count, as a later one says otherwise.
    """

    work: str
    names: Mapping[str, str]
    overridden: tuple[Overridden, ...] = ()

    def character(self, lead: str) -> str | None:
        """The character that a cluster's lead name means, or None.

        Tried in turn, each on what the one before left: the name as it is, without a leading "a ",
        without a leading "dear " or "poor ", without outer "-", "," and ".". Letter case of these
        words is ignored; the published features need that for "A ", and for the others fit both.
        """
        for name in forms(lead):
            if name in self.names:
                return self.names[name]
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overridden:
    """An alias that a later row of the same work gives to another character.

    Attributes:
        line: The row that does not count (number, from 1).
        by_line: The row that does.
    """

    work: str
    alias: str
    line: int
    by_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasMap:
    """The aliases of all works of a file.

    Attributes:
        path: The file.
        works: Work code to alias to character's name.
        overridden: Rows that do not count, as a later one says otherwise.
    """

    path: Path
    works: Mapping[str, Mapping[str, str]]
    overridden: tuple[Overridden, ...]

    def of(self, work: str) -> Aliases:
        """The aliases of one work.

        Raises:
            UnknownWork: The map has no row of it.
        """
        if work not in self.works:
            raise UnknownWork(self.path, work, self.works)
        return Aliases(
            work=work,
            names=self.works[work],
            overridden=tuple(each for each in self.overridden if each.work == work),
        )


def nobody_of(work: str) -> AliasMap:
    """A map that knows the work and none of its characters, to see whom it would need."""
    return AliasMap(path=Path(), works={work: {}}, overridden=())


def forms(lead: str) -> Iterator[str]:
    """The forms of a lead name under which it is looked up, in order."""
    yield lead
    name = without(ARTICLE, lead)
    yield name
    name = without(EPITHET, name)
    yield name
    yield name.strip(OUTER)


def without(prefix: re.Pattern[str], name: str) -> str:
    """The name without the prefix, once, where it begins with it."""
    found = prefix.match(name)
    return name[found.end() :] if found else name


def read_aliases(path: Path) -> AliasMap:
    """The alias map of a file, plain or `.gz`.

    Raises:
        BadFile: The file cannot be read, is not UTF-8 or has no rows, or a row has another number
            of columns, an empty cell or one with spaces around it.
    """
    works: dict[str, dict[str, str]] = {}
    lines: dict[tuple[str, str], int] = {}
    overridden = []
    for line in lines_of(path, read_text(path)):
        if not any(cell.strip() for cell in line.cells):
            continue
        work, alias, name = cells_of(line)
        names = works.setdefault(work, {})
        if names.get(alias, name) != name:
            overridden.append(
                Overridden(work=work, alias=alias, line=lines[work, alias], by_line=line.number)
            )
        names[alias], lines[work, alias] = name, line.number
    if not works:
        raise BadFile(path, "", "no rows", f"write one row an alias: {COLUMNS}")
    fixed = {work: MappingProxyType(names) for work, names in works.items()}
    return AliasMap(path=path, works=MappingProxyType(fixed), overridden=tuple(overridden))


def cells_of(line: Line) -> tuple[str, ...]:
    """The three cells of a row.

    Raises:
        BadFile: There are more or fewer, or one is empty or has spaces around it.
    """
    if len(line.cells) != 3:
        columns = "1 column" if len(line.cells) == 1 else f"{len(line.cells)} columns"
        raise line.error(columns, f"write three, with tabs between: {COLUMNS}")
    for cell in line.cells:
        if not cell:
            raise line.error("an empty cell", f"write all of {COLUMNS}")
        if cell != cell.strip():
            raise line.error(f"{cell!r} has spaces around it", "take them away")
    return line.cells
