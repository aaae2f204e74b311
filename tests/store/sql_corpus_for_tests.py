"""The drawn store's characters with their vectors, and the store put together."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import duckdb
import numpy as np

from store.corpus_rows import CastRow, FeatureRow, ImportRow
from store.insert import insert
from store.migrate import migrate
from store.read import DATABASE, Connection
from store.rows import Row
from store.vectors import CharacterVectors, insert_character_vectors
from tests.store.rows_for_tests import memory
from tests.store.sql_store_for_tests import BEGAN, SMALL, WORKS, Design, Drawing

_AT_ONCE: Final = 200


def small_store() -> Connection:
    """The store that the results of `docs/sql.md` are of, in memory."""
    connection = memory()
    fill(connection, SMALL, characters=6, dim=4)
    return connection


def small_file(path: Path) -> Path:
    """The same store as a file, in a folder that is made."""
    path.mkdir()
    with duckdb.connect(str(path / DATABASE)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        migrate(connection, path)
        fill(connection, SMALL, characters=6, dim=4)
    return path


def fill(connection: Connection, design: Design, *, characters: int, dim: int) -> None:
    """Draw a store into an empty one.

    Args:
        connection: The owner's.
        design: Of the experiment.
        characters: With a vector each (count).
        dim: Numbers a vector (count).
    """
    drawing = Drawing(design)
    insert(connection, [*drawing.head(), *_characters(characters)])
    rng = random.Random(7)
    numbers = [[rng.uniform(-1, 1) for _ in range(dim)] for _ in range(characters)]
    drawn = CharacterVectors(
        pipeline="quotes",
        kind="quote",
        encoder="drawn",
        works=[WORKS[at % len(WORKS)] for at in range(characters)],
        characters=[_name(at) for at in range(characters)],
        matrix=np.array(numbers, dtype=np.float32),
    )
    insert_character_vectors(connection, "character_vectors", drawn)
    for start in range(0, design.items, _AT_ONCE):
        chunk = range(start, min(start + _AT_ONCE, design.items))
        insert(connection, [row for at in chunk for row in drawing.item(at)])


def _characters(characters: int) -> Iterator[Row]:
    for relation in ("characters", "character_vectors", "features"):
        yield ImportRow(
            import_id=relation, corpus="drawn", relation=relation, part="", path="drawn",
            rows=characters, report="{}", imported_at=BEGAN,
        )  # fmt: skip
    for at in range(characters):
        name, work = _name(at), WORKS[at % len(WORKS)]
        yield CastRow(import_id="characters", ordinal=at, character=name, work=work)
        yield FeatureRow(
            import_id="features", ordinal=at, pipeline="quotes", kind="quote", work=work,
            character=name, role=None, text="No.", context=None, target_start=None,
            target_end=None, target_id=str(at),
        )  # fmt: skip


def _name(at: int) -> str:
    return f"{WORKS[at % len(WORKS)]} {at // len(WORKS) + 1}"
