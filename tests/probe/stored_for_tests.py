"""Plans in a real store, and replies to them that nobody had to be asked for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from probe.budget import Budget, Ceiling
from probe.gate import Clock, Pause
from probe.ledger import Ledger
from probe.plan import Drawn
from probe.providers import OpenAIChat
from probe.record import Recorded, Scope, ToAsk, chunks, plan_rows, recorded, to_ask
from probe.run import ModelRun
from store.database import Database
from store.insert import insert
from store.journal import Journal
from store.read import JOURNAL, ask
from store.rows import AttemptRow, FailureRow, ReplyRow, Row, RunRow

AT = datetime(2026, 1, 2, tzinfo=UTC)


def put(database: Database, *rows: Row) -> None:
    database.call(lambda connection: insert(connection, rows))


def record(database: Database, drawn: Drawn, most_chunks: int = 1_000_000) -> Recorded:
    """Record a plan, or go on with it, for so many chunks; return how far it is."""
    done = database.call(lambda owner: recorded(owner, drawn.experiment_id))
    if not done.known:
        put(database, *plan_rows(drawn.plan, drawn, "the file"))
    for _, chunk in zip(range(most_chunks), chunks(drawn, done), strict=False):
        database.call(chunk.insert)
    return database.call(lambda owner: recorded(owner, drawn.experiment_id))


def query(database: Database, text: str) -> list[tuple[object, ...]]:
    return database.call(lambda owner: ask(owner, text).rows)


def left(
    database: Database,
    scope: Scope,
    model: str = "fake",
    *,
    after: int = -1,
    upto: int = 10**9,
    most: int = 10**9,
) -> list[ToAsk]:
    """A model's cells that are to be asked."""
    return database.call(
        lambda owner: to_ask(owner, scope, model, after=after, upto=upto, most=most)
    )


def scope_of(drawn: Drawn, run_id: str = "now", *, retry_failed: bool = False) -> Scope:
    return Scope(experiment_id=drawn.experiment_id, run_id=run_id, retry_failed=retry_failed)


def reply_to(
    key: str,
    run_id: str = "before",
    *,
    prompt_tokens: int | None = 100,
    reply_tokens: int | None = 4,
) -> ReplyRow:
    return ReplyRow(
        key=key,
        run_id=run_id,
        outcome="ok",
        text="Emma",
        finish_reason="stop",
        served_model="m",
        fingerprint=None,
        prompt_tokens=prompt_tokens,
        reply_tokens=reply_tokens,
        attempts=1,
        latency_s=2.0,
        received_at=AT,
        raw="{}",
    )


def failure_of(key: str, run_id: str = "before", *, permanent: bool) -> FailureRow:
    return FailureRow(
        key=key,
        run_id=run_id,
        attempts=6,
        kind="http 400",
        error="no",
        permanent=permanent,
        failed_at=AT,
    )


def attempt_at(key: str, run_id: str, *, usd: float | None, at_most: float | None) -> AttemptRow:
    return AttemptRow(
        key=key,
        run_id=run_id,
        attempt=1,
        started_at=AT,
        latency_s=2.0,
        status=200,
        error_kind=None,
        error=None,
        usd=usd,
        usd_at_most=at_most,
    )


def run_of(drawn: Drawn, run_id: str) -> RunRow:
    return RunRow(run_id=run_id, experiment_id=drawn.experiment_id, started_at=AT, provenance="{}")


def keys(cells: Iterable[ToAsk]) -> list[str]:
    return [cell.key for cell in cells]


def model_run(database: Database, drawn: Drawn, clock: Clock, model: int = 0) -> ModelRun:
    """One model's part of a run, whose provider makes bodies and is never asked."""
    asked = drawn.plan.models[model]
    return ModelRun(
        model=asked,
        provider=OpenAIChat(asked.spec, asked.spec.base_url or ""),
        ledger=Ledger(
            run_id="now", journal=Journal(database.path / JOURNAL, "now"), database=database
        ),
        budget=Budget(ceiling=Ceiling()),
        pause=Pause(clock),
        clock=clock,
    )


def store_in(folder: Path) -> Database:
    return Database(folder / "store")
