"""What is shared out adds up to no more than there is: limits, ceilings and cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.budget import Ceiling
from probe.hub.buckets import Leases
from probe.hub.desk import Desk
from probe.hub.members import Ceilings, ModelShares, Use
from probe.hub.shares import Shares, fair, fair_counts
from probe.hub.wire import BucketsReport
from probe.pace import Pace
from probe.record import ToAsk

WHO = st.sampled_from("abc")
MOVES = st.lists(
    st.tuples(st.sampled_from(["tell", "confirm", "drop"]), WHO, st.floats(0, 20)), max_size=60
)


@given(MOVES)
def test_shares_never_add_up_to_more_than_there_is(moves: list[tuple[str, str, float]]) -> None:
    """Whatever is told, however late it is heard: each may still act on what it heard before."""
    shares, heard = Shares(whole=10.0), dict.fromkeys("abc", 0.0)
    told = dict.fromkeys("abc", 0.0)
    for what, who, wanted in moves:
        if what == "tell":
            told[who] = shares.tell(who, wanted)
            heard[who] = max(heard[who], told[who])  # the worst: it keeps to the larger
        elif what == "confirm":
            shares.confirm(who)
            heard[who] = told[who]
        else:
            shares.drop(who)
            told[who] = heard[who] = 0.0
        assert sum(heard.values()) <= 10.0 + 1e-9


@given(st.floats(0, 1000), st.dictionaries(st.text(max_size=3), st.floats(0, 1000), max_size=8))
def test_a_fair_share_leaves_nothing_that_someone_wants(
    whole: float, most: dict[str, float]
) -> None:
    shares = fair(whole, most)

    assert all(0 <= shares[who] <= limit for who, limit in most.items())
    assert sum(shares.values()) == pytest.approx(min(whole, sum(most.values())))
    wanting = [shares[who] for who, limit in most.items() if shares[who] < limit - 1e-9]
    assert not wanting or max(wanting) - min(wanting) < 1e-6
    assert not wanting or max(shares.values()) <= max(wanting) + 1e-6


@given(st.integers(0, 300), st.dictionaries(st.text(max_size=3), st.integers(1, 300), max_size=9))
def test_fair_counts_are_whole_and_used_up(whole: int, most: dict[str, int]) -> None:
    shares = fair_counts(whole, most)

    assert all(0 <= shares[who] <= limit for who, limit in most.items())
    assert sum(shares.values()) == min(whole, sum(most.values()))


def test_a_models_limits_go_to_whoever_asks() -> None:
    """One that joins waits until another has confirmed that it keeps to less."""
    shares = ModelShares(pace=Pace(in_flight=9, window=9))
    assert shares.tell("a", {"a": 9}) == (9, 1.0)
    assert shares.tell("b", {"a": 9, "b": 2}) == (0, 0.0)
    assert shares.tell("a", {"a": 9, "b": 2}) == (7, 0.5)
    assert shares.tell("b", {"a": 9, "b": 2}) == (0, 0.0)
    for share in shares.shares():
        share.confirm("a")
    assert shares.tell("b", {"a": 9, "b": 2}) == (2, 0.5)
    assert shares.tell("c", {"a": 9, "b": 2}) == (0, 0.0)


USES = st.lists(st.tuples(WHO, st.floats(0, 3), st.integers(0, 5), st.booleans()), max_size=40)


@given(USES)
def test_a_ceiling_is_never_passed_by_those_who_keep_to_their_terms(
    moves: list[tuple[str, float, int, bool]],
) -> None:
    """Each uses as much of what it was told as it likes, and reports it."""
    ceilings = Ceilings(ceiling=Ceiling(usd=10.0, requests=20))
    used, sent = dict.fromkeys("abc", 0.0), dict.fromkeys("abc", 0)
    for who, usd, requests, starved in moves:
        use = Use(usd=used[who], wanted_usd=usd, requests=sent[who], starved=int(starved))
        terms = ceilings.terms(who, use)
        ceilings.confirm(who)
        assert terms.usd is not None
        assert terms.requests is not None
        used[who] = min(terms.usd, used[who] + usd)
        sent[who] = min(terms.requests, sent[who] + requests)
        assert sum(used.values()) <= 10.0 + 1e-6
        assert sum(sent.values()) <= 20


def test_the_last_of_a_ceiling_can_be_used_by_one() -> None:
    """What others were told and do not use comes back when they report."""
    ceilings = Ceilings(ceiling=Ceiling(requests=10))
    sent = {"a": 0, "b": 0}
    for _ in range(30):
        for who in "ab":
            use = Use(usd=0.0, wanted_usd=0.0, requests=sent[who], starved=int(who == "b"))
            terms = ceilings.terms(who, use)
            ceilings.confirm(who)
            if who == "b":
                sent[who] = int(terms.requests or 0)

    assert sent == {"a": 0, "b": 10}
    ceilings.terms("b", Use(usd=0.0, wanted_usd=0.0, requests=10, starved=1))
    assert ceilings.all_are_spent()


def test_a_ceiling_is_spent_once_nobody_s_next_request_fits() -> None:
    """Of two who wait for the last of it one gets it, however long that one takes to use it."""
    ceilings = Ceilings(ceiling=Ceiling(usd=5.0))
    assert not ceilings.all_are_spent()
    own = {
        "a": Use(usd=2.6, wanted_usd=0.7, requests=30, starved=4),
        "b": Use(usd=1.3, wanted_usd=0.7, requests=17, starved=4),
    }
    terms = {}
    for _ in range(3):
        for who, use in own.items():
            terms[who] = ceilings.terms(who, use)
            ceilings.confirm(who)
    fits = [who for who, use in own.items() if use.usd + 0.7 <= float(terms[who].usd or 0)]
    assert len(fits) == 1
    assert not ceilings.all_are_spent()

    own[fits[0]] = replace(own[fits[0]], usd=own[fits[0]].usd + 0.6)
    for who, use in [*own.items(), *own.items()]:
        ceilings.terms(who, use)
        ceilings.confirm(who)
    assert ceilings.all_are_spent()


def test_nobody_gets_the_last_of_a_ceiling_while_workers_of_before_are_away() -> None:
    """What they were told before the restart, they may still use: as much as half of the rest."""
    ceilings = Ceilings(ceiling=Ceiling(usd=10.0, requests=10))
    use = Use(usd=2.0, wanted_usd=8.0, requests=2, starved=1)

    alone = ceilings.terms("a", use, awaited=1)
    assert alone == Ceiling(usd=4.0, requests=4)
    ceilings.confirm("a")
    assert ceilings.terms("a", use) == Ceiling(usd=10.0, requests=6)


@dataclass
class Source:
    """Cells in a row, three samples a prompt."""

    left: list[ToAsk]
    samples: int = 3

    @property
    def exhausted(self) -> bool:
        return not self.left

    async def now(self, most: int) -> list[ToAsk]:
        given_out, self.left = self.left[:most], self.left[most:]
        return given_out


def cell(number: int) -> ToAsk:
    return ToAsk(number, f"k{number}", number % 3, f"p{number // 3}", "text", None, "task")


def desk_of(count: int, room: Callable[[], int] = lambda: 100) -> Desk:
    source = Source([cell(number) for number in range(count)])
    return Desk(cells=source, room_here=room)  # type: ignore[arg-type]


def keys(cells: list[ToAsk]) -> list[str]:
    return [each.key for each in cells]


async def test_what_comes_back_goes_first_and_by_whole_requests() -> None:
    desk = desk_of(9)
    assert keys(await desk.claim("a", 6)) == ["k0", "k1", "k2", "k3", "k4", "k5"]
    assert desk.settle("k1") == "a"
    assert desk.release("a") == 5
    assert keys(await desk.claim("b", 1)) == ["k0", "k2"]
    assert keys(await desk.take(2)) == ["k3", "k4", "k5"]
    assert keys(await desk.claim("b", 9)) == ["k6", "k7", "k8"]
    assert not desk.finished
    assert [desk.settle(key) for key in ("k0", "k2", "k6", "k7", "k8")] == ["b"] * 5
    assert desk.settle("k0") is None
    assert desk.finished


async def test_what_a_worker_says_it_holds_is_not_given_out() -> None:
    """Nor once it is settled, though it was read from the store before; others' is refused it."""
    desk = desk_of(6)
    assert desk.restore("a", [cell(1), cell(2)]) == []
    assert desk.restore("b", [cell(2), cell(4)]) == ["k2"]
    assert desk.settle("k1") == "a"
    assert keys(await desk.claim("c", 9)) == ["k0", "k3", "k5"]
    assert desk.release("b", ["k4", "k0"]) == 1, "k0 is c's"
    assert keys(await desk.claim("c", 9)) == ["k4"]


