"""Reads the benchmark of pairs: whom experts call alike, in the three forms that tables rest on.

`raw` is the published matrix as it stands. `mapped` is the same with every name replaced by its
character's: two names of one character make two lines of one pair, of which the later counts, as
it did for the published lists of ten. `merged` is counted anew from the list of all comparisons,
with the names of a character taken together: what the paper describes.
"""

from __future__ import annotations

from typing import Final

from analysis.studies.austenalike.data import Data, novel, refuse_twice
from analysis.studies.austenalike.layouts import ALIASES, LIST_FILE, MATRIX_FILE
from store.corpus_rows import PairRow
from store.errors import BadFile
from store.files import Line

RAW: Final = "raw"
MAPPED: Final = "mapped"
MERGED: Final = "merged"
_COLUMNS: Final = ("Character", "Novel", "Character2", "Novel1", "Count")
_FEWEST_CELLS: Final = 4
_MOST_CELLS: Final = 6


def read_raw(data: Data, import_id: str) -> list[PairRow]:
    """The matrix in file order, both directions, with its diagonal and its zeros.

    Raises:
        BadFile: The file cannot be read, a line is not of its form, or the matrix has a gap.
    """
    path = data.path(MATRIX_FILE)
    rows: list[PairRow] = []
    seen: dict[str, None] = {}
    names: dict[str, None] = {}
    for line in data.table(MATRIX_FILE, _COLUMNS, separator=","):
        data.character(line, 0)
        data.character(line, 2)
        for at in (1, 3):
            novel(line, at)
        a, b = line.cells[0], line.cells[2]
        refuse_twice(line, f"{a}, {b}", seen)
        seen[f"{a}, {b}"] = None
        names[a] = None
        rows.append(_row(import_id, len(rows), a, b, line.whole(4, "Count")))
    for a in names:
        for b in names:
            if f"{a}, {b}" not in seen:
                raise BadFile(path, "", f"no line of {a!r} and {b!r}", "copy the file again")
    if len(seen) != len(names) ** 2:
        raise BadFile(path, "", "the first and second names are not the same", "copy it again")
    return rows


def read_mapped(data: Data, import_id: str) -> list[PairRow]:
    """The matrix with characters' own names; a pair keeps its first place and its last count.

    Raises:
        BadFile: As `read_raw`.
    """
    counts: dict[tuple[str, str], int] = {}
    for row in read_raw(data, import_id):
        a, b = data.aliases[row.a], data.aliases[row.b]
        if a != b:
            counts[a, b] = row.count
    return [_row(import_id, at, a, b, count) for at, ((a, b), count) in enumerate(counts.items())]


def read_merged(data: Data, import_id: str) -> list[PairRow]:
    """How often each two characters are compared, each pair once, in order of first mention.

    Raises:
        BadFile: The file cannot be read, or a line is not of its form.
    """
    counts: dict[tuple[str, str], int] = {}
    for line in data.lines(LIST_FILE):
        _check_comparison(line)
        a, b = sorted((data.character(line, 0), data.character(line, 1)))
        if a != b:
            counts[a, b] = counts.get((a, b), 0) + 1
    return [_row(import_id, at, a, b, count) for at, ((a, b), count) in enumerate(counts.items())]


def _check_comparison(line: Line) -> None:
    """Two names, a volume and an author; most lines have one more cell, often empty."""
    if not _FEWEST_CELLS <= len(line.cells) <= _MOST_CELLS:
        found = f"{len(line.cells)} cells: {' | '.join(line.cells)!r}"
        raise line.error(found, f"write name, name, volume and author; names as in {ALIASES}")
    line.whole(2, "the volume")


def _row(import_id: str, ordinal: int, a: str, b: str, count: int) -> PairRow:
    return PairRow(import_id=import_id, ordinal=ordinal, a=a, b=b, count=count)
