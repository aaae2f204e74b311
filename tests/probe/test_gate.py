"""The gate: ceilings and pauses hold, and nobody polls, is passed over or forgotten."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.gate import Gate, Pause
from probe.pace import Pace
from tests.probe.clock_for_tests import FakeClock, settle
from tests.probe.gate_for_tests import ONE, Bench, fixed


async def test_no_more_are_open_than_allowed_and_all_are_served() -> None:
    bench = Bench(fixed(3))

    bench.ask(20, took_s=1)
    await bench.clock.advance(0)
    assert bench.gate.in_flight == 3
    await bench.clock.advance(100)

    assert bench.most_open == 3
    assert len(bench.sent) == 20
    assert bench.gate.in_flight == 0


async def test_a_slot_comes_back_after_an_error() -> None:
    gate = Gate(fixed(2), Pause(FakeClock()))

    async def one() -> None:
        async with gate.slot(ONE):
            await asyncio.sleep(0)
            raise ValueError("on purpose")

    tasks = [asyncio.create_task(one()) for _ in range(6)]
    await asyncio.wait(tasks)

    assert [str(task.exception()) for task in tasks] == ["on purpose"] * 6
    assert gate.in_flight == 0


async def test_nobody_polls_one_timer_serves_all_who_wait() -> None:
    bench = Bench(fixed(requests=60))

    bench.ask(100)
    for _ in range(10):
        await bench.clock.advance(10.05)
        assert bench.clock.pending <= 1

    assert len(bench.sent) == 100
    assert bench.clock.calls <= 3 * 100
    assert bench.clock.pending == 0


async def test_who_waits_for_another_to_end_needs_no_timer() -> None:
    bench = Bench(fixed(1))

    slot = await bench.enter()
    bench.ask(50)
    await bench.clock.advance(1000)
    assert bench.sent == []
    bench.gate.leave(slot)
    await settle()

    assert len(bench.sent) > 0
    assert bench.clock.calls == 0
    await bench.clock.advance(0)
    await bench.end()


async def test_the_first_to_come_is_the_first_to_go() -> None:
    """A large request is not passed over by small ones behind it."""
    bench = Bench(fixed(2, requests=60, tokens=600))
    sizes = [50, 1, 1, 80, 2, 1]

    for n, size in enumerate(sizes):
        bench.ask(name=str(n), cost={"requests": 1, "tokens": size}, took_s=0.5)
    await bench.clock.advance(100)

    assert [name for name, _ in bench.sent] == ["0", "1", "2", "3", "4", "5"]


async def test_who_comes_later_does_not_slip_past_who_waits() -> None:
    """Even where its own few tokens are there already."""
    bench = Bench(fixed(tokens=600))  # 10 a second; a bucket holds 2.5
    await bench.enter({"tokens": 2.5})
    await bench.clock.advance(0.1)
    bench.ask(name="large", cost={"tokens": 2})
    await settle()

    bench.ask(name="small", cost={"tokens": 0.5})
    await settle()
    assert bench.sent == []
    await bench.clock.advance(1)

    assert [name for name, _ in bench.sent] == ["large", "small"]


async def test_who_is_cancelled_while_waiting_blocks_nobody() -> None:
    bench = Bench(fixed(1))
    slot = await bench.enter()
    first, *_ = bench.ask(3, name="cancelled")
    bench.ask(name="served")
    await settle()

    for task in bench.tasks[:3]:
        task.cancel()
    await settle()
    bench.gate.leave(slot)
    await settle()

    assert first.cancelled()
    assert [name for name, _ in bench.sent] == ["served"]
    assert bench.gate.in_flight == 0
    assert bench.gate.waiting == 0


async def test_who_is_cancelled_in_the_moment_of_the_turn_gives_it_to_the_next() -> None:
    bench = Bench(fixed(1))
    slot = await bench.enter()
    unlucky, _ = bench.ask(2)
    await settle()

    bench.gate.leave(slot)  # lets the first in; it has not run yet
    unlucky.cancel()
    await settle()

    assert unlucky.cancelled()
    assert [name for name, _ in bench.sent] == ["1"]
    assert bench.gate.in_flight == 0


async def test_a_pause_holds_all_who_ask_one_server_and_ends_by_itself() -> None:
    clock = FakeClock()
    pause = Pause(clock)
    here, there = (Bench(fixed(), clock=clock, shared=pause) for _ in range(2))

    pause.set(30, "http 429")
    here.ask(2)
    there.ask(2)
    await clock.advance(29.9)
    assert (here.sent, there.sent) == ([], [])
    assert pause.left_s == pytest.approx(0.1)
    await clock.advance(0.2)

    assert len(here.sent) == len(there.sent) == 2
    assert pause.left_s == 0
    assert clock.calls <= 6


@pytest.mark.parametrize("newest", [5, 50])
async def test_the_newest_word_of_a_pause_counts(newest: float) -> None:
    bench = Bench(fixed())
    bench.gate.pause.set(20, "http 429")
    bench.ask()
    await bench.clock.advance(1)

    bench.gate.pause.set(newest, "http 503")
    began = bench.clock.time()
    await bench.clock.advance(100)

    assert bench.times == [pytest.approx(began + newest)]
    assert bench.gate.pause.why == "http 503"


async def test_a_pause_that_is_prolonged_keeps_the_moment_it_began() -> None:
    """By which is told whether a refusal was on its way before the pause."""
    clock = FakeClock()
    pause = Pause(clock)
    pause.set(10, "x")
    await clock.advance(5)

    pause.set(10, "x")

    assert pause.began == 100
    await clock.advance(10)
    pause.set(10, "x")
    assert pause.began == clock.time()


async def test_after_the_end_everyone_comes_through() -> None:
    """Whatever held them: the ceiling, a rate, a pause."""
    bench = Bench(fixed(1, requests=1))
    await bench.enter()
    bench.gate.pause.set(1000, "x")
    bench.ask(5)
    await settle()
    assert bench.sent == []

    bench.gate.close()
    await settle()
    bench.ask(5)
    await settle()

    assert len(bench.sent) == 10


moves = st.one_of(
    st.just(("enter", 0.0)),
    st.tuples(st.sampled_from(["leave", "cancel"]), st.floats(0, 0.99)),
    st.tuples(st.sampled_from(["advance", "pause"]), st.floats(0, 3)),
)


@settings(max_examples=150, deadline=None)
@given(
    window=st.integers(1, 4),
    per_min=st.sampled_from([None, 60.0, 600.0]),
    script=st.lists(moves, max_size=40),
)
def test_whatever_comes_goes_or_is_cancelled_the_ceiling_holds_and_no_slot_is_lost(
    window: int, per_min: float | None, script: list[tuple[str, float]]
) -> None:
    asyncio.run(_play(fixed(window, **({"requests": per_min} if per_min else {})), script))


async def _play(pace: Pace, script: list[tuple[str, float]]) -> None:
    clock = FakeClock()
    gate = Gate(pace, Pause(clock))
    ends: dict[asyncio.Task[None], asyncio.Event] = {}
    inside: set[int] = set()

    async def one(number: int, end: asyncio.Event) -> None:
        async with gate.slot(ONE):
            inside.add(number)
            try:
                await end.wait()
            finally:
                inside.discard(number)

    for number, (move, amount) in enumerate(script):
        running = [task for task in ends if not task.done()]
        chosen = running[int(amount * len(running))] if running and amount < 1 else None
        if move == "enter":
            end = asyncio.Event()
            ends[asyncio.create_task(one(number, end))] = end
        elif move == "advance":
            await clock.advance(amount)
        elif move == "pause":
            gate.pause.set(amount, "x")
        elif chosen is not None and move == "leave":
            ends[chosen].set()
        elif chosen is not None:
            chosen.cancel()
        if number % 2:  # else several things happen in one turn of the loop
            await settle()
            assert len(inside) == gate.in_flight <= pace.in_flight

    for end in ends.values():
        end.set()
    await clock.advance(1000)
    assert all(task.done() for task in ends)
    assert gate.in_flight == gate.waiting == 0
    assert not inside
