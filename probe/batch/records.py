"""What a store knows of batches: which are open, what their lines ask for, what has been settled.

A line is settled once it has an attempt that started when its batch was made: whatever stops the
taking of results, the next start goes on with the lines that have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from store.batch_rows import BatchRow
from store.keys import as_one
from store.read import Connection, Source, ask
from store.rows import COLUMNS

CLOSED_BY: Final = ("not created", "failed", "taken", "forgotten")
"""Events after which a batch holds no key any more."""
_CLOSED: Final = ", ".join(f"'{event}'" for event in CLOSED_BY)
_NEVER_RUN: Final = "SELECT batch_id FROM batch_events WHERE event IN ('not created', 'failed')"
OPEN: Final = f"""
    SELECT batch_id FROM batches
    WHERE batch_id NOT IN (SELECT batch_id FROM batch_events WHERE event IN ({_CLOSED}))"""
"""Batches whose lines may be bought and have not all come back."""
IN_BATCHES: Final = f"SELECT key FROM batch_lines WHERE batch_id IN ({OPEN})"
"""Keys that are asked for already."""


@dataclass(slots=True, kw_only=True)
class Batch:
    """A batch that is open.

    Attributes:
        row: As it was made.
        sent_at: When its creation was asked for; None where that has not happened.
        file_id: The provider's name for the file that was sent before, if there is one.
        provider_id: The provider's name for the batch, once it is known.
        status: In the provider's words, when it was last looked at.
    """

    row: BatchRow
    sent_at: datetime | None = None
    file_id: str | None = None
    provider_id: str | None = None
    status: str = ""


def open_batches(connection: Connection, experiment_id: str, model: str) -> list[Batch]:
    """The open batches of a model, over all plans of the same experiment, oldest first."""
    rows = ask(
        connection,
        f"""
        SELECT {", ".join(f"b.{name}" for name in COLUMNS[BatchRow])}
        FROM batches AS b
        WHERE b.model = $model AND b.batch_id IN ({OPEN}) AND b.experiment_id IN (
            SELECT experiment_id FROM experiments WHERE experiment IN (
                SELECT experiment FROM experiments WHERE experiment_id = $plan))
        ORDER BY b.intended_at, b.batch_id""",
        {"model": model, "plan": experiment_id},
    ).rows
    found = [Batch(row=_row(*row)) for row in rows]
    for batch in found:
        _tell(connection, batch)
    return found


def _row(*values: Any) -> BatchRow:  # noqa: ANN401 - of a row's columns
    return BatchRow(**dict(zip(COLUMNS[BatchRow], values, strict=True)))


def _tell(connection: Connection, batch: Batch) -> None:
    """Put into a batch what its events say."""
    rows = ask(
        connection,
        """
        SELECT event, happened_at, provider_id, status, detail FROM batch_events
        WHERE batch_id = $batch ORDER BY rowid""",
        {"batch": batch.row.batch_id},
    ).rows
    for event, at, provider_id, status, detail in rows:
        if event == "submitting" and isinstance(at, datetime):
            batch.sent_at = at
            batch.file_id = None if detail is None else str(detail)
        batch.provider_id = batch.provider_id if provider_id is None else str(provider_id)
        batch.status = batch.status if status is None else str(status)


def known_ids(connection: Connection) -> frozenset[str]:
    """Providers' names of all batches this store knows, which none other can have."""
    query = "SELECT DISTINCT provider_id FROM batch_events WHERE provider_id IS NOT NULL"
    return frozenset(str(row[0]) for row in ask(connection, query).rows)


@dataclass(frozen=True, slots=True)
class Asked:
    """A key that a line asks for.

    Attributes:
        held: Whether the store has a reply to it.
    """

    key: str
    choice: int
    held: bool


@dataclass(slots=True)
class Line:
    """A line of a batch that is not settled.

    Attributes:
        attempt: Which try it is, from 1.
        most_usd: The most it can cost (US dollars).
        asked: Its keys, in the order of their choices.
    """

    custom_id: str
    attempt: int
    most_usd: float
    asked: list[Asked] = field(default_factory=list)


_UNSETTLED: Final = """
    FROM batch_lines AS l
    WHERE l.batch_id = $batch
      AND l.custom_id NOT IN (SELECT key FROM attempts WHERE started_at = $intended)"""
_LINES: Final = f"""
    SELECT l.custom_id, l.attempt, coalesce(l.usd_at_most, 0), l.key, l.choice,
           l.key IN (SELECT key FROM replies WHERE key IN (
               SELECT key FROM batch_lines WHERE batch_id = $batch)) AS held
    {_UNSETTLED}"""


