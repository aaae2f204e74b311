"""From the store to a model's work: every cell once, in order, a page at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.feed import Recording, StoreCells, feed
from probe.plan import Drawn
from probe.record import Recorded
from probe.run import ModelRun
from probe.work import Job
from store.database import Database
from tests.probe.plans_for_tests import conditions, drawn, larger, model_table
from tests.probe.stored_for_tests import (
    keys,
    left,
    model_run,
    put,
    record,
    reply_to,
    scope_of,
    store_in,
)

NOTHING = Recorded(known=True, items=0, cells=0)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store_in(tmp_path) as opened:
        yield opened


async def drain(run: ModelRun) -> list[Job]:
    """All jobs a model is given."""
    found = []
    while (job := await run.work.next()) is not None:
        found.append(job)
        run.work.done()
    return found


def cells_of(run: ModelRun, recording: Recording, plan: Drawn) -> StoreCells:
    """A model's cells, out of the store."""
    spec = run.model.spec
    return StoreCells(
        recording=recording, scope=scope_of(plan), model=spec.name, samples=spec.request_samples
    )


async def fed(
    database: Database, plan: Drawn, done: Recorded, model: int = 0
) -> tuple[list[Job], Recording]:
    """The jobs of a model, while what is left of the plan is recorded beside it."""
    run = model_run(database, plan, asyncio.get_running_loop(), model)
    recording = Recording(database=database, drawn=plan, done=done)
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        tasks.create_task(recording.run())
        tasks.create_task(feed(run, cells_of(run, recording, plan)))
        jobs = tasks.create_task(drain(run))
    return jobs.result(), recording


@pytest.mark.parametrize("part", [0, 1, 100])
async def test_every_cell_is_given_once_in_order_while_the_plan_is_recorded(
    tmp_path: Path, database: Database, part: int
) -> None:
    """Whether nothing of it was recorded before, some, or all."""
    with drawn(larger(tmp_path, tail=model_table("second") + conditions())) as plan:
        done = record(database, plan, most_chunks=part)
        jobs, recording = await fed(database, plan, done)
        cells = [cell for block in plan.blocks() for cell in block.cells]

    assert recording.complete
    assert [key for job in jobs for key in job.keys] == [
        cell.key for cell in cells if cell.model.spec.name == "fake"
    ]


async def test_a_job_sends_its_cells_prompt(tmp_path: Path, database: Database) -> None:
    with drawn(larger(tmp_path, a_work=2)) as plan:
        jobs, _ = await fed(database, plan, record(database, plan))
        texts = {cell.key: cell.text for block in plan.blocks() for cell in block.cells}

    for job in jobs:
        text = json.loads(job.body)["messages"][0]["content"]
        assert text == texts[job.keys[0]]
        assert job.input_tokens == pytest.approx(len(text) / 4, abs=10)


async def test_samples_of_one_request_make_one_job(tmp_path: Path, database: Database) -> None:
    """With the seed of their first; a reply that is held already is not waited for."""
    experiment = larger(
        tmp_path, a_work=2, extra="params = { n = 2, seed = 10 }", tail=conditions(samples=4)
    )
    with drawn(experiment) as plan:
        done = record(database, plan)
        every = left(database, scope_of(plan))
        put(database, *(reply_to(each.key) for each in every[:3]))
        jobs, _ = await fed(database, plan, done)

    assert [len(job.keys) for job in jobs] == [1] + [2] * (len(every) // 2 - 2)
    assert [key for job in jobs for key in job.keys] == keys(every[3:])
    seeds = [json.loads(job.body)["seed"] for job in jobs]
    firsts = [each.sample for each in every[2::2]]
    assert seeds == [10 + first for first in firsts]


async def test_a_page_stays_a_page_however_far_it_looks_ahead(
    tmp_path: Path, database: Database
) -> None:
    """Beyond a long stretch that is held, what is left comes in pieces that fit into memory."""
    with drawn(larger(tmp_path, a_work=20, tail=conditions(samples=60))) as plan:
        done = record(database, plan)
        every = keys(left(database, scope_of(plan)))
        held = 4_200
        put(database, *(reply_to(key) for key in every[:held]))
        run = model_run(database, plan, asyncio.get_running_loop())
        recording = Recording(database=database, drawn=plan, done=done)
        feeding = asyncio.create_task(feed(run, cells_of(run, recording, plan)))
        first = await run.work.next()
        await asyncio.sleep(0.5)  # all that would be given at once has been
        a_page = 1 + len(run.work._new)
        assert first is not None
        run.work.done()
        jobs = await drain(run)
        await feeding

    assert a_page <= 4_100
    assert [key for job in jobs for key in job.keys] == every[held + 1 :]
    assert 1 + len(jobs) == 60 * 240 - held


async def test_a_stop_ends_feeding_and_recording(tmp_path: Path, database: Database) -> None:
    """The plan goes on where it was at the next start."""
    with drawn(larger(tmp_path, a_work=20, tail=conditions(samples=60))) as plan:
        record(database, plan, most_chunks=0)
        run = model_run(database, plan, asyncio.get_running_loop())
        recording = Recording(database=database, drawn=plan, done=NOTHING)
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            tasks.create_task(recording.run())
            tasks.create_task(feed(run, cells_of(run, recording, plan)))
            await recording.more(0)
            recording.stop()
            run.stop()
        part = recording.done
        whole = record(database, plan)

    assert 0 < part.cells < plan.cells
    assert whole == Recorded(known=True, items=60, cells=plan.cells)
    assert len(left(database, scope_of(plan))) == plan.cells


async def test_a_recording_that_fails_leaves_nobody_waiting(
    tmp_path: Path, database: Database
) -> None:
    """Its error comes up; the cells that are recorded are given all the same."""
    with drawn(larger(tmp_path)) as plan:
        done = record(database, plan, most_chunks=1)
        plan.spool.close()  # as if its file were lost
        run = model_run(database, plan, asyncio.get_running_loop())
        recording = Recording(database=database, drawn=plan, done=done)
        planning = asyncio.create_task(recording.run())
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            tasks.create_task(feed(run, cells_of(run, recording, plan)))
            jobs = tasks.create_task(drain(run))
            tasks.create_task(recording.more(plan.cells))

    assert len(jobs.result()) == done.cells
    with pytest.raises(ValueError, match="closed file"):
        await planning


async def test_who_waits_for_more_is_woken_by_it(tmp_path: Path, database: Database) -> None:
    with drawn(larger(tmp_path)) as plan:
        record(database, plan, most_chunks=0)
        recording = Recording(database=database, drawn=plan, done=NOTHING)
        waiting = asyncio.create_task(recording.more(0))
        await asyncio.sleep(0)
        assert not waiting.done()

        await recording.run()
        async with asyncio.timeout(5):
            await waiting

    assert recording.done == Recorded(known=True, items=30, cells=120)
