"""A model that is asked in batches: what all that is done for it share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeVar

from probe.batch.records import Batch, Reserved, reserved
from probe.errors import ProviderDown
from probe.providers.batches import TakesBatches
from probe.retry import REFUSED, Trouble, Verdict, fix_for, verdict, wait_s
from probe.run import ModelRun
from store.batch_rows import BatchEventRow
from store.database import Database
from store.read import Connection

T = TypeVar("T")
SETTLE_S: Final = 600.0
"""How long a request for a batch may be on its way before it is certain that none came of it."""


@dataclass(slots=True, kw_only=True)
class Open:
    """A batch that is open, while a run looks after it.

    Attributes:
        look_at: When it is looked at next, on the run's clock (seconds).
        wait_s: How long it is left alone after that (seconds).
        troubles: Calls for it that failed in a row (count).
        incomplete: How often its results came with lines missing (count).
    """

    batch: Batch
    look_at: float
    wait_s: float
    troubles: int = 0
    incomplete: int = 0


@dataclass(slots=True, kw_only=True)
class Batching:
    """One model of a run, asked in batches.

    Attributes:
        experiment_id: The plan.
        settle_s: How long after its creation was asked for a batch may still come to light, where
            no answer came (seconds).
        open: Batches that have not all come back.
        hold_until: When the next batch may be handed over, on the run's clock (seconds).
    """

    run: ModelRun
    provider: TakesBatches
    database: Database
    experiment_id: str
    settle_s: float = field(default_factory=lambda: SETTLE_S)
    open: list[Open] = field(default_factory=list)
    hold_until: float = 0.0
    _refused_since: float | None = None
    _refusals: int = 0

    async def call(self, act: Callable[[Connection], T]) -> T:
        """Ask the store, off the loop."""
        return await asyncio.to_thread(self.database.call, act)

    async def happened(
        self,
        batch: Batch,
        event: str,
        *,
        status: str | None = None,
        detail: str | None = None,
    ) -> None:
        """Put down what became of a batch."""
        await self.run.ledger.keep(
            BatchEventRow(
                batch_id=batch.row.batch_id,
                run_id=self.run.ledger.run_id,
                happened_at=datetime.now(UTC),
                event=event,
                provider_id=batch.provider_id,
                status=status,
                detail=detail,
            )
        )

    def watch(self, batch: Batch, *, soon: bool) -> None:
        """Look after a batch from now on, and look at it at once where that may help."""
        wait_s = self.run.model.spec.batch_poll_s
        now = self.run.clock.time()
        self.open.append(Open(batch=batch, look_at=now if soon else now + wait_s, wait_s=wait_s))

    async def closed(self, opened: Open, event: str, detail: str | None = None) -> None:
        """Put down that a batch holds its keys no more; give back what it had reserved."""
        left = await self.call(partial(reserved, batch=opened.batch.row))
        await self.happened(opened.batch, event, detail=detail)
        self.release(left)
        self.open.remove(opened)

    def release(self, left: Reserved) -> None:
        """Give back what lines had reserved that will cost nothing."""
        for most_usd in left.each_usd:
            self.run.budget.release(most_usd)

    def accepted(self) -> None:
        """A batch was taken: what was refused before it counts no more."""
        self._refused_since, self._refusals = None, 0

    def refused(self, trouble: Trouble, what: str) -> None:
        """A batch was not taken: hold the next one back, or give the model up for this run.

        Args:
            trouble: Why.
            what: The batch, in words.
        """
        spec, now = self.run.model.spec, self.run.clock.time()
        self._refusals += 1
        self._refused_since = now if self._refused_since is None else self._refused_since
        long = now - self._refused_since > spec.patience_s and not self.open
        deaf = trouble.kind == REFUSED and self._refusals >= spec.attempts
        if verdict(trouble) in {Verdict.STOP, Verdict.GIVE_UP} or long or deaf:
            self.give_up(trouble, what)
        else:
            self.hold_until = now + wait_s(trouble, self._refusals)

    def give_up(self, trouble: Trouble, what: str, fix: str = "") -> None:
        """Ask this model nothing more in this run; what is in batches stays there."""
        spec = self.run.model.spec
        found = f"{what}: {trouble.kind}: {trouble.message}"
        if not fix and verdict(trouble) is Verdict.GIVE_UP:
            fix = "mend it (a batch too large: set batch_mb or batch_requests), then run again"
        down = ProviderDown(spec.name, found, fix or fix_for(trouble, spec.api_key_env))
        self.run.down = self.run.down or down
        self.run.stop()

    @property
    def queued_tokens(self) -> int:
        """Prompt tokens in open batches, estimated (count)."""
        return sum(each.batch.row.tokens for each in self.open)
