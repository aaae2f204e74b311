"""Takes the journal of vectors into the database, and says which targets are done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pyarrow as pa
from duckdb import DuckDBPyConnection as Connection

from store.keys import canonical
from store.memory import for_vectors
from store.read import Source, ask
from store.vector_journal import FOLDER, EncoderMark, Frame, frames, written
from store.vectors import insert_vectors

_AT_ONCE_BYTES: Final = 8 << 20
_LOOK_EVERY_S: Final = 5.0
_POSITIONS: Final = f"""
    SELECT substr(segment, {len(FOLDER) + 2}), max(position) FROM journal_positions
    WHERE starts_with(segment, '{FOLDER}/') GROUP BY segment"""


def take_in(connection: Connection, store: Path) -> int:
    """Bring vectors that only the journal holds into the database; return how many were new.

    On the writer's thread. Each group of frames comes in one transaction with the positions it
    reaches, so that a kill at any point takes nothing in twice.
    """
    held = {str(name): int(end) for name, end in connection.execute(_POSITIONS).fetchall()}
    if not written(store):
        return 0
    with for_vectors(connection):
        return sum(_insert(connection, group) for group in _groups(frames(store, held)))


def _groups(found: Iterator[Frame]) -> Iterator[list[Frame]]:
    """Frames in a row of one encoder, a few megabytes at a time."""
    group: list[Frame] = []
    size = 0
    for frame in found:
        if group and (
            size > _AT_ONCE_BYTES or frame.encoder.encoder_id != group[0].encoder.encoder_id
        ):
            yield group
            group, size = [], 0
        group.append(frame)
        size += frame.table.nbytes
    if group:
        yield group


def _insert(connection: Connection, group: list[Frame]) -> int:
    encoder = group[0].encoder
    table = pa.concat_tables([frame.table for frame in group]).replace_schema_metadata()
    reached = {frame.segment: frame.end for frame in group}
    connection.execute("BEGIN")
    _add_encoder(connection, encoder, table.schema.field("vector").type.list_size)
    added = insert_vectors(connection, encoder.encoder_id, table)
    for segment, end in reached.items():
        connection.execute(
            "INSERT INTO journal_positions VALUES (?, ?)", [f"{FOLDER}/{segment}", end]
        )
    connection.execute("COMMIT")
    return added


def _add_encoder(connection: Connection, encoder: EncoderMark, dim: int) -> None:
    known = connection.execute(
        "SELECT count(*) FROM encoders WHERE encoder_id = ?", [encoder.encoder_id]
    ).fetchone()
    if not known or not known[0]:
        values = [encoder.encoder_id, encoder.name, dim, canonical(encoder.identity)]
        connection.execute(
            "INSERT INTO encoders VALUES (?, ?, ?, ?, ?)", [*values, datetime.now(UTC)]
        )


class Arrivals:
    """Tells, now and then, whether the journal of vectors has grown."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._seen = written(store)
        self._next = 0.0

    @property
    def due(self) -> bool:
        """Whether something came since this was last true; looks every few seconds."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _LOOK_EVERY_S
        before, self._seen = self._seen, written(self._store)
        return self._seen > before


class Done:
    """The targets that an encoder has vectors for: in the database, or in the journal only."""

    def __init__(self, source: Source, store: Path, encoder_id: str) -> None:
        self._store, self._encoder_id = store, encoder_id
        query = "SELECT target_id FROM vectors WHERE encoder_id = $encoder"
        held = ask(source, query, {"encoder": encoder_id}).rows
        self._ids = {str(row[0]) for row in held}
        self._positions = {str(row[0]): int(str(row[1])) for row in ask(source, _POSITIONS).rows}

    def __contains__(self, target_id: str) -> bool:
        return target_id in self._ids

    def __len__(self) -> int:
        return len(self._ids)

    def look(self) -> None:
        """See what was written since the last look, by whichever worker."""
        for frame in frames(self._store, self._positions):
            self._positions[frame.segment] = frame.end
            if frame.encoder.encoder_id == self._encoder_id:
                self._ids.update(map(str, frame.table["target_id"].to_pylist()))
