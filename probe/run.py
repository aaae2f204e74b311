"""The fan-out: every cell that is not held is asked once, journalled, and handed to the store.

One pool of workers a model, each pulling from its own stream of the plan, so that a slow model
never holds a fast one. A reply is in the journal before anything else happens to it. Stopping is
gentle: workers finish what is in flight and take nothing new.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Protocol, TypeAlias

from tenacity import AsyncRetrying, RetryCallState, retry_if_result, stop_after_attempt

from probe.errors import ProviderDown
from probe.gate import Gate
from probe.pace import pace_of
from probe.plan import Cell, Model, estimate_tokens, most_reply_tokens
from probe.providers.base import Provider, Reply
from probe.retry import Trouble, Verdict, exhausted, fix_for, verdict, wait_s
from store.database import Database
from store.journal import Journal
from store.rows import AttemptRow, Event, FailureRow, ReplyRow

_MOST_BACKLOG: Final = 20_000
_Result: TypeAlias = Reply | Trouble | None
"""None where a stop came before the attempt was sent."""


class Watcher(Protocol):
    """Told what happens, for a display; returns at once."""

    def replied(self, model: str, reply: Reply) -> None:
        """A reply is in the journal."""
        ...

    def troubled(self, model: str, trouble: Trouble, *, final: bool) -> None:
        """An attempt failed; `final` where the cell was given up."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Where events go: the journal first, then the database's queue."""

    run_id: str
    journal: Journal
    database: Database

    def write(self, event: Event) -> None:
        """Record one event."""
        self.database.put(event, self.journal.append(event))

    async def breathe(self) -> None:
        """Let the database catch up where it lies far behind."""
        if self.database.backlog > _MOST_BACKLOG:
            await asyncio.to_thread(self.database.call, lambda _: None)


@dataclass(slots=True, kw_only=True)
class ModelRun:
    """Asks one model its cells.

    Attributes:
        down: Why the model cannot be asked at all, once that is known.
        asked: Replies had (count).
        failed: Cells given up (count).
    """

    model: Model
    provider: Provider
    ledger: Ledger
    watcher: Watcher
    down: ProviderDown | None = None
    asked: int = 0
    failed: int = 0
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Take no new cell and wait for nothing; what is in flight is finished."""
        self._stopping.set()

    async def run(self, cells: Iterator[Cell]) -> None:
        """Ask the cells, as many at once as the pace allows."""
        pace = pace_of(self.model.spec)
        gate = Gate(pace, now=time.monotonic, sleep=self._wait)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(pace.in_flight):
                tasks.create_task(self._worker(cells, gate))

    async def _worker(self, cells: Iterator[Cell], gate: Gate) -> None:
        for cell in cells:  # shared: the next cell is taken with no await in between
            if self._stopping.is_set():
                return
            await self._ask(cell, gate)
            await self.ledger.breathe()

    async def _wait(self, seconds: float) -> None:
        """Sleep, but not past a stop."""
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return

    async def _ask(self, cell: Cell, gate: Gate) -> None:
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self.model.spec.attempts),
            wait=wait_s,
            retry=retry_if_result(self._should_try_again),
            retry_error_callback=_last_result,
            sleep=self._wait,
        )
        body, numbers = self.provider.body(cell), itertools.count(1)
        result: _Result = await retrying(self._attempt, cell, body, gate, numbers)
        if isinstance(result, Trouble):
            self._settle(cell, result, next(numbers) - 1)

    def _should_try_again(self, result: _Result) -> bool:
        if not isinstance(result, Trouble) or self._stopping.is_set():
            return False
        again = verdict(result) is Verdict.AGAIN
        if again:
            self.watcher.troubled(self.model.spec.name, result, final=False)
        return again

    async def _attempt(
        self, cell: Cell, body: bytes, gate: Gate, numbers: Iterator[int]
    ) -> _Result:
        tokens = estimate_tokens(cell.text) + most_reply_tokens(self.model.spec)
        async with gate.slot(tokens):
            if self._stopping.is_set():
                return None
            number, started_at, began = next(numbers), datetime.now(UTC), time.perf_counter()
            result = await self.provider.ask(body)
            latency_s = time.perf_counter() - began
            if isinstance(result, Reply):
                self._keep(cell, result, number, latency_s)
            trouble = result if isinstance(result, Trouble) else None
            self.ledger.write(
                AttemptRow(
                    key=cell.key,
                    run_id=self.ledger.run_id,
                    attempt=number,
                    started_at=started_at,
                    latency_s=latency_s,
                    status=result.status,
                    error_kind=trouble.kind if trouble else None,
                    error=trouble.message if trouble else None,
                )
            )
        return result

    def _keep(self, cell: Cell, reply: Reply, attempts: int, latency_s: float) -> None:
        run_id = self.ledger.run_id
        self.ledger.write(
            reply_row(reply, key=cell.key, run_id=run_id, attempts=attempts, latency_s=latency_s)
        )
        self.asked += 1
        self.watcher.replied(self.model.spec.name, reply)

    def _settle(self, cell: Cell, trouble: Trouble, attempts: int) -> None:
        """Give a cell up, or the whole model; a cell that a stop cut short is left to be asked."""
        what = verdict(trouble)
        permanent = what is Verdict.GIVE_UP
        if what is Verdict.AGAIN:
            if self._stopping.is_set():
                return
            what = exhausted(trouble)
        if what is Verdict.STOP:
            spec = self.model.spec
            found = f"{trouble.kind}: {trouble.message}"
            self.down = self.down or ProviderDown(
                spec.name, found, fix_for(trouble, spec.api_key_env)
            )
            self.stop()
            return
        self.ledger.write(
            FailureRow(
                key=cell.key,
                run_id=self.ledger.run_id,
                attempts=attempts,
                kind=trouble.kind,
                error=trouble.message,
                permanent=permanent,
                failed_at=datetime.now(UTC),
            )
        )
        self.failed += 1
        self.watcher.troubled(self.model.spec.name, trouble, final=True)


def reply_row(reply: Reply, *, key: str, run_id: str, attempts: int, latency_s: float) -> ReplyRow:
    """The row of a reply that has just come."""
    return ReplyRow(
        key=key,
        run_id=run_id,
        outcome=reply.outcome,
        text=reply.text,
        finish_reason=reply.finish_reason,
        served_model=reply.served_model,
        fingerprint=reply.fingerprint,
        prompt_tokens=reply.prompt_tokens,
        reply_tokens=reply.reply_tokens,
        attempts=attempts,
        latency_s=latency_s,
        received_at=datetime.now(UTC),
        raw=reply.raw,
    )


def _last_result(state: RetryCallState) -> _Result:
    result: _Result = state.outcome.result() if state.outcome else None
    return result


async def fan_out(runs: Sequence[ModelRun], streams: Sequence[Iterator[Cell]]) -> None:
    """Ask every model its stream of cells, all at the same time."""
    async with asyncio.TaskGroup() as tasks:
        for run, cells in zip(runs, streams, strict=True):
            tasks.create_task(run.run(cells))
