"""Gate, buckets and retry rules, on a clock of the test's own."""

from __future__ import annotations

import asyncio

import pytest

from probe.gate import Bucket, Gate
from probe.pace import Pace
from probe.providers.openai_chat import retry_after
from probe.retry import REFUSED, Trouble, Verdict, exhausted, verdict


class Clock:
    """A clock that moves only when something sleeps on it."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def now(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


def test_a_bucket_hands_out_its_rate_and_no_more() -> None:
    """120 a minute is 2 at once, then one every half second."""
    clock = Clock()
    bucket = Bucket(per_min=120, burst=2, now=clock.now)

    waits = [bucket.reserve(1) for _ in range(5)]

    assert waits == pytest.approx([0, 0, 0.5, 1.0, 1.5])


def test_a_bucket_fills_while_nobody_takes_but_never_over_its_burst() -> None:
    clock = Clock()
    bucket = Bucket(per_min=60, burst=1, now=clock.now)
    bucket.reserve(1)
    clock.now_s += 3600

    waits = [bucket.reserve(1) for _ in range(3)]

    assert waits == pytest.approx([0, 1, 2])


async def test_requests_a_minute_are_kept_over_a_minute() -> None:
    """One worker that never waits elsewhere sends 30 a minute, after the first."""
    clock = Clock()
    gate = Gate(Pace(in_flight=1, requests_per_min=30), now=clock.now, sleep=clock.sleep)
    sent: list[float] = []

    for _ in range(31):
        async with gate.slot(tokens=10):
            sent.append(clock.now())

    assert sent[-1] - sent[0] == pytest.approx(60)


async def test_tokens_a_minute_are_kept_over_a_minute() -> None:
    clock = Clock()
    gate = Gate(Pace(in_flight=1, tokens_per_min=6000), now=clock.now, sleep=clock.sleep)
    sent: list[float] = []

    for _ in range(31):
        async with gate.slot(tokens=200):
            sent.append(clock.now())

    assert sent[-1] - sent[0] == pytest.approx(60, abs=1.1)  # one second's worth may go first


async def test_no_more_are_open_than_allowed_and_a_slot_comes_back_after_an_error() -> None:
    gate = Gate(Pace(in_flight=2), now=Clock().now)
    most = 0

    async def one(*, fails: bool) -> None:
        nonlocal most
        async with gate.slot(tokens=1):
            most = max(most, gate.in_flight)
            await asyncio.sleep(0)
            if fails:
                raise ValueError("on purpose")

    for fails in (True, False):
        results = [asyncio.create_task(one(fails=fails)) for _ in range(6)]
        await asyncio.wait(results)
        for result in results:
            result.exception()

    assert most == 2
    assert gate.in_flight == 0


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (None, "reset", Verdict.AGAIN),
        (408, "", Verdict.AGAIN),
        (409, "", Verdict.AGAIN),
        (429, "slow down", Verdict.AGAIN),
        (429, "You exceeded your current quota, check your plan", Verdict.STOP),
        (500, "", Verdict.AGAIN),
        (529, "overloaded", Verdict.AGAIN),
        (400, "context length", Verdict.GIVE_UP),
        (413, "", Verdict.GIVE_UP),
        (422, "", Verdict.GIVE_UP),
        (401, "", Verdict.STOP),
        (403, "", Verdict.STOP),
        (404, "", Verdict.STOP),
    ],
)
def test_what_follows_from_a_trouble(status: int | None, message: str, expected: Verdict) -> None:
    assert verdict(Trouble(kind="x", message=message, status=status)) is expected


def test_a_connection_that_stays_refused_stops_the_model_other_troubles_the_cell() -> None:
    assert exhausted(Trouble(kind=REFUSED, message="")) is Verdict.STOP
    assert exhausted(Trouble(kind="timeout", message="")) is Verdict.GIVE_UP


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
    ],
)
def test_the_wait_a_server_asks_for(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after(headers) == expected
