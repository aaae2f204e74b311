"""Asks one model its cells in batches: hand over, look now and then, take what has ended, again.

Cells whose line brought nothing are not settled, so that the next way through the plan finds them
and a further batch asks them: the store is the queue here too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Final

from probe.batch.attach import attach, settle
from probe.batch.opened import Batching, Open
from probe.batch.submit import Scan, submit
from probe.batch.take import take
from probe.feed import Cells, ask_all
from probe.providers.batches import BatchState, BatchTrouble, TakesBatches
from probe.retry import Trouble, Verdict, verdict, wait_s
from probe.run import ModelRun
from store.database import Database
from store.lake.database import LakeDatabase

_SLOWER: Final = 1.5
_SLOWEST: Final = 20.0


def ask(
    run: ModelRun, cells: Callable[[str], Cells], database: Database, experiment_id: str
) -> Coroutine[object, object, None]:
    """Ask a model its cells, live or in batches as the experiment file says.

    Args:
        run: The model's.
        cells: Begins a way through a model's cells, by its name.
        database: The store's.
        experiment_id: The plan.
    """
    name = run.model.spec.name
    if run.model.spec.mode == "batch":
        return ask_in_batches(run, partial(cells, name), database, experiment_id)
    return ask_all(run, cells(name))


async def ask_in_batches(
    run: ModelRun, fresh: Callable[[], Cells], database: Database, experiment_id: str
) -> None:
    """Ask until all has come back, or the run is stopped; what is in batches then stays there.

    Args:
        run: The model's, whose provider takes batches.
        fresh: Begins a new way through the model's cells.
        database: The store's.
        experiment_id: The plan.
    """
    if not isinstance(run.provider, TakesBatches):
        raise TypeError(f"{run.model.spec.name} is asked by what takes no batches")
    if isinstance(database, LakeDatabase) and not await _claimed(run, database):
        return
    batching = Batching(
        run=run,
        provider=run.provider,
        database=database,
        experiment_id=experiment_id,
    )
    try:
        await _Asking(batching, fresh).run()
    finally:
        if isinstance(database, LakeDatabase):
            await asyncio.to_thread(database.claims.release, *_claim(run), [0])


def _claim(run: ModelRun) -> tuple[str, str]:
    """What stands for a model's batches among the claims of a lake."""
    return "batches", run.model.spec.name


async def _claimed(run: ModelRun, database: LakeDatabase) -> bool:
    """Wait until no other run on a lake sees to the model's batches; not so where it is stopped."""
    while not run.stopped:
        if await asyncio.to_thread(database.claims.take, *_claim(run), [0]):
            return True
        await _until_stopped(run, run.model.spec.batch_poll_s)
    return False


async def _until_stopped(run: ModelRun, most_s: float) -> None:
    """Wait for a time (seconds), or until the run is stopped."""
    with suppress(TimeoutError):
        # No job is ever added here: it ends when the run is stopped.
        await asyncio.wait_for(run.work.next(), most_s)


class _Asking:
    """The loop."""

    def __init__(self, batching: Batching, fresh: Callable[[], Cells]) -> None:
        self._batching, self._run, self._fresh = batching, batching.run, fresh
        self._scan = Scan()
        self._due = True
        """Whether the plan may have cells to hand over."""

    async def run(self) -> None:
        """Go on until nothing is left."""
        await attach(self._batching)
        while not self._over():
            await self._look()
            if self._over():
                return
            if self._due and self._run.clock.time() >= self._batching.hold_until:
                self._scan = await submit(self._batching, self._fresh())
                self._due = bool(self._scan.held_back)
            if not self._batching.open and self._nothing_follows():
                return
            await self._pause()

    def _over(self) -> bool:
        return self._run.stopped

    def _nothing_follows(self) -> bool:
        """Whether no further batch will be handed over; where the budget is why, say so."""
        if self._scan.held_back == "budget" and not self._run.budget.open:
            self._run.spent = True
            self._run.stop()
        return not self._due or self._run.spent

    async def _pause(self) -> None:
        """Wait until something is due, or the run is stopped."""
        until = [each.look_at for each in self._batching.open]
        if self._due:
            spec_s = self._run.model.spec.batch_poll_s
            until.append(max(self._batching.hold_until, self._run.clock.time() + spec_s))
        left_s = max(0.0, min(until) - self._run.clock.time())
        await _until_stopped(self._run, left_s)

    async def _look(self) -> None:
        """Look at the batches whose time has come."""
        for opened in list(self._batching.open):
            if self._run.stopped:
                return
            if opened.look_at > self._run.clock.time():
                continue
            try:
                await self._look_at(opened)
                opened.troubles = 0
            except BatchTrouble as error:
                self._troubled(opened, error.trouble)
            self._due |= opened not in self._batching.open
            opened.look_at = max(opened.look_at, self._run.clock.time() + opened.wait_s)
            slowest_s = _SLOWEST * self._run.model.spec.batch_poll_s
            opened.wait_s = min(_SLOWER * opened.wait_s, slowest_s)

    async def _look_at(self, opened: Open) -> None:
        state = await self._state(opened)
        if state is None:
            return
        batch = opened.batch
        if state.status != batch.status:
            batch.status = state.status
            await self._batching.happened(batch, "status", status=state.status)
        if state.ended:
            await take(self._batching, opened, state)

    async def _state(self, opened: Open) -> BatchState | None:
        if opened.batch.provider_id is None:
            return await settle(self._batching, opened)
        return await self._batching.provider.look(opened.batch.provider_id)

    def _troubled(self, opened: Open, trouble: Trouble) -> None:
        """A look that failed: the batch goes on all the same; look again, or say what is wrong."""
        opened.troubles += 1
        self._run.tally.troubles[trouble.kind] += 1
        if verdict(trouble) in {Verdict.STOP, Verdict.GIVE_UP}:
            row = opened.batch.row
            what = f"batch {opened.batch.provider_id or row.batch_id} of {row.requests:,} requests"
            self._batching.give_up(trouble, what, _fix(trouble, row.batch_id))
            return
        wait = max(opened.wait_s, wait_s(trouble, opened.troubles))
        opened.look_at = self._run.clock.time() + wait


def _fix(trouble: Trouble, batch_id: str) -> str:
    """What to do about a batch that its provider does not know; nothing of what else is wrong."""
    if trouble.status != 404:
        return ""
    return (
        "check `base_url` and the key; if it is gone for good, have its cells asked again with"
        f" `probe batch forget {batch_id}`"
    )
