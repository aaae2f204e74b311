"""Reads the characters' vectors that the authors published."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from analysis.errors import BadFile
from analysis.studies.austenalike.data import Data
from analysis.studies.austenalike.names import NOVELS, PUBLISHED, Vectors
from analysis.studies.files import AGAIN
from store.corpus import CharacterVectors

Matrix: TypeAlias = npt.NDArray[np.float32]

_COLUMNS: Final = ("novel", "character", "embedding")
_CODES: Final = {file: code for code, file in NOVELS.items()}


def vectors_file(published: Vectors) -> str:
    """The file of a representation, in the folder."""
    return f"embeddings/{published.row}.parquet"


def read_vectors(data: Data, published: Vectors) -> CharacterVectors:
    """The vectors of one representation, in file order.

    Raises:
        BadFile: The file cannot be read, or a row is not of its form.
    """
    name = vectors_file(published)
    path = data.files.path / name
    table = _table(path, data.files.data(name))
    characters = [str(value) for value in table["character"].to_pylist()]
    novels = [str(value) for value in table["novel"].to_pylist()]
    _check_names(data, path, novels, characters)
    return CharacterVectors(
        pipeline=published.pipeline,
        kind=published.kind,
        encoder=PUBLISHED,
        works=[_CODES[novel] for novel in novels],
        characters=characters,
        matrix=_matrix(path, table, published.dim),
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


def _check_names(data: Data, path: Path, novels: list[str], characters: list[str]) -> None:
    seen: dict[str, int] = {}
    known = set(data.aliases.values())
    for at, (novel, character) in enumerate(zip(novels, characters, strict=True)):
        if novel not in _CODES:
            fix = f"it must be one of {', '.join(_CODES)}"
            raise BadFile(path, _row(at), f"the novel is {novel!r}", fix)
        if character not in known:
            fix = "its names must be those of character_map.tsv"
            raise BadFile(path, _row(at), f"the character is {character!r}", fix)
        own = data.cast.get(character, _CODES[novel])
        if own != _CODES[novel]:
            found = f"{character!r} is put into {novel!r}"
            raise BadFile(path, _row(at), found, f"its novel is {NOVELS[own]!r}")
        if character in seen:
            found = f"{character!r} has a vector in row {seen[character] + 1} already"
            raise BadFile(path, _row(at), found, "keep one of the two")
        seen[character] = at


def _matrix(path: Path, table: pa.Table, dim: int) -> Matrix:
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
    matrix: Matrix = np.asarray(flat.to_numpy(), dtype=np.float32).reshape(-1, dim)
    if not np.isfinite(matrix).all():
        at = int(np.argmin(np.isfinite(matrix).all(axis=1)))
        raise BadFile(path, _row(at), "a number is NaN or infinite", AGAIN)
    return matrix


def _row(at: int) -> str:
    return f"row {at + 1}"
