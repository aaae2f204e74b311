"""Small rows of every table, and a database in memory to put them in."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import duckdb

from store.migrate import migrate
from store.read import Connection
from store.rows import (
    AttemptRow,
    CellRow,
    ExperimentRow,
    FailureRow,
    ItemRow,
    ModelRow,
    PromptRow,
    ReplyRow,
    RunEndRow,
    RunRow,
    ScoreRow,
)

AT: Final = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
RUN: Final = "20260102T030405-00000000"


def later(seconds: float) -> datetime:
    """That much after the moment at which everything here happens."""
    return AT + timedelta(seconds=seconds)


def memory() -> Connection:
    """An empty store's database, in memory."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET TimeZone = 'UTC'")
    migrate(connection, Path("memory"))
    return connection


def experiment_row(
    experiment_id: str = "plan-1", *, experiment: str = "small", planned_at: datetime = AT
) -> ExperimentRow:
    return ExperimentRow(
        experiment_id=experiment_id,
        experiment=experiment,
        seed=7,
        spec="name = 'small'",
        cells=1,
        planned_at=planned_at,
    )


def model_row(model: str = "m", *, note: str | None = None) -> ModelRow:
    return ModelRow(
        experiment_id="plan-1", model=model, provider="openai", identity="{}", note=note
    )


def run_row(
    experiment_id: str = "plan-1", started_at: datetime = AT, *, run_id: str = RUN
) -> RunRow:
    return RunRow(
        run_id=run_id, experiment_id=experiment_id, started_at=started_at, provenance="{}"
    )


def run_end_row(run_id: str = RUN) -> RunEndRow:
    return RunEndRow(run_id=run_id, ended_at=AT, how="done", asked=2, failed=1)


def item_row(item_id: str = "i1", *, task: str = "source_identification") -> ItemRow:
    return ItemRow(
        item_hash=f"hash of {item_id}",
        task=task,
        dataset="excerpts",
        item_id=item_id,
        work="Emma",
        text="She walked.",
        gold='{"title":"Emma"}',
        accepted="[]",
        options="[]",
        cast="[]",
        culture="english",
        notes="[]",
    )


def prompt_row(
    item_id: str = "i1",
    names: str = "original",
    prompt: str = "baseline",
    *,
    gold: str = '{"title":"Emma"}',
    options: str = '["Emma","Dracula"]',
    chance: float | None = 0.5,
) -> PromptRow:
    return PromptRow(
        prompt_hash=f"{item_id} {names} {prompt}",
        item_hash=f"hash of {item_id}",
        names=names,
        prompt=prompt,
        choices="options" if chance is not None else "open",
        text="Which work?",
        gold=gold,
        accepted="[]",
        options=options,
        chance=chance,
        name_map="{}",
        replaced=0,
        leaks="{}",
        suspects="{}",
    )


def cell_row(
    prompt: PromptRow,
    *,
    experiment_id: str = "plan-1",
    model: str = "m",
    sample: int = 0,
    key: str | None = None,
    is_first: bool | None = True,
) -> CellRow:
    own = f"{prompt.prompt_hash} {model} {sample}"
    return CellRow(
        experiment_id=experiment_id,
        cell_id=f"cell {own}",
        key=own if key is None else key,
        prompt_hash=prompt.prompt_hash,
        model=model,
        sample=sample,
        ordinal=0,
        is_first=is_first,
    )


def attempt_row(
    key: str = "k",
    *,
    run_id: str = RUN,
    usd: float | None = None,
    usd_at_most: float | None = None,
    error_kind: str | None = None,
) -> AttemptRow:
    return AttemptRow(
        key=key,
        run_id=run_id,
        attempt=1,
        started_at=AT,
        latency_s=0.25,
        status=200,
        error_kind=error_kind,
        error=None,
        usd=usd,
        usd_at_most=usd_at_most,
    )


def reply_row(
    key: str = "k", *, text: str | None = "Emma", outcome: str = "ok", raw: str = "{}"
) -> ReplyRow:
    return ReplyRow(
        key=key,
        run_id=RUN,
        outcome=outcome,
        text=text,
        finish_reason="stop",
        served_model="served",
        fingerprint=None,
        prompt_tokens=10,
        reply_tokens=2,
        attempts=1,
        latency_s=0.5,
        received_at=AT,
        raw=raw,
    )


def failure_row(
    key: str = "k", *, error: str = "no reply", failed_at: datetime = AT, permanent: bool = False
) -> FailureRow:
    return FailureRow(
        key=key,
        run_id=RUN,
        attempts=3,
        kind="timeout",
        error=error,
        permanent=permanent,
        failed_at=failed_at,
    )


def score_row(
    cell: CellRow,
    right: int,
    *,
    units: int = 1,
    version: int = 1,
    answer: str | None = '{"title":"Emma"}',
    unparsed: str | None = None,
) -> ScoreRow:
    accuracy = {"metric": "accuracy", "num": right, "den": units, "headline": True}
    return ScoreRow(
        prompt_hash=cell.prompt_hash,
        key=cell.key,
        version=version,
        answer=answer,
        unparsed=unparsed,
        units_right=right,
        units=units,
        scored_at=AT,
        measures=json.dumps([accuracy] if units else []),
    )
