"""What a run may use: requests, dollars, memory; and what one request may bring."""

from __future__ import annotations

import gc
import json
import random
from collections import Counter
from pathlib import Path

import pytest
from aiohttp import web

from probe.budget import Ceiling
from probe.plan import BLOCK_ITEMS, Model
from probe.providers import Answered, OpenAIChat, Reply
from probe.retry import Trouble
from probe.work import Job
from prompts.tasks.base import Asks
from store.journal import Journal, Position
from store.rows import Event, ReplyRow
from tests.probe.experiments_for_tests import CELLS, probe, write_experiment
from tests.probe.fake_endpoint import (
    FakeEndpoint,
    completion,
    refusal_of,
    reply_to,
    serving,
    started,
)
from tests.probe.runs import conduct, count, query
from tests.probe.simulated import endpoint as simulated_endpoint

LIMITED = "params = { max_tokens = 100 }\n"


def priced(input_usd: float, output_usd: float) -> str:
    """A price, in US dollars for a million tokens."""
    return f"price = {{ input_usd_per_m = {input_usd}, output_usd_per_m = {output_usd} }}\n"


def test_a_ceiling_of_requests_is_never_passed_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    """What a run that was cut short has asked is balanced over the conditions, but for a block.

    A ceiling that is just enough is none that was in the way.
    """
    store, most = tmp_path / "store", 50
    endpoint = FakeEndpoint(latency_s=0.01)
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra="max_in_flight = 32", a_work=8)
        first = probe("run", experiment, "--store", store, "--max-requests", most)
        sent = endpoint.asked.total()
        answered = query(
            store,
            """SELECT c.ordinal, p.names, p.prompt FROM cells AS c
               JOIN prompts AS p USING (prompt_hash) JOIN replies USING (key)""",
        )
        again = probe("run", experiment, "--store", store, "--max-requests", most)
        sent_again = endpoint.asked.total()
        higher = probe("run", experiment, "--store", store, "--max-requests", 96)

    assert (first.returncode, again.returncode, higher.returncode) == (3, 3, 0)
    assert sent == sent_again == most
    assert "ceiling reached; raise --max-usd or --max-requests to go on" in first.stderr
    assert f"asked 0, already held {most}" in again.stderr
    assert f"asked {96 - most}, already held {most}" in higher.stderr
    assert set(endpoint.asked.values()) == {1}
    assert sorted(int(str(ordinal)) for ordinal, *_ in answered) == list(range(most))
    balance = Counter((names, prompt) for _, names, prompt in answered)
    assert len(balance) == 4
    assert max(balance.values()) - min(balance.values()) <= BLOCK_ITEMS


def test_a_ceiling_of_dollars_is_never_passed_and_nearly_reached(tmp_path: Path) -> None:
    """By the server's own usage, with 64 requests open and replies of any length."""
    rng = random.Random(5)
    bills: list[float] = []

    def scripted(_: int, prompt: str) -> web.Response:
        usage = (len(prompt) // 3, rng.randint(1, 100))
        bills.append((usage[0] * 10 + usage[1] * 100) / 1e6)
        return completion(reply_to(prompt), usage=usage)

    most = 0.5
    endpoint = FakeEndpoint(scripted, latency_s=0.02)
    with serving(endpoint) as url:
        extra = LIMITED + priced(10, 100) + "max_in_flight = 64"
        experiment = write_experiment(tmp_path, url, extra=extra, a_work=20)
        first = probe("run", experiment, "--store", tmp_path / "store", "--max-usd", most)
        again = probe("run", experiment, "--store", tmp_path / "store", "--max-usd", most)

    reserved = max(len(each.body) for each in endpoint.heard) * 10 / 1e6 + 100 * 100 / 1e6
    assert (first.returncode, again.returncode) == (3, 3)
    assert most - reserved < sum(bills) <= most
    assert "asked 0, already held" in again.stderr
    assert count(tmp_path / "store", "SELECT count(*) FROM replies") == len(bills) < 240
    spent = query(tmp_path / "store", "SELECT sum(usd), sum(usd_at_most) FROM attempts")[0]
    assert float(str(spent[0])) == pytest.approx(sum(bills))
    assert spent[1] is None


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (LIMITED, "model fake has no price, so --max-usd cannot be held; give it one"),
        (priced(1, 1), "model fake has no limit on the length of its replies, so --max-usd"),
    ],
    ids=["no price", "no limit"],
)
def test_a_ceiling_of_dollars_that_could_not_be_held_is_refused(
    tmp_path: Path, extra: str, said: str
) -> None:
    endpoint = FakeEndpoint()
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=extra)
        ran = probe("run", experiment, "--store", tmp_path / "store", "--max-usd", 1)

    assert ran.returncode == 2
    assert ran.stderr.startswith(f"probe: {said}")
    assert ran.stderr.count("\n") == 1
    assert endpoint.asked.total() == 0


async def test_attempts_that_broke_half_way_count_at_their_worst_case(tmp_path: Path) -> None:
    """In this run and in the next: their bill will never be known."""
    extra = LIMITED + priced(0, 1_000) + "attempts = 1\nmax_in_flight = 3"
    each_usd = 0.1
    ceiling = Ceiling(usd=5.5 * each_usd)
    async with simulated_endpoint(rate_truncated=1) as host:
        experiment = write_experiment(tmp_path, host.url, extra=extra)
        ended = await conduct(experiment, tmp_path / "store", ceiling=ceiling)
        again = await conduct(experiment, tmp_path / "store", ceiling=ceiling)
        stats = await host.stats()

    assert (ended.asked, ended.failed, ended.how) == (0, 5, "spent")
    assert (again.asked, again.failed, again.how) == (0, 0, "spent")
    assert stats["by_fault"] == {"truncated": 5}
    found = "SELECT DISTINCT error_kind, usd, usd_at_most FROM attempts"
    assert query(tmp_path / "store", found) == [("truncated body", None, each_usd)]


