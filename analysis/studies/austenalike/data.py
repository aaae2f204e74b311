"""The published folder: which characters there are, how else they are called, and their novels."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from analysis.studies.austenalike.layouts import ALIASES, ASKED, CAST, find_layout
from analysis.studies.austenalike.names import NOVELS, OTHER_CODES
from analysis.studies.files import Folder
from store.errors import BadFile
from store.files import Line, check_width, shown


class Data:
    """The files of a folder in either layout, and what many of them are checked against."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; its layout is looked up, and no file is read yet.

        Raises:
            BadFile: It has neither layout, or both.
        """
        self.folder, self.layout = folder, find_layout(folder)
        self._files = Folder(folder)

    def path(self, table: str) -> Path:
        """Where a table is."""
        return self.folder / self.layout.tables[table]

    def lines(self, table: str) -> list[Line]:
        """A table's lines.

        Raises:
            BadFile: As `Folder.lines`.
        """
        return self._files.lines(self.layout.tables[table])

    def table(self, table: str, header: Sequence[str], separator: str = "\t") -> list[Line]:
        """A table's lines under its header.

        Raises:
            BadFile: As `Folder.table`.
        """
        return self._files.table(self.layout.tables[table], header, separator)

    def digest(self, table: str) -> str:
        """The sha256 of a table's text, in hex: however it is packed, and its lines end.

        Git may check a file out with other ends of lines than it was published with.

        Raises:
            BadFile: As `Folder.text`.
        """
        text = self._files.text(self.layout.tables[table]).replace("\r\n", "\n")
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def cast(self) -> Mapping[str, str]:
        """The characters that have a novel, in file order, and its code.

        Raises:
            BadFile: The file cannot be read, names one twice or knows a seventh novel.
        """
        cast: dict[str, str] = {}
        for line in self.lines(CAST):
            check_width(line, 2)
            refuse_twice(line, line.name(0, "the character"), cast)
            cast[line.cells[0]] = novel(line, 1)
        return MappingProxyType(cast)

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """What characters are called, whatever the novel -> their name; the last line counts.

        Raises:
            BadFile: The file cannot be read, or has an empty cell or an unknown novel.
        """
        aliases: dict[str, str] = {}
        for line in self.lines(ALIASES):
            check_width(line, 3)
            novel(line, 0)
            aliases[line.name(1, "the alias")] = line.name(2, "the character")
        return MappingProxyType(aliases)

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The characters of the benchmark, in the order of the list that GPT-4 was shown.

        Raises:
            BadFile: The file cannot be read, or names one twice.
        """
        asked: dict[str, None] = {}
        for line in self.lines(ASKED):
            check_width(line, 1)
            refuse_twice(line, line.name(0, "the character"), asked)
            asked[line.cells[0]] = None
        return tuple(asked)

    def character(self, line: Line, at: int) -> str:
        """The character that a cell names by any of its aliases.

        Raises:
            BadFile: It is none of them.
        """
        name = line.name(at, "the character")
        if name not in self.aliases:
            raise line.error(f"{shown(name)} is nobody in {ALIASES}", "correct it, or add it there")
        return self.aliases[name]

    def benchmark_character(self, line: Line, at: int) -> str:
        """The character of the benchmark that a cell names.

        Raises:
            BadFile: It is none of them.
        """
        name = line.name(at, "the character")
        if name not in self.asked:
            raise line.error(f"{shown(name)} is nobody in {ASKED}", "correct it, or add it there")
        return name


def novel(line: Line, at: int) -> str:
    """The code of the novel that a cell names.

    Raises:
        BadFile: It is none of the six.
    """
    code = OTHER_CODES.get(line.cells[at], line.cells[at])
    if code not in NOVELS:
        known = ", ".join([*NOVELS, *OTHER_CODES])
        raise line.error(f"the novel is {shown(line.cells[at])}", f"write one of {known}")
    return code


def refuse_twice(line: Line, name: str, seen: Mapping[str, object]) -> None:
    """Refuse a character that an earlier line had.

    Raises:
        BadFile: One had it.
    """
    if name in seen:
        raise line.error(f"{name!r} stands here a second time", "keep one of the two lines")


def refuse_missing(path: Path, found: Mapping[str, object], wanted: tuple[str, ...]) -> None:
    """Refuse a file that leaves characters of the benchmark out.

    Raises:
        BadFile: It does.
    """
    if missing := [name for name in wanted if name not in found]:
        who = f"{missing[0]!r}" + (f" and {len(missing) - 1} others" if len(missing) > 1 else "")
        raise BadFile(path, "", f"no line of {who}", "copy the file again: it is cut short")
