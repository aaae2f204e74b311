"""A model's jobs: none is lost or doubled, retries come when they are due, everyone ends."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.work import Job, Work
from tests.probe.clock_for_tests import FakeClock, settle


def job(name: str) -> Job:
    return Job(keys=(name,), body=name.encode(), input_tokens=1)


def work(most_waiting: int = 100) -> tuple[Work, FakeClock]:
    clock = FakeClock()
    return Work(clock=clock, most_waiting=most_waiting), clock


async def taken(queue: Work, count: int) -> list[str]:
    """The names of so many jobs, taken one after another."""
    found = []
    for _ in range(count):
        next_job = await queue.next()
        assert next_job is not None
        found.append(next_job.keys[0])
    return found


async def test_jobs_are_handed_out_in_the_order_they_came() -> None:
    queue, _ = work()
    queue.add(job(name) for name in "abc")
    queue.add([job("d")])

    assert await taken(queue, 4) == list("abcd")


async def test_who_waits_is_woken_by_a_new_job() -> None:
    queue, _ = work()
    waiting = [asyncio.create_task(queue.next()) for _ in range(3)]
    await settle()

    queue.add(job(name) for name in "ab")
    await settle()

    assert [task.done() for task in waiting] == [True, True, False]
    waiting[2].cancel()


async def test_a_job_given_back_comes_again_when_it_is_due_and_before_new_ones() -> None:
    queue, clock = work()
    queue.add([job("a"), job("b"), job("c")])
    first = await queue.next()
    assert first is not None

    queue.again(first, 10)
    assert await taken(queue, 1) == ["b"]
    await clock.advance(9)
    assert queue.later == 1
    await clock.advance(1.5)

    assert await taken(queue, 2) == ["a", "c"]
    assert queue.later == 0


async def test_a_job_given_back_without_a_wait_is_next() -> None:
    """It was refused for load: the gate holds it, not a timer."""
    queue, clock = work()
    queue.add([job("a"), job("b")])
    first = await queue.next()
    assert first is not None

    queue.again(first, 0)

    assert await taken(queue, 2) == ["a", "b"]
    assert clock.calls == 0


async def test_jobs_come_back_by_when_they_are_due_with_one_timer() -> None:
    queue, clock = work()
    queue.add(job(name) for name in "abc")
    jobs = {name: await queue.next() for name in "abc"}
    woken: list[str] = []

    async def worker() -> None:
        while (found := await queue.next()) is not None:
            woken.append(found.keys[0])
            queue.done()

    for name, after_s in (("a", 30), ("b", 10), ("c", 20)):
        back = jobs[name]
        assert back is not None
        queue.again(back, after_s)
        assert clock.pending == 1
    queue.no_more()
    worker_task = asyncio.create_task(worker())
    await clock.advance(25)
    assert woken == ["b", "c"]
    await clock.advance(10)

    assert woken == ["b", "c", "a"]
    assert worker_task.done()


async def test_where_many_wait_for_another_try_no_new_ones_are_begun() -> None:
    """Else every cell of a plan would lie in memory while a server is down."""
    queue, clock = work(most_waiting=2)
    queue.add(job(name) for name in "abcd")
    for _ in range(2):
        tried = await queue.next()
        assert tried is not None
        queue.again(tried, 10)

    held_back = asyncio.create_task(queue.next())
    await clock.advance(9)
    assert not held_back.done()
    await clock.advance(2)

    first = await held_back
    assert first is not None
    assert first.keys == ("a",)
    assert await taken(queue, 3) == ["b", "c", "d"]


async def test_when_those_that_waited_come_due_all_idle_workers_get_something_to_do() -> None:
    """New jobs that were held back wake workers too, not only the retry that made room."""
    queue, clock = work(most_waiting=1)
    queue.add(job(name) for name in "abcd")
    tried = await queue.next()
    assert tried is not None
    queue.again(tried, 10)
    idle = [asyncio.create_task(queue.next()) for _ in range(4)]
    await settle()

    await clock.advance(11)

    assert [task.done() for task in idle] == [True] * 4


async def test_everyone_ends_when_all_is_done_and_not_before() -> None:
    """A job that is out may still be given back."""
    queue, _ = work()
    queue.add([job("a")])
    out = await queue.next()
    queue.no_more()
    waiting = [asyncio.create_task(queue.next()) for _ in range(5)]
    await settle()
    assert not any(task.done() for task in waiting)

    assert out is not None
    queue.done()
    await settle()

    assert [task.result() for task in waiting] == [None] * 5


async def test_everyone_ends_where_there_was_never_anything() -> None:
    queue, _ = work()
    waiting = [asyncio.create_task(queue.next()) for _ in range(3)]
    await settle()

    queue.no_more()
    await settle()

    assert [task.result() for task in waiting] == [None] * 3


async def test_a_stop_frees_everybody_and_hands_out_nothing_more() -> None:
    queue, clock = work(most_waiting=1)
    queue.add([job("a"), job("b")])
    out = await queue.next()
    assert out is not None
    queue.again(out, 10)
    waiting = [asyncio.create_task(queue.next()) for _ in range(3)]
    feeding = asyncio.create_task(queue.hungry())
    await settle()
    assert not any(task.done() for task in (*waiting, feeding))

    queue.stop()
    await settle()

    assert [task.result() for task in waiting] == [None] * 3
    assert feeding.done()
    assert await queue.next() is None
    assert clock.pending == 0


async def test_a_stop_leaves_no_timer_behind_for_what_is_given_back_after_it() -> None:
    queue, clock = work()
    queue.add([job("a")])
    out = await queue.next()
    assert out is not None

    queue.stop()
    queue.again(out, 10)

    assert clock.pending == 0


async def test_it_is_hungry_until_enough_new_jobs_lie_ready() -> None:
    queue, _ = work(most_waiting=3)
    await queue.hungry()
    queue.add(job(name) for name in "abc")
    feeding = asyncio.create_task(queue.hungry())
    await settle()
    assert not feeding.done()

    await queue.next()
    await settle()

    assert feeding.done()


async def test_a_worker_that_is_cancelled_while_idle_takes_no_job_with_it() -> None:
    queue, _ = work()
    gone, there = (asyncio.create_task(queue.next()) for _ in range(2))
    await settle()
    gone.cancel()
    await settle()

    queue.add([job("a")])
    await settle()

    assert there.done()
    assert queue.taken == 1


@settings(max_examples=100, deadline=None)
@given(
    count=st.integers(0, 40),
    workers=st.integers(1, 8),
    most_waiting=st.integers(1, 6),
    seed=st.integers(0, 2**32),
    chance=st.floats(0, 0.7),
)
def test_every_job_is_handed_out_once_and_once_more_each_time_it_is_given_back(
    count: int, workers: int, most_waiting: int, seed: int, chance: float
) -> None:
    handed, back = asyncio.run(_play(count, workers, most_waiting, random.Random(seed), chance))

    assert handed == Counter({name: 1 + back[name] for name in handed})
    assert len(handed) == count


async def _play(
    count: int, workers: int, most_waiting: int, rng: random.Random, chance: float
) -> tuple[Counter[str], Counter[str]]:
    queue, clock = work(most_waiting)
    handed: Counter[str] = Counter()
    back: Counter[str] = Counter()

    async def worker() -> None:
        while (out := await queue.next()) is not None:
            handed[out.keys[0]] += 1
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(0)
            if rng.random() < chance:
                back[out.keys[0]] += 1
                queue.again(out, rng.choice([0.0, 1.0, 5.0]))
            else:
                queue.done()

    async def feed() -> None:
        for start in range(0, count, 5):
            await queue.hungry()
            queue.add(job(str(n)) for n in range(start, min(start + 5, count)))
        queue.no_more()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    tasks.append(asyncio.create_task(feed()))
    for _ in range(400):
        await clock.advance(1)
        if all(task.done() for task in tasks):
            break
    assert all(task.done() for task in tasks), "somebody waits for ever"
    assert queue.taken == queue.later == 0
    return handed, back


@pytest.mark.parametrize("workers", [1, 5])
async def test_an_empty_page_holds_nobody_up(workers: int) -> None:
    queue, _ = work()
    tasks = [asyncio.create_task(queue.next()) for _ in range(workers)]
    queue.add([])
    await settle()

    queue.no_more()
    await settle()

    assert all(task.done() for task in tasks)
