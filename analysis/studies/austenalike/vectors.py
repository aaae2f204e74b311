"""Reads the characters' vectors that the authors published, as Parquet or as text.

Reading and checking are two steps, so that what was read can be told from what a store holds by
its numbers, whichever file they came from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from analysis.studies.austenalike.data import Data
from analysis.studies.austenalike.layouts import ALIASES
from analysis.studies.austenalike.names import NOVELS, PUBLISHED, Vectors
from analysis.studies.files import Folder
from store.corpus import CharacterVectors
from store.errors import BadFile
from store.files import AGAIN, Line, shown

Matrix: TypeAlias = npt.NDArray[np.float32]

_COLUMNS: Final = ("novel", "character", "embedding")
_NAMES: Final = 2
"""Cells of a line before its numbers: the novel and the character."""
_CODES: Final = {file: code for code, file in NOVELS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a vector stands: a row of a Parquet file, or a line of a text."""

    path: Path
    at: str

    def error(self, found: str, fix: str) -> BadFile:
        """An error there."""
        return BadFile(self.path, self.at, found, fix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The vectors of a representation as its files say them, in file order.

    Attributes:
        novels: As the files call them, not checked; shape (characters,).
        characters: Not checked; shape (characters,).
        matrix: Finite; shape (characters, dim).
        places: Where each was read; shape (characters,).
    """

    novels: Sequence[str]
    characters: Sequence[str]
    matrix: Matrix
    places: Sequence[Place]

    def digest(self) -> str:
        """The sha256 of names and numbers, in hex: the same for either form of file."""
        names = json.dumps([list(self.novels), list(self.characters), list(self.matrix.shape)])
        content = hashlib.sha256(names.encode())
        content.update(self.matrix.astype("<f4").tobytes())
        return content.hexdigest()


def read_stack(data: Data, published: Vectors) -> Stack:
    """The vectors of one representation; its bytes are not kept, of text they are many.

    Raises:
        BadFile: A file cannot be read, or a vector is none, or of another dimension.
    """
    names, files = data.layout.vectors[published.row], Folder(data.folder)
    if names[0].endswith(".parquet"):
        return _from_parquet(files, names[0], published.dim)
    return _from_text(files, names, published.dim)


def vectors_path(data: Data, published: Vectors) -> Path:
    """Where they are, for people: the one file, or the folder of several."""
    names = data.layout.vectors[published.row]
    path = data.folder / names[0]
    return path if len(names) == 1 else path.parent


def checked_vectors(data: Data, published: Vectors, stack: Stack) -> CharacterVectors:
    """The vectors, each of one known character and in its novel.

    Raises:
        BadFile: One is not.
    """
    seen: dict[str, Place] = {}
    known = set(data.aliases.values())
    for novel, character, place in zip(stack.novels, stack.characters, stack.places, strict=True):
        if novel not in _CODES:
            fix = f"it must be one of {', '.join(_CODES)}"
            raise place.error(f"the novel is {shown(novel)}", fix)
        if character not in known:
            fix = f"its names must be those of {ALIASES}"
            raise place.error(f"the character is {shown(character)}", fix)
        own = data.cast.get(character, _CODES[novel])
        if own != _CODES[novel]:
            raise place.error(
                f"{character!r} is put into {novel!r}", f"its novel is {NOVELS[own]!r}"
            )
        if character in seen:
            first = seen[character]
            where = first.at if first.path == place.path else f"{first.at} of {first.path.name}"
            raise place.error(
                f"{character!r} has a vector in {where} already", "keep one of the two"
            )
        seen[character] = place
    return CharacterVectors(
        pipeline=published.pipeline,
        kind=published.kind,
        encoder=PUBLISHED,
        works=[_CODES[novel] for novel in stack.novels],
        characters=list(stack.characters),
        matrix=stack.matrix,
    )


def _from_text(files: Folder, names: Sequence[str], dim: int) -> Stack:
    """Of lines: novel, character, then a number a cell, without a header."""
    novels: list[str] = []
    characters: list[str] = []
    rows: list[npt.NDArray[np.float64]] = []
    places: list[Place] = []
    for name in names:
        for line in files.lines(name):
            rows.append(_numbers(line, dim))
            novels.append(line.cells[0])
            characters.append(line.cells[1])
            places.append(Place(path=line.path, at=f"line {line.number}"))
    return Stack(
        novels=novels,
        characters=characters,
        matrix=_finite(np.stack(rows), places),
        places=places,
    )


def _numbers(line: Line, dim: int) -> npt.NDArray[np.float64]:
    """The numbers of a line, shape (dim,)."""
    cells = line.cells[_NAMES:]
    if len(cells) != dim:
        raise line.error(f"a vector of {len(cells)} numbers", f"each must have {dim}")
    return np.array([_number(line, cell) for cell in cells])


def _number(line: Line, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise line.error(f"a number is {shown(cell)}", AGAIN) from None


def _from_parquet(files: Folder, name: str, dim: int) -> Stack:
    path = files.path / name
    table = _table(path, files.data(name))
    places = [Place(path=path, at=_row(at)) for at in range(table.num_rows)]
    return Stack(
        novels=[str(value) for value in table["novel"].to_pylist()],
        characters=[str(value) for value in table["character"].to_pylist()],
        matrix=_finite(_matrix(path, table, dim), places),
        places=places,
    )


def _table(path: Path, content: bytes) -> pa.Table:
    try:
        table = pq.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise BadFile(path, "", f"no Parquet file ({reason})", AGAIN) from None
    if tuple(table.column_names) != _COLUMNS:
        found = f"columns {' '.join(table.column_names)}"
        raise BadFile(path, "", found, f"they must be {' '.join(_COLUMNS)}")
    embedding = table.schema.field("embedding").type
    if not pa.types.is_list(embedding) or not pa.types.is_floating(embedding.value_type):
        raise BadFile(path, "", f"embedding is {embedding}", "it must be a list of floats")
    for column in _COLUMNS:
        if table[column].null_count:
            row = table[column].is_null().to_pylist().index(True)
            raise BadFile(path, _row(row), f"no {column}", AGAIN)
    if not table.num_rows:
        raise BadFile(path, "", "no rows", AGAIN)
    return table


def _matrix(path: Path, table: pa.Table, dim: int) -> npt.NDArray[np.floating]:
    """The vectors as a matrix of shape (characters, dim)."""
    column = table["embedding"]
    sizes = pc.list_value_length(column).to_pylist()
    if wrong := [at for at, size in enumerate(sizes) if size != dim]:
        found = f"a vector of {sizes[wrong[0]]} numbers"
        raise BadFile(path, _row(wrong[0]), found, f"each must have {dim}")
    flat = pc.list_flatten(column)
    if flat.null_count:
        at = flat.is_null().to_pylist().index(True) // dim
        raise BadFile(path, _row(at), "a number is missing", AGAIN)
    matrix: npt.NDArray[np.floating] = np.asarray(flat.to_numpy()).reshape(-1, dim)
    return matrix


def _finite(matrix: npt.NDArray[np.floating], places: Sequence[Place]) -> Matrix:
    """The matrix in 32 bits, as it is stored; a number too large for them becomes infinite."""
    with np.errstate(over="ignore"):
        single = matrix.astype(np.float32)
    if not np.isfinite(single).all():
        at = int(np.argmin(np.isfinite(single).all(axis=1)))
        raise places[at].error("a number is NaN or infinite", AGAIN)
    return single


def _row(at: int) -> str:
    return f"row {at + 1}"
