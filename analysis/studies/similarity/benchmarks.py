"""Reads benchmarks of similar characters from plain files, tab-separated, with a header, in UTF-8.

Groups say which characters are alike in an attribute; one may be in several groups. Pairs say how
often two characters are called alike; the counts of the two orders of a pair are added up, and
pairs that do not stand there count 0. Characters say which work each belongs to, where the corpus
does not know yet.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from pathlib import Path
from typing import Final

from analysis.studies.files import Folder
from store.corpus_rows import CastRow, GroupRow, PairRow
from store.errors import BadFile
from store.files import Line, shown

GROUP_COLUMNS: Final = ("attribute", "group", "character")
PAIR_COLUMNS: Final = ("a", "b", "count")
CAST_COLUMNS: Final = ("character", "work")


class File:
    """A file of the user's, read once, so that what is hashed is what is parsed."""

    def __init__(self, path: Path) -> None:
        """Take a file; nothing is read yet."""
        self.path = path
        self.folder = Folder(path.parent)

    @property
    def digest(self) -> str:
        """Its sha256, in hex.

        Raises:
            BadFile: It is missing or cannot be read.
        """
        return self.folder.digests([self.path.name])[self.path.name]


def read_groups(file: File, known: Collection[str], import_id: str) -> list[GroupRow]:
    """Memberships, in file order.

    Raises:
        BadFile: The file cannot be read, a line is not of its form or names nobody of the corpus.
    """
    rows: list[GroupRow] = []
    seen: dict[tuple[str, ...], int] = {}
    for line in _lines(file, GROUP_COLUMNS):
        attribute, group = line.name(0, "the attribute"), line.name(1, "the group")
        character = _known(line, 2, known)
        _once(line, line.cells, seen)
        rows.append(
            GroupRow(
                import_id=import_id,
                ordinal=len(rows),
                attribute=attribute,
                group=group,
                character=character,
            )
        )
    return rows


def read_pairs(file: File, known: Collection[str], import_id: str) -> list[PairRow]:
    """Pairs with their counts, in file order.

    Raises:
        BadFile: As `read_groups`, or a character is paired with itself.
    """
    rows: list[PairRow] = []
    seen: dict[tuple[str, ...], int] = {}
    for line in _lines(file, PAIR_COLUMNS):
        a, b = _known(line, 0, known), _known(line, 1, known)
        if a == b:
            raise line.error(f"{a!r} is paired with itself", "take the line out")
        _once(line, line.cells[:2], seen)
        count = line.whole(2, "the count")
        rows.append(PairRow(import_id=import_id, ordinal=len(rows), a=a, b=b, count=count))
    return rows


def read_cast(file: File, import_id: str) -> list[CastRow]:
    """Characters and their works, in file order.

    Raises:
        BadFile: The file cannot be read, a line is not of its form, or one is named twice.
    """
    rows: list[CastRow] = []
    seen: dict[tuple[str, ...], int] = {}
    for line in _lines(file, CAST_COLUMNS):
        character, work = line.name(0, "the character"), line.name(1, "the work")
        _once(line, line.cells[:1], seen)
        rows.append(CastRow(import_id=import_id, ordinal=len(rows), character=character, work=work))
    return rows


def _lines(file: File, columns: tuple[str, ...]) -> list[Line]:
    lines = file.folder.table(file.path.name, columns)
    if not lines:
        raise BadFile(file.path, "", "no line under the header", f"write {' <tab> '.join(columns)}")
    return lines


def _known(line: Line, at: int, known: Collection[str]) -> str:
    name = line.name(at, "the character")
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"is {near[0]!r} meant?" if near else "add it to the file of --characters"
    raise line.error(f"the corpus has no character {shown(name)}", hint)


def _once(line: Line, key: tuple[str, ...], seen: dict[tuple[str, ...], int]) -> None:
    if key in seen:
        found = f"{', '.join(key)!r} stands in line {seen[key]} already"
        raise line.error(found, "keep one of the two lines")
    seen[key] = line.number
