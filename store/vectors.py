"""The tables that hold vectors: one a dimension, each vector a fixed-size `FLOAT[n]`.

A table is made when the first vector of its dimension arrives. The views `vectors` and
`imported_vectors` run over all of them, and are made anew with every table.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from duckdb import DuckDBPyConnection as Connection

from store.schema import views

Matrix = npt.NDArray[np.float32]

_VECTORS: Final = "vectors_"
_CHARACTERS: Final = "character_vectors_"
_COLUMNS: Final = {
    _VECTORS: "encoder_id VARCHAR, target_id VARCHAR, tokens BIGINT, left_out BIGINT,"
    " pieces BIGINT",
    _CHARACTERS: "import_id VARCHAR, pipeline VARCHAR, kind VARCHAR, encoder VARCHAR,"
    " work VARCHAR, character VARCHAR",
}
_MEANINGS: Final = {
    "encoder_id": "What made it; joins encoders.",
    "target_id": "What is embedded; joins features.",
    "tokens": "Tokens of the text (count).",
    "left_out": "Of those, beyond what the encoder takes (count).",
    "pieces": "Sub-word pieces whose mean a word''s vector is (count).",
    "import_id": "The import it came with.",
    "pipeline": "What extracted the features, such as booknlp.",
    "kind": "Of which features.",
    "encoder": "What made it, as the file names it.",
    "work": "The work, as the file names it.",
    "character": "The character.",
    "vector": "The numbers.",
}
_COMMENTS: Final = {
    _VECTORS: "Vectors of {dim} numbers, one an encoder and target.",
    _CHARACTERS: "Vectors of {dim} numbers, one a character, that were made elsewhere.",
}
_NO_VECTOR: Final = ", NULL::FLOAT[] AS vector WHERE false"
_MADE_OF: Final = "views_made_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterVectors:
    """Vectors of characters that were made elsewhere.

    Attributes:
        works: Of each character, the work, as the file says it.
        matrix: Shape (characters, dim), finite.
        encoder: A name for what made them, as tables take it.
    """

    pipeline: str
    kind: str
    encoder: str
    works: Sequence[str]
    characters: Sequence[str]
    matrix: Matrix


def fixed_size(matrix: Matrix) -> pa.Array[Any]:
    """A matrix as an Arrow column of fixed-size lists, one a row."""
    flat = pa.array(np.ascontiguousarray(matrix, dtype=np.float32).ravel())
    return pa.FixedSizeListArray.from_arrays(flat, matrix.shape[1])


def insert_character_vectors(
    connection: Connection, import_id: str, vectors: CharacterVectors
) -> None:
    """Insert vectors of characters, within the caller's transaction."""
    rows = len(vectors.characters)
    columns: dict[str, object] = {
        "import_id": pa.array([import_id] * rows),
        "pipeline": pa.array([vectors.pipeline] * rows),
        "kind": pa.array([vectors.kind] * rows),
        "encoder": pa.array([vectors.encoder] * rows),
        "work": pa.array(vectors.works),
        "character": pa.array(vectors.characters),
        "vector": fixed_size(vectors.matrix),
    }
    table = ensure_table(connection, _CHARACTERS, vectors.matrix.shape[1])
    connection.register("batch", pa.table(columns))
    connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch")
    connection.unregister("batch")


def insert_vectors(connection: Connection, encoder_id: str, batch: pa.Table) -> int:
    """Insert vectors that the database has not yet, within the caller's transaction.

    Args:
        connection: The owner's.
        encoder_id: What made them.
        batch: Columns target_id, tokens, left_out, pieces and vector (a fixed-size list).

    Returns:
        How many were new (count).
    """
    kind = batch.schema.field("vector").type
    table = ensure_table(connection, _VECTORS, kind.list_size)
    connection.register("batch", batch)
    connection.execute(
        f"INSERT INTO {table} BY NAME SELECT ? AS encoder_id, b.* FROM"
        " (SELECT * FROM batch QUALIFY row_number() OVER (PARTITION BY target_id) = 1) AS b"
        f" WHERE target_id NOT IN (SELECT target_id FROM {table} WHERE encoder_id = ?)",
        [encoder_id, encoder_id],
    )
    added = connection.fetchone()
    connection.unregister("batch")
    return int(added[0]) if added else 0


def ensure_table(connection: Connection, prefix: str, dim: int) -> str:
    """The table for vectors of a dimension, made if it is not there; its name."""
    name = f"{prefix}{dim}"
    if name not in _tables(connection):
        in_lake = connection.execute("SELECT current_database() = 'lake'").fetchone() == (True,)
        kind = "FLOAT[]" if in_lake else f"FLOAT[{dim}]"  # a lake has no lists of a fixed size
        connection.execute(
            f"CREATE TABLE {name} ({_COLUMNS[prefix]}, vector {kind} NOT NULL);"
            f"COMMENT ON TABLE {name} IS '{_COMMENTS[prefix].format(dim=dim)}'"
        )
        for column in (*_names(prefix), "vector"):
            connection.execute(f"COMMENT ON COLUMN {name}.{column} IS '{_MEANINGS[column]}'")
        if in_lake:  # within a transaction that writes a lake, nothing else can be written
            connection.execute("SET VARIABLE views_stale = true")
        else:
            make_views(connection)
    return name


def make_views(connection: Connection, *, described: bool = True) -> None:
    """Make all views anew, those over vectors first: others stand on them.

    Where they are of the same SQL already they are left alone: to make them, and to say what each
    of their columns is, would slow down every opening.

    Args:
        connection: The owner's.
        described: Whether to say what they and their columns are.
    """
    tables = _tables(connection)
    text = f"""
        CREATE OR REPLACE VIEW vectors AS
            SELECT e.encoder, e.identity ->> 'pooling' AS pooling, v.*
            FROM ({_union(tables, _VECTORS)}) AS v
            JOIN encoders AS e USING (encoder_id);
        CREATE OR REPLACE VIEW imported_vectors AS {_union(tables, _CHARACTERS)};
        {views(described=described)}"""
    digest = hashlib.sha256(text.encode()).hexdigest()
    made = connection.execute(
        "SELECT sql FROM duckdb_views() WHERE view_name = ?", [_MADE_OF]
    ).fetchone()
    if made is None or digest not in str(made[0]):
        connection.execute(text)
        connection.execute(
            f"CREATE OR REPLACE VIEW {_MADE_OF} AS SELECT '{digest}' AS digest;"
            f"COMMENT ON VIEW {_MADE_OF} IS 'What the views were made of last.';"
            f"COMMENT ON COLUMN {_MADE_OF}.digest IS 'sha256 of their SQL, in hex.'"
        )


def _tables(connection: Connection) -> list[str]:
    found = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    return sorted(str(row[0]) for row in found)


def _union(tables: Sequence[str], prefix: str) -> str:
    names = _names(prefix)
    own = [table for table in tables if re.fullmatch(rf"{prefix}\d+", table)]
    parts = [f"SELECT {', '.join(names)}, vector::FLOAT[] AS vector FROM {table}" for table in own]
    columns = _COLUMNS[prefix].split(", ")
    empty = ", ".join(f"NULL::{kind} AS {name}" for name, kind in map(str.split, columns))
    return " UNION ALL ".join(parts) or f"SELECT {empty}{_NO_VECTOR}"


def _names(prefix: str) -> list[str]:
    return [column.split()[0] for column in _COLUMNS[prefix].split(", ")]
