"""Hands cells over in batches, each batch once.

What is about to be sent is put down before it is sent, and the provider's name for a batch before
anything else is done with it. A batch is created by one call, never repeated: where no answer to it
came, the batch stays open until it is found or cannot be there any more (`attach`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Literal

from probe.batch.draft import Draft, limits_of
from probe.batch.opened import Batching
from probe.batch.records import Batch, Reserved, tries
from probe.feed import PAGE, Cells, batched, jobs
from probe.providers.batches import BatchTrouble
from probe.retry import Trouble
from probe.work import Job
from store.errors import StoreBroken
from store.read import Connection
from store.rows import FailureRow

_FOLDER: Final = "batches"


@dataclass(slots=True)
class Scan:
    """What one way through the plan has brought.

    Attributes:
        sent: Batches handed over (count).
        held_back: What keeps cells from being handed over now; nothing where all are.
    """

    sent: int = 0
    held_back: Literal["", "budget", "queue", "refused"] = ""


def folder_of(store: Path, model: str) -> Path:
    """Where a model's files lie while they are made; what a crash left there is removed.

    Raises:
        StoreBroken: It cannot be used.
    """
    folder = store / _FOLDER / model
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob("*.jsonl"):
            left.unlink()
    except OSError as error:
        found = f"{folder} cannot be used ({error.strerror})"
        raise StoreBroken(store, found, "mend its permissions, then run again") from None
    return folder


async def submit(batching: Batching, cells: Cells) -> Scan:
    """Hand over all cells that are to be asked, as far as budget and limits allow."""
    return await _Submission(batching, cells).run()


class _Submission:
    """One way through the plan."""

    def __init__(self, batching: Batching, cells: Cells) -> None:
        self._batching, self._run, self._cells = batching, batching.run, cells
        self._limits = limits_of(self._run.model.spec, batching.provider.form)
        self._folder = folder_of(batching.database.path, self._run.model.spec.name)
        self._scan = Scan()
        self._draft: Draft | None = None

    async def run(self) -> Scan:
        """Go through."""
        try:
            async for job in self._jobs():
                if not await self._taken(job):
                    break
            if self._draft is not None and not self._run.stopped:
                await self._hand_over(self._draft)
        finally:
            self._drop()
        return self._scan

    def _drop(self) -> None:
        """Forget a draft that was not handed over."""
        if self._draft is not None:
            self._batching.release(Reserved(self._draft.each_usd))
            self._draft.close()
            self._draft = None

    async def _jobs(self) -> AsyncIterator[Job]:
        while not self._run.stopped and (page := await self._cells.take(PAGE)):
            keys = [cell.key for cell in page]
            tried = await self._batching.call(partial(tries, keys=keys))
            for part in batched(jobs(page, self._run)):
                for job in part:
                    job.attempts = tried.get(job.keys[0], 0)
                    yield job
                await asyncio.sleep(0)

    async def _taken(self, job: Job) -> bool:
        """Put a job into a draft; whether more may follow."""
        line = self._batching.provider.line(job.keys[0], job.body)
        full = self._draft is not None and not self._draft.fits(line)
        if full and self._draft and not await self._hand_over(self._draft):
            return False
        if not self._room_in_queue(job):
            self._scan.held_back = "queue"
            return False
        most_usd = self._run.usage.most_usd(job.body)
        if not self._run.budget.try_reserve(most_usd):
            self._scan.held_back = "budget"
            return False
        self._draft = self._draft or self._new()
        if not self._draft.fits(line):
            self._run.budget.release(most_usd)
            await self._too_long(job, len(line))
            return True
        await self._draft.add(job, line, job.attempts + 1, most_usd)
        return True

    def _new(self) -> Draft:
        return Draft(
            form=self._batching.provider.form,
            limits=self._limits,
            ledger=self._run.ledger,
            folder=self._folder,
            priced=self._run.usage.priced,
        )

    def _room_in_queue(self, job: Job) -> bool:
        most = self._run.model.spec.batch_queued_tokens
        drafted = self._draft.tokens if self._draft else 0.0
        queued = self._batching.queued_tokens + drafted
        return most is None or not queued or queued + job.input_tokens <= most

    async def _too_long(self, job: Job, size: int) -> None:
        said = f"its line has {size:,} bytes, more than a batch may; set batch_mb higher"
        for key in job.keys:
            await self._run.ledger.keep(
                FailureRow(
                    key=key,
                    run_id=self._run.ledger.run_id,
                    attempts=job.attempts,
                    kind="line too long",
                    error=said,
                    permanent=False,
                    failed_at=datetime.now(UTC),
                )
            )
        self._run.tally.failed += len(job.keys)
        self._run.tally.failures["line too long"] += len(job.keys)

    async def _hand_over(self, draft: Draft) -> bool:
        """Hand a draft over; whether it was taken. Either way it is no draft any more."""
        if not draft.requests:
            return True
        self._draft = None
        batching = self._batching
        with closing(draft):
            row = await draft.seal(batching.experiment_id, self._run.model)
            batch = Batch(row=row)
            try:
                batch.file_id = await batching.provider.send_file(draft.path)
            except BatchTrouble as error:
                return await self._not_taken(batch, draft, error.trouble)
            await batching.happened(batch, "submitting", detail=batch.file_id)
            batch.sent_at = datetime.now(UTC)
            # On a lake another machine may go on from here, and does not see our journal.
            await batching.call(_is_committed)
            try:
                state = await batching.provider.create(row.batch_id, draft.path, batch.file_id)
            except BatchTrouble as error:
                if not error.trouble.perhaps_billed:
                    return await self._not_taken(batch, draft, error.trouble)
                batching.watch(batch, soon=False)
                batching.refused(error.trouble, _named(batch))
                self._scan.held_back = "refused"
                return False
            batch.provider_id, batch.status = state.provider_id, state.status
            await batching.happened(batch, "created", status=state.status)
        batching.watch(batch, soon=False)
        batching.accepted()
        self._scan.sent += 1
        return True

    async def _not_taken(self, batch: Batch, draft: Draft, trouble: Trouble) -> bool:
        """A batch of which it is certain that it was not created: its cells are free again."""
        said = f"{trouble.kind}: {trouble.message}"
        await self._batching.happened(batch, "not created", detail=said)
        self._batching.release(Reserved(draft.each_usd))
        self._run.tally.troubles[trouble.kind] += 1
        self._batching.refused(trouble, _named(batch))
        self._scan.held_back = "refused"
        return False


def _is_committed(_: Connection) -> None:
    """What the store does once all is in it that was put down before."""


def _named(batch: Batch) -> str:
    row = batch.row
    return f"a batch of {row.requests:,} requests ({row.size_bytes / 1e6:,.1f} MB)"