def lines_named(connection: Connection, batch: BatchRow, ids: Iterable[str]) -> dict[str, Line]:
    """The unsettled ones among the lines of some names, by name."""
    bound = {**_bound(batch), "ids": as_one(ids)}
    query = f"""
        {_LINES} AND l.custom_id IN (SELECT unnest(string_split($ids, ' ')))
        ORDER BY l.custom_id, l.choice"""
    return _gathered(ask(connection, query, bound).rows)


def lines_left(connection: Connection, batch: BatchRow, most: int) -> dict[str, Line]:
    """Unsettled lines, about so many keys at most (count); none where all are settled."""
    query = f"""
        {_LINES} AND l.custom_id IN (
            SELECT DISTINCT l.custom_id {_UNSETTLED} ORDER BY l.custom_id LIMIT $most)
        ORDER BY l.custom_id, l.choice"""
    return _gathered(ask(connection, query, {**_bound(batch), "most": most}).rows)


def names_not_in(connection: Connection, batch: BatchRow, ids: Iterable[str]) -> int:
    """How many of some names are none of a batch's lines (count)."""
    query = """
        SELECT count(*) FROM (SELECT DISTINCT unnest(string_split($ids, ' ')) AS id)
        WHERE id NOT IN (SELECT custom_id FROM batch_lines WHERE batch_id = $batch)"""
    found = ask(connection, query, {"batch": batch.batch_id, "ids": as_one(ids)}).rows[0][0]
    return int(str(found))


def _bound(batch: BatchRow) -> dict[str, object]:
    return {"batch": batch.batch_id, "intended": batch.intended_at}


def _gathered(rows: Iterable[Sequence[object]]) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for custom_id, attempt, most_usd, key, choice, held in rows:
        own = str(custom_id)
        line = found.setdefault(own, Line(own, int(str(attempt)), float(str(most_usd))))
        line.asked.append(Asked(str(key), int(str(choice)), bool(held)))
    return found


@dataclass(frozen=True, slots=True)
class Reserved:
    """What the unsettled lines of a batch may still cost.

    Attributes:
        each_usd: By line, the most it can cost (US dollars).
    """

    each_usd: Sequence[float]


def reserved(connection: Connection, batch: BatchRow) -> Reserved:
    """What is to be kept free for a batch that was handed over before."""
    query = f"SELECT any_value(coalesce(l.usd_at_most, 0)) {_UNSETTLED} GROUP BY l.custom_id"
    rows = ask(connection, query, _bound(batch)).rows
    return Reserved([float(str(row[0])) for row in rows])


def tries(connection: Connection, keys: Iterable[str]) -> Mapping[str, int]:
    """How often some keys have been tried in batches since they were last given up, if at all."""
    rows = ask(
        connection,
        f"""
        SELECT l.custom_id, max(l.attempt)
        FROM batch_lines AS l
        JOIN batches AS b USING (batch_id)
        LEFT JOIN (SELECT key, max(failed_at) AS failed_at FROM failures GROUP BY key) AS f
            ON f.key = l.custom_id
        WHERE l.custom_id IN (SELECT unnest(string_split($keys, ' ')))
          AND b.batch_id NOT IN ({_NEVER_RUN})
          AND (f.failed_at IS NULL OR b.intended_at > f.failed_at)
        GROUP BY l.custom_id""",
        {"keys": as_one(keys)},
    ).rows
    return {str(key): int(str(attempt)) for key, attempt in rows}


WAITING: Final = f"""
    SELECT x.experiment, b.model, count(DISTINCT l.key) AS cells,
           count(DISTINCT b.batch_id) AS batches, min(b.intended_at) AS since
    FROM batches AS b
    JOIN batch_lines AS l USING (batch_id)
    JOIN experiments AS x USING (experiment_id)
    WHERE b.batch_id IN ({OPEN}) AND l.key NOT IN (SELECT key FROM replies)
    GROUP BY ALL"""
"""By experiment and model: cells in open batches (count), the batches, and since when."""


def waiting(store: Source, experiment_id: str) -> int:
    """Cells of a plan that wait in open batches, whoever handed them over (count)."""
    query = f"""
        SELECT count(*) FROM cells
        WHERE experiment_id = $plan AND is_first AND key IN ({IN_BATCHES})
          AND key NOT IN (SELECT key FROM replies)"""
    return int(str(ask(store, query, {"plan": experiment_id}).rows[0][0]))
