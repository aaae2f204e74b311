"""Takes up what earlier starts left: batches that are open, and those of which it is not known.

A crash between asking for a batch and its answer leaves a batch that may or may not exist. It is
looked for; its cells are asked again only once it cannot be there any more.
"""

from __future__ import annotations

from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from typing import Final

from probe.batch.opened import Batching, Open
from probe.batch.records import Batch, known_ids, names_not_in, open_batches, reserved
from probe.errors import ProviderDown
from probe.providers.batches import BatchState, Sought

_ENOUGH: Final = 200
"""Lines of a batch that tell whose it is: their names are digests (count)."""


async def attach(batching: Batching) -> None:
    """Take up the open batches of a model; what they may cost is reserved, whatever the ceiling."""
    name = batching.run.model.spec.name
    held = await batching.call(
        partial(open_batches, experiment_id=batching.experiment_id, model=name)
    )
    for batch in held:
        if batch.row.server != batching.run.model.endpoint:
            _elsewhere(batching, batch)
            return
        left = await batching.call(partial(reserved, batch=batch.row))
        for most_usd in left.each_usd:
            batching.run.budget.adopt(most_usd)
        batching.watch(batch, soon=True)
        if batch.sent_at is None:  # a crash came before anything was asked for
            await batching.closed(batching.open[-1], "not created", "it was never sent")


def _elsewhere(batching: Batching, batch: Batch) -> None:
    here = batching.run.model.endpoint
    found = f"a batch of its cells is open at {batch.row.server}, not at {here}"
    fix = (
        "put base_url back until it has ended, or have its cells asked again with"
        f" `probe batch forget {batch.row.batch_id}`"
    )
    batching.run.down = ProviderDown(batching.run.model.spec.name, found, fix)
    batching.run.stop()


async def settle(batching: Batching, opened: Open) -> BatchState | None:
    """Find out whether a batch was created; its state where it was, None where that is not known.

    Where it was not, it is closed and its cells are free. Raises BatchTrouble.
    """
    batch = opened.batch
    if batch.sent_at is None:
        raise RuntimeError("only a batch whose creation was asked for is looked for")
    known = await batching.call(known_ids)
    sought = Sought(
        batch_id=batch.row.batch_id,
        requests=batch.row.requests,
        sent_at=batch.sent_at,
        file_id=batch.file_id,
        known=known,
    )
    found = await batching.provider.find(sought)
    if found.certain is not None:
        return await _found(batching, batch, found.certain)
    for state in found.perhaps:
        if state.ended and await _is_it(batching, batch, state):
            return await _found(batching, batch, state)
    running = any(not state.ended for state in found.perhaps)
    since_s = (datetime.now(UTC) - batch.sent_at).total_seconds()
    if not running and since_s > batching.settle_s:
        await batching.closed(opened, "not created", "the provider has no such batch")
    return None


async def _found(batching: Batching, batch: Batch, state: BatchState) -> BatchState:
    batch.provider_id, batch.status = state.provider_id, state.status
    await batching.happened(batch, "created", status=state.status)
    batching.accepted()
    return state


async def _is_it(batching: Batching, batch: Batch, state: BatchState) -> bool:
    """Whether a batch that has ended has the lines of ours."""
    names: set[str] = set()
    async with aclosing(batching.provider.results(state)) as results:
        async for result in results:
            names.add(result.custom_id)
            if len(names) >= _ENOUGH:
                break
    if not names:
        return False
    return not await batching.call(partial(names_not_in, batch=batch.row, ids=names))
