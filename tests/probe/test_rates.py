"""Rates: told, learned, settled with real use; and the ceiling that adapts where none is known."""

from __future__ import annotations

import random
from bisect import bisect_right
from itertools import pairwise

import pytest

from probe.limits import Kind, Observed
from probe.pace import Pace
from tests.probe.gate_for_tests import Bench, fixed


def most_in_a_minute(times: list[float]) -> int:
    return max(bisect_right(times, at + 60 - 1e-6) - n for n, at in enumerate(times))


@pytest.mark.parametrize("per_min", [30, 600, 3000])
async def test_requests_a_minute_are_kept_over_every_minute(per_min: int) -> None:
    """None of the limit is given away either, where requests always wait."""
    bench = Bench(fixed(requests=per_min))

    bench.ask(3 * per_min)
    await bench.clock.advance(120)
    await bench.end()

    assert most_in_a_minute(bench.times) <= per_min * 1.01 + 1
    assert len(bench.sent) == pytest.approx(2 * per_min, rel=0.01, abs=1)


async def test_an_idle_gate_saves_up_no_more_than_a_quarter_of_a_second() -> None:
    bench = Bench(fixed(requests=600))
    await bench.clock.advance(3600)

    bench.ask(100)
    await bench.clock.advance(0)
    await bench.end()

    assert len(bench.sent) <= 3


@pytest.mark.parametrize("estimate", [10, 100, 1000])
async def test_the_real_use_of_tokens_is_kept_whatever_was_estimated(estimate: float) -> None:
    """A bucket is settled with what the server counted; only what is open can be misjudged."""
    bench = Bench(fixed(tokens=6000))
    cost: dict[Kind, float] = {"requests": 1, "tokens": estimate}

    bench.ask(700, cost=cost, took_s=1, used={"tokens": 100})
    await bench.clock.advance(600)
    await bench.end()

    assert len(bench.sent) * 100 == pytest.approx(60_000, rel=0.03)


async def test_a_request_larger_than_a_bucket_goes_once_it_is_full_and_is_paid_for() -> None:
    """It would wait for ever otherwise; the next waits until it is made good."""
    bench = Bench(fixed(tokens=600))  # 10 a second; a bucket holds 2.5

    bench.ask(3, cost={"tokens": 100})
    await bench.clock.advance(60)

    waits = [after - before for before, after in pairwise(bench.times)]
    assert waits == pytest.approx([10, 10], rel=0.01)


async def test_all_limits_hold_together() -> None:
    bench = Bench(fixed(requests=600, input_tokens=6000, output_tokens=600))
    cost: dict[Kind, float] = {"requests": 1, "input_tokens": 10, "output_tokens": 10}

    bench.ask(200, cost=cost)
    await bench.clock.advance(60)
    await bench.end()

    assert len(bench.sent) == pytest.approx(60, abs=1)  # by reply tokens, the tightest


async def test_the_servers_count_is_followed_downwards() -> None:
    """Somebody else uses the same limit."""
    bench = Bench(fixed(tokens=60_000))  # 1000 a second
    cost: dict[Kind, float] = {"tokens": 100}
    slot = await bench.enter(cost)
    bench.ask(cost=cost)
    await bench.clock.advance(0)
    assert len(bench.sent) == 1

    slot.observe([Observed("tokens", 60_000, remaining=0.0)])
    bench.ask(cost=cost)
    await bench.clock.advance(0.19)
    assert len(bench.sent) == 1
    await bench.clock.advance(0.02)

    assert len(bench.sent) == 2  # its own hundred, and the one that went after the server's count


async def test_the_servers_count_is_not_followed_upwards() -> None:
    """A minute's worth at once is what servers refuse."""
    bench = Bench(fixed(requests=60))
    slot = await bench.enter()

    slot.observe([Observed("requests", 60, remaining=59)])
    bench.ask(2)
    await bench.clock.advance(0.9)
    assert bench.sent == []
    await bench.clock.advance(0.2)

    assert len(bench.sent) == 1
    await bench.end()


async def test_a_limit_that_is_not_told_is_learned_and_kept() -> None:
    bench = Bench(Pace(in_flight=256, window=16))
    slot = await bench.enter()

    slot.observe([Observed("requests", 60, remaining=None)])
    bench.gate.leave(slot)
    bench.ask(200)
    await bench.clock.advance(60)
    await bench.end()

    assert most_in_a_minute(bench.times) == pytest.approx(60, abs=1)


@pytest.mark.parametrize(
    ("seen", "kept"), [([600.0], 60.0), ([30.0], 30.0), ([30.0, 600.0], 60.0), ([30.0, 45.0], 45.0)]
)
async def test_a_told_limit_is_never_exceeded_but_lowered_where_the_server_has_less(
    seen: list[float], kept: float
) -> None:
    bench = Bench(fixed(requests=60))
    slot = await bench.enter()

    for per_min in seen:
        slot.observe([Observed("requests", per_min, remaining=None)])
    bench.ask(200)
    await bench.clock.advance(60)
    await bench.end()

    assert len(bench.sent) == pytest.approx(kept, abs=1)


def adaptive(window: int = 16, in_flight: int = 256) -> Pace:
    return Pace(in_flight=in_flight, window=window)


