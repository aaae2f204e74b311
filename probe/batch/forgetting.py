"""Lets a batch go whose results will not come, so that its cells are asked again."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from uuid import uuid4

from probe.batch.records import OPEN
from probe.errors import NoBatch
from store.batch_rows import BatchEventRow
from store.database import Database
from store.journal import Journal
from store.read import JOURNAL, Connection, ask


def forget(database: Database, batch_id: str) -> int:
    """Close a batch for good; return how many cells are free again (count).

    Raises:
        NoBatch: There is no open batch of that name.
    """
    known = database.call(_open_ids)
    if batch_id not in known:
        fix = f"open ones: {', '.join(known)}" if known else "none is open"
        raise NoBatch(f"batch {batch_id}", "the store has no open batch of that name", fix)
    run_id = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
    event = BatchEventRow(
        batch_id=batch_id,
        run_id=run_id,
        happened_at=datetime.now(UTC),
        event="forgotten",
        detail="as asked",
    )
    with closing(Journal(database.path / JOURNAL, run_id)) as journal:
        database.put(journal.append(event), event)
    return database.call(lambda owner: _free(owner, batch_id))


def _open_ids(connection: Connection) -> list[str]:
    return [str(row[0]) for row in ask(connection, OPEN).rows]


def _free(connection: Connection, batch_id: str) -> int:
    query = """
        SELECT count(DISTINCT key) FROM batch_lines
        WHERE batch_id = $batch AND key NOT IN (SELECT key FROM replies)"""
    return int(str(ask(connection, query, {"batch": batch_id}).rows[0][0]))
