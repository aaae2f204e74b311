"""Brings in what a batch that has ended gives: replies as live ones, failures as failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final

from probe.batch.opened import Batching, Open
from probe.batch.records import Line, lines_left, lines_named
from probe.providers.base import Answered, Reply
from probe.providers.batches import BatchState, LineResult
from probe.retry import Trouble, Verdict, verdict
from probe.run import ModelRun, reply_row
from probe.tally import Attempt
from store.batch_rows import BatchRow
from store.rows import AttemptRow, Event, FailureRow

_TOGETHER: Final = 1_000
_LOOKS: Final = 3
"""How often results must come with lines missing before they count as missing."""


async def take(batching: Batching, opened: Open, state: BatchState) -> None:
    """Take the results of a batch that has ended, and close it. Raises BatchTrouble.

    What is taken stays taken: where this breaks off, the next look goes on with the lines that are
    left.
    """
    if state.problem is not None:
        await _never_run(batching, opened, state.problem)
        return
    chunk: list[LineResult] = []
    async with aclosing(batching.provider.results(state)) as results:
        async for result in results:
            chunk.append(result)
            if len(chunk) == _TOGETHER:
                await _settle(batching, opened.batch.row, chunk)
                chunk = []
    await _settle(batching, opened.batch.row, chunk)
    await _finish(batching, opened, state)


async def _never_run(batching: Batching, opened: Open, problem: Trouble) -> None:
    """A batch that its provider did not begin, such as where a queue was full."""
    said = f"{problem.kind}: {problem.message}"
    await batching.closed(opened, "failed", said)
    batching.run.tally.troubles[problem.kind] += 1
    batching.refused(problem, f"batch {opened.batch.provider_id}")


async def _settle(batching: Batching, batch: BatchRow, results: Iterable[LineResult]) -> None:
    by_name = {result.custom_id: result.answered for result in results}
    if by_name:
        lines = await batching.call(partial(lines_named, batch=batch, ids=list(by_name)))
        await _put_down(batching, batch, lines, by_name)


async def _put_down(
    batching: Batching, batch: BatchRow, lines: Mapping[str, Line], by_name: Mapping[str, Answered]
) -> None:
    took_s = (datetime.now(UTC) - batch.intended_at).total_seconds()
    sent = Sent(batch.intended_at, max(0.0, took_s))
    trouble = await put_down(batching.run, sent, lines, by_name)
    if trouble is not None:
        batching.give_up(trouble, "a line of a batch")


async def _finish(batching: Batching, opened: Open, state: BatchState) -> None:
    """See to the lines that have no result, and close the batch."""
    row = opened.batch.row
    left = await batching.call(partial(lines_left, batch=row, most=_TOGETHER))
    if left and opened.incomplete + 1 < _LOOKS:  # perhaps the results came cut off
        opened.incomplete += 1
        return
    nothing = Answered(state.unanswered)
    while left:
        await _put_down(batching, row, left, dict.fromkeys(left, nothing))
        left = await batching.call(partial(lines_left, batch=row, most=_TOGETHER))
    await batching.closed(opened, "taken")


@dataclass(frozen=True, slots=True)
class Sent:
    """When lines were sent.

    Attributes:
        latency_s: How long they took to come back (seconds).
    """

    at: datetime
    latency_s: float


async def put_down(
    run: ModelRun, sent: Sent, lines: Mapping[str, Line], by_name: Mapping[str, Answered]
) -> Trouble | None:
    """Put down what lines brought, with one write; return what speaks against asking any more.

    Args:
        run: The model's; what lines may cost is reserved in its budget.
        sent: When they were.
        lines: By name.
        by_name: What came of each of them.
    """
    events, stopping = list[Event](), list[Trouble]()
    for name, line in lines.items():
        answered = by_name[name]
        result = answered.result
        if isinstance(result, Reply):
            run.usage.learn(result, 0.0)
        own = Attempt(
            key=line.custom_id,
            number=line.attempt,
            at=sent.at,
            latency_s=sent.latency_s,
            most_usd=line.most_usd,
        )
        attempt = run.bill(own, answered)
        if isinstance(result, Reply):
            events += _replies(run, line, result, attempt)
        else:
            events += _failures(run, line, result)
            stopping += [result] if verdict(result) is Verdict.STOP else []
        events.append(attempt)
    if events:
        await run.ledger.keep(*events)
    return stopping[0] if stopping else None


def _replies(run: ModelRun, line: Line, reply: Reply, attempt: AttemptRow) -> Iterator[Event]:
    replies = dict(enumerate((reply, *reply.more)))
    few = Trouble(kind="missing choice", message=f"only {len(replies)} came")
    for asked in line.asked:
        if asked.held:
            continue
        if asked.choice in replies:
            run.tally.replies += 1
            yield reply_row(replies[asked.choice], key=asked.key, attempt=attempt)
        else:
            yield _failure(run, asked.key, line.attempt, few)


def _failures(run: ModelRun, line: Line, trouble: Trouble) -> Iterator[Event]:
    """What is given up; everything else is asked again in a further batch."""
    run.tally.troubles[trouble.kind] += 1
    what = verdict(trouble)
    last = what is not Verdict.STOP and line.attempt >= run.model.spec.attempts
    if what is Verdict.GIVE_UP or last:
        for asked in line.asked:
            if not asked.held:
                yield _failure(run, asked.key, line.attempt, trouble)


def _failure(run: ModelRun, key: str, attempts: int, trouble: Trouble) -> FailureRow:
    run.tally.failed += 1
    run.tally.failures[trouble.kind] += 1
    return FailureRow(
        key=key,
        run_id=run.ledger.run_id,
        attempts=attempts,
        kind=trouble.kind,
        error=trouble.message,
        permanent=verdict(trouble) is Verdict.GIVE_UP,
        failed_at=datetime.now(UTC),
    )