async def test_refusals_of_the_first_round_trip_halve_the_ceiling_once() -> None:
    bench = Bench(adaptive())
    slots = [await bench.enter() for _ in range(4)]
    await bench.clock.advance(1)

    for slot in slots:
        bench.gate.refused(slot)

    assert bench.gate.window == 8


async def test_later_refusals_lower_the_ceiling_once_a_round_trip_by_half_their_share() -> None:
    """All of a round refused: by half, in the end; one in ten: by a twentieth."""
    windows = {}
    for every in (1, 10):
        bench = Bench(adaptive(window=64, in_flight=65))
        gate = bench.gate
        for _ in range(40):
            gate.window = 64.0
            await bench.clock.advance(0.1)
            slots = [await bench.enter() for _ in range(20)]
            await bench.clock.advance(1)
            for place, slot in enumerate(slots):
                if place % every == 0:
                    gate.refused(slot)
                else:
                    gate.succeeded(slot)
                gate.leave(slot)
        windows[every] = gate.window

    assert windows[1] == pytest.approx(32, rel=0.05)
    assert windows[10] == pytest.approx(64 * 0.95, rel=0.05)


async def test_refusals_at_random_do_not_bring_the_ceiling_down_to_one() -> None:
    """One in ten, whatever is asked: a host that is merely flaky is still asked side by side."""
    rng, bench = random.Random(5), Bench(adaptive())
    gate = bench.gate
    lowest = 256.0
    for lap in range(300):
        await bench.clock.advance(0.1)
        slots = [await bench.enter() for _ in range(int(gate.window))]
        await bench.clock.advance(1)
        for slot in slots:
            if rng.random() < 0.1:
                gate.refused(slot)
            else:
                gate.succeeded(slot)
        for slot in slots:
            gate.leave(slot)
        lowest = min(lowest, gate.window) if lap > 50 else lowest

    assert lowest > 8


async def test_the_ceiling_never_falls_under_one() -> None:
    bench = Bench(adaptive(2))

    for _ in range(5):
        await bench.clock.advance(1)
        slot = await bench.enter()
        bench.gate.refused(slot)
        bench.gate.leave(slot)

    assert bench.gate.window == 1


async def test_a_ceiling_that_is_told_stays() -> None:
    bench = Bench(fixed(4))
    slot = await bench.enter()
    await bench.clock.advance(1)

    bench.gate.refused(slot)

    assert bench.gate.window == 4


async def test_while_all_is_well_the_ceiling_doubles_every_round_up_to_the_most() -> None:
    bench = Bench(adaptive(4, 64))

    bench.ask(500, took_s=1)
    opened = []
    for _ in range(6):
        await bench.clock.advance(0.5)
        opened.append(bench.gate.in_flight)
        await bench.clock.advance(0.5)
    await bench.end()

    assert opened == [4, 8, 16, 32, 64, 64]


async def test_after_a_refusal_the_ceiling_grows_by_one_a_round() -> None:
    bench = Bench(adaptive(16, 256))
    refused = await bench.enter()
    bench.gate.refused(refused)
    bench.gate.leave(refused)
    assert bench.gate.window == 8

    bench.ask(500, took_s=1)
    opened = []
    for _ in range(4):
        await bench.clock.advance(0.5)
        opened.append(bench.gate.in_flight)
        await bench.clock.advance(0.5)
    await bench.end()

    assert opened[0] == 8
    assert all(0 <= after - before <= 1 for before, after in pairwise(opened))
    assert 10 <= opened[-1] <= 11


async def test_the_ceiling_does_not_grow_beyond_what_is_used() -> None:
    bench = Bench(adaptive(16))

    for _ in range(50):
        bench.ask(2, took_s=1)
        await bench.clock.advance(1.1)

    assert bench.gate.window == 16


async def test_the_ceiling_does_not_grow_while_replies_take_far_longer_than_they_did() -> None:
    """The server queues what it is sent: more at once would bring nothing more."""
    bench = Bench(adaptive(4, 256))
    bench.ask(20, took_s=0.2)
    await bench.clock.advance(5)
    bench.ask(400, took_s=2)
    await bench.clock.advance(4)
    before = bench.gate.window

    await bench.clock.advance(20)
    after, waiting = bench.gate.window, bench.gate.waiting
    await bench.end()

    assert waiting
    assert after < before + 2


async def test_latencies_that_differ_by_a_multiple_do_not_keep_the_ceiling_down() -> None:
    """As they do at any host: the mean is what counts, not the fastest reply ever."""
    rng, bench = random.Random(1), Bench(adaptive(4, 256))
    for _ in range(60):
        for _ in range(10):
            bench.ask(1, took_s=rng.uniform(0.3, 1.5))
        await bench.clock.advance(0.2)
    await bench.end()

    assert bench.gate.window > 30


async def test_where_a_rate_is_known_it_holds_the_pace_and_a_refusal_slows_it_a_little() -> None:
    bench = Bench(Pace(in_flight=256, window=16, per_min={"requests": 600}))
    slot = await bench.enter()
    bench.gate.succeeded(slot)
    assert bench.gate.window == 256

    bench.gate.refused(await bench.enter())
    slowed = bench.gate.buckets["requests"].per_s
    for _ in range(25):
        bench.gate.succeeded(slot)

    assert slowed == pytest.approx(9.5)
    assert bench.gate.buckets["requests"].per_s == pytest.approx(10)
    assert bench.gate.window == 256
