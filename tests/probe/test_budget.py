"""The budget: ceilings hold however many requests are open, and nobody waits for nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.budget import Budget, Ceiling
from tests.probe.clock_for_tests import settle


def budget(
    usd: float | None = None,
    requests: int | None = None,
    *,
    spent_usd: float = 0.0,
    uncertain_usd: float = 0.0,
) -> Budget:
    ceiling = Ceiling(usd=usd, requests=requests)
    return Budget(ceiling=ceiling, usd=spent_usd, uncertain_usd=uncertain_usd)


async def test_what_is_reserved_counts_in_full_until_the_bill_is_known() -> None:
    purse = budget(usd=1.0)
    assert await purse.reserve(0.75)
    waiting = asyncio.create_task(purse.reserve(0.5))
    await settle()
    assert not waiting.done()

    purse.settle(0.75, usd=0.25)

    assert await waiting
    assert (purse.usd, purse.reserved_usd, purse.requests) == (0.25, 0.5, 2)


async def test_where_no_open_attempt_can_leave_room_the_answer_is_no_at_once() -> None:
    purse = budget(usd=1.0, spent_usd=0.75)

    assert not await purse.reserve(0.5)
    assert await purse.reserve(0.125)
    assert not await purse.reserve(0.5)  # even if what is open costs nothing
    assert purse.requests == 1


async def test_who_waits_is_told_no_when_the_last_open_attempt_has_used_it_up() -> None:
    purse = budget(usd=1.0)
    assert await purse.reserve(1.0)
    waiting = [asyncio.create_task(purse.reserve(0.5)) for _ in range(3)]
    await settle()

    purse.settle(1.0, usd=0.75)

    assert [await task for task in waiting] == [False] * 3


async def test_an_attempt_without_a_bill_stays_counted_at_its_worst() -> None:
    purse = budget(usd=1.0)
    assert await purse.reserve(0.75)

    purse.settle(0.75, usd=0.0, uncertain_usd=0.75)

    assert purse.uncertain_usd == 0.75
    assert not await purse.reserve(0.5)
    assert await purse.reserve(0.25)


async def test_an_attempt_that_was_never_sent_costs_nothing_and_counts_for_nothing() -> None:
    purse = budget(usd=1.0, requests=1)
    assert await purse.reserve(1.0)

    purse.release(1.0)

    assert (purse.usd, purse.reserved_usd, purse.requests, purse.open) == (0, 0, 0, 0)
    assert await purse.reserve(1.0)


async def test_no_more_requests_are_sent_than_the_ceiling_says() -> None:
    purse = budget(requests=3)
    for _ in range(3):
        assert await purse.reserve(0.0)
        purse.settle(0.0, usd=0.0)

    assert not await purse.reserve(0.0)


async def test_the_last_request_is_waited_for_where_it_may_never_be_sent() -> None:
    purse = budget(requests=1)
    assert await purse.reserve(0.0)
    waiting = asyncio.create_task(purse.reserve(0.0))
    await settle()
    assert not waiting.done()

    purse.release(0.0)

    assert await waiting
    assert purse.requests == 1


async def test_what_earlier_runs_spent_counts() -> None:
    purse = budget(usd=1.0, spent_usd=0.5, uncertain_usd=0.25)

    assert not await purse.reserve(0.5)
    assert await purse.reserve(0.25)


async def test_without_a_ceiling_nobody_waits() -> None:
    purse = budget()

    assert all([await purse.reserve(1e6) for _ in range(100)])


async def test_thousands_of_tenths_leave_no_dust() -> None:
    """Sums of floats drift; with nothing open, nothing is reserved."""
    purse = budget(usd=1e6)
    for _ in range(1000):
        assert await purse.reserve(0.1)
    for _ in range(1000):
        purse.settle(0.1, usd=0.0)

    assert purse.reserved_usd == 0


@dataclass(slots=True)
class Bill:
    """One attempt of the property below; dollars are quarters, so that sums are exact."""

    most: float
    part: float
    how: str
    after: int


bills = st.builds(
    Bill,
    most=st.integers(0, 20).map(lambda n: n / 4),
    part=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    how=st.sampled_from(["settle", "uncertain", "release"]),
    after=st.integers(0, 5),
)


@settings(max_examples=200, deadline=None)
@given(
    usd=st.none() | st.integers(0, 60).map(lambda n: n / 4),
    requests=st.none() | st.integers(0, 15),
    attempts=st.lists(bills, max_size=25),
)
def test_in_whatever_order_attempts_begin_and_end_no_ceiling_is_passed(
    usd: float | None, requests: int | None, attempts: list[Bill]
) -> None:
    """As long as no bill exceeds its reservation; and everyone gets an answer."""
    asyncio.run(_play(budget(usd=usd, requests=requests), attempts))


async def _play(purse: Budget, attempts: list[Bill]) -> None:
    ceiling, sent = purse.ceiling, 0

    def check() -> None:
        counted = purse.usd + purse.uncertain_usd + purse.reserved_usd
        assert ceiling.usd is None or counted <= ceiling.usd
        assert ceiling.requests is None or purse.requests <= ceiling.requests

    async def one(bill: Bill) -> None:
        nonlocal sent
        if not await purse.reserve(bill.most):
            return
        check()
        for _ in range(bill.after):
            await asyncio.sleep(0)
        if bill.how == "release":
            purse.release(bill.most)
        else:
            sent += 1
            cost = bill.most * bill.part
            certain = bill.how == "settle"
            purse.settle(
                bill.most, usd=cost if certain else 0, uncertain_usd=0 if certain else bill.most
            )
        check()

    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        for bill in attempts:
            tasks.create_task(one(bill))
    assert purse.open == purse.reserved_usd == 0
    assert purse.requests == sent


@pytest.mark.parametrize("most", [0.25, 0.5])
async def test_who_is_cancelled_while_waiting_reserves_nothing(most: float) -> None:
    purse = budget(usd=1.0)
    assert await purse.reserve(1.0)
    waiting = asyncio.create_task(purse.reserve(most))
    await settle()

    waiting.cancel()
    await settle()
    purse.settle(1.0, usd=0.0)

    assert (purse.reserved_usd, purse.open, purse.requests) == (0, 0, 1)