SAMPLES = """[conditions]
names = ["original", "cross_culture"]
prompts = ["baseline", "gist"]
samples = 4
"""
TWO = "params = { n = 2, temperature = 1.0 }\n"


async def test_one_request_brings_several_samples_each_a_cell_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half as many requests; the replies of one are written together or not at all."""
    writes: list[int] = []
    append = Journal.append

    def noted(journal: Journal, *events: Event) -> Position:
        writes.append(sum(isinstance(event, ReplyRow) for event in events))
        return append(journal, *events)

    monkeypatch.setattr(Journal, "append", noted)
    endpoint = FakeEndpoint(lambda times, p: completion(f"{times} a {p}", f"{times} b {p}"))
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=TWO, tail=SAMPLES)
        ended = await conduct(experiment, tmp_path / "store")

    assert ended.asked == 4 * CELLS
    assert endpoint.asked.total() == 2 * CELLS
    assert {each.asks["n"] for each in endpoint.heard} == {2}
    assert {size for size in writes if size} == {2}
    rows = query(tmp_path / "store", "SELECT prompt_text, list(reply) FROM results GROUP BY ALL")
    assert len(rows) == CELLS
    for text, replies in rows:
        assert isinstance(replies, list)
        assert sorted(replies) == [f"{times} {which} {text}" for times in "01" for which in "ab"]


async def test_a_choice_that_is_missing_is_a_failure_and_asked_again_next_time(
    tmp_path: Path,
) -> None:
    endpoint = FakeEndpoint(lambda _times, _prompt: completion("only one"))
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=TWO, tail=SAMPLES)
        ended = await conduct(experiment, tmp_path / "store")
        failures = query(tmp_path / "store", "SELECT DISTINCT kind, permanent FROM failures")
        endpoint.scripted = lambda _times, _prompt: completion("first", "second")
        again = await conduct(experiment, tmp_path / "store")

    assert (ended.asked, ended.failed) == (2 * CELLS, 2 * CELLS)
    assert failures == [("missing choice", False)]
    assert (again.held, again.asked, again.failed) == (2 * CELLS, 2 * CELLS, 0)
    assert endpoint.asked.total() == 4 * CELLS
    assert query(
        tmp_path / "store", "SELECT text, count(*) FROM replies GROUP BY ALL ORDER BY ALL"
    ) == [("only one", 2 * CELLS), ("second", 2 * CELLS)]


async def test_a_filter_that_answers_400_filters_every_sample_of_its_request(
    tmp_path: Path,
) -> None:
    """It is of the prompt, so no sample is missing and none is asked again."""
    endpoint = FakeEndpoint(lambda _times, _prompt: refusal_of(400, "no", code="content_filter"))
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=TWO, tail=SAMPLES)
        ended = await conduct(experiment, tmp_path / "store")

    assert (ended.asked, ended.failed) == (4 * CELLS, 0)
    assert query(tmp_path / "store", "SELECT DISTINCT outcome FROM replies") == [("filtered",)]


class Counting(OpenAIChat):
    """Answers in this process, and now and then counts the jobs that are alive.

    Attributes:
        fails_first: Whether the first attempt at every prompt fails.
        alive: Jobs at each count.
    """

    def __init__(self, model: Model, *, fails_first: bool) -> None:
        super().__init__(model.spec, model.spec.base_url or "")
        self.fails_first = fails_first
        self.alive: list[int] = []
        self.seen: set[int] = set()
        self._asked = 0

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        del asks
        self._asked += 1
        if self._asked % 200 == 0:
            self.alive.append(sum(type(each) is Job for each in gc.get_objects()))
        if self.fails_first and hash(body) not in self.seen:
            self.seen.add(hash(body))
            return Answered(Trouble(kind="http 500", message="no", status=500, retry_after_s=0.02))
        said = {"choices": [{"message": {"content": "Emma"}, "finish_reason": "stop"}]}
        return Answered(
            Reply(
                outcome="ok",
                text="Emma",
                finish_reason="stop",
                served_model=None,
                fingerprint=None,
                prompt_tokens=1,
                reply_tokens=1,
                raw=json.dumps(said),
            )
        )


@pytest.mark.parametrize("fails_first", [False, True])
async def test_jobs_in_memory_do_not_grow_with_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fails_first: bool
) -> None:
    """Also where every cell fails once and waits."""
    page, waiting, in_flight, cells = 256, 256, 16, 12 * 200
    monkeypatch.setattr("probe.feed.PAGE", page)
    extra = f"max_in_flight = {in_flight}"
    experiment = write_experiment(tmp_path, "http://127.0.0.1:9/v1", extra=extra, a_work=200)
    providers: list[Counting] = []

    def counting(model: Model, _: Path) -> Counting:
        providers.append(Counting(model, fails_first=fails_first))
        return providers[-1]

    ended = await conduct(experiment, tmp_path / "store", make_provider=counting)

    assert (ended.asked, ended.failed) == (cells, 0)
    assert len(providers[0].alive) >= cells // 200
    # A page beyond those that wait to be begun; those that wait for another try; those being asked.
    assert max(providers[0].alive) <= page + 2 * waiting + 2 * in_flight < cells // 2