async def test_nothing_is_given_out_while_workers_of_before_may_come_back() -> None:
    desk = desk_of(3)
    desk.shut = True
    assert await desk.claim("a", 3) == []
    desk.shut = False
    assert len(await desk.claim("a", 3)) == 3


@dataclass
class Hands:
    """A clock that is moved by hand."""

    now: float = 0.0
    called: list[object] = field(default_factory=list)

    def time(self) -> float:
        return self.now


def test_buckets_are_leased_renewed_done_and_freed() -> None:
    clock = Hands()
    leases = Leases(clock=clock, lease_s=10)  # type: ignore[arg-type]

    def says(worker: str, take: list[int], done: list[int] | None = None) -> list[int]:
        report = BucketsReport(
            worker=worker, encoder_id="e", wanted="w", take=take, done=done or []
        )
        return leases.report(report).held

    assert says("a", [1, 2]) == [1, 2]
    assert says("b", [2, 3]) == [3]
    clock.now = 8
    assert says("a", [1, 2]) == [1, 2], "renewed"
    clock.now = 12
    assert says("b", [2]) == []
    assert says("a", [1], done=[2]) == [1]
    assert says("b", [2, 3]) == [3], "2 is done"
    clock.now = 40
    assert says("b", [1]) == [1], "a was not heard of for too long"
    assert says("a", [], done=[1]) == []
    assert says("c", [1]) == [], "late: it is b's"
