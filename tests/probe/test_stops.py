"""What stops a model, what only holds it up, and how the waits are shared."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web

from probe.plan import Model
from probe.providers import Answered, OpenAIChat
from prompts.tasks.base import Asks
from tests.probe.experiments_for_tests import CELLS, model_table, probe, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, Scripted, refusal_of, serving, started
from tests.probe.runs import conduct, query, run_scripted
from tests.probe.simulated import endpoint as simulated_endpoint

CREDIT, KEY, MODEL = "add credit or raise", "check the key in $STOPS_KEY", "check `model` and"
STOPS = {
    "wrong_key": (401, "Incorrect API key provided", "invalid_api_key", KEY),
    "forbidden": (403, "This key may not use the model", "", KEY),
    "no_quota": (429, "You exceeded your current quota", "insufficient_quota", CREDIT),
    "no_payment": (402, "Payment required", "", CREDIT),
    "low_credit": (400, "Your credit balance is too low", "", CREDIT),
    "unknown": (404, "The model `x` does not exist", "", MODEL),
    "unknown_400": (400, "invalid model", "model_not_found", MODEL),
}
"""By model: status, message and code of the error that it always gets, and the fix to be named."""


def always(respond: Callable[[], web.Response]) -> Scripted:
    return lambda _times, _prompt: respond()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_each_error_that_stops_a_model_is_one_line_and_costs_the_others_nothing(
    tmp_path: Path,
) -> None:
    """Models that cannot be asked beside one that can; once mended, only they are asked."""
    store, nowhere = tmp_path / "store", f"http://127.0.0.1:{free_port()}/v1"
    endpoint = FakeEndpoint(
        by_model={
            name: always(partial(refusal_of, status, message, code))
            for name, (status, message, code, _) in STOPS.items()
        }
    )
    expected = {name: (message, fix) for name, (_, message, _, fix) in STOPS.items()}
    expected["no_key"] = ("$STOPS_OTHER is not set", "export STOPS_OTHER=")
    expected["gone"] = (f"cannot connect to {nowhere}", "start the server or check `base_url`")
    with serving(endpoint) as url:
        extra = 'api_key_env = "STOPS_KEY"\nmax_in_flight = 2'
        tables = [model_table(name, url, extra) for name in STOPS]
        tables.append(model_table("no_key", url, 'api_key_env = "STOPS_OTHER"'))
        tables.append(model_table("gone", nowhere, 'endpoint = "it moves"\nattempts = 2'))
        experiment = write_experiment(tmp_path, url, extra="".join(tables))
        words = ("run", experiment, "--store", store)
        first = probe(*words, STOPS_KEY="sk-one")
        asked = {name: endpoint.asked_of(name) for name in STOPS}
        counts = query(store, "SELECT DISTINCT model = 'fake', replies, pending FROM progress")
        endpoint.by_model = {}
        experiment.write_text(experiment.read_text().replace(nowhere, url))
        second = probe(*words, STOPS_KEY="sk-one", STOPS_OTHER="sk-two")

    said = [line for line in first.stderr.splitlines() if line.startswith("probe: ")]
    assert first.returncode == 1
    assert "Traceback" not in first.stderr
    assert len(said) == len(expected), first.stderr
    for name, (found, fix) in expected.items():
        lines = [line for line in said if line.startswith(f"probe: model {name}: ")]
        assert len(lines) == 1
        assert found in lines[0]
        assert fix in lines[0]
    assert sorted(counts) == [(False, 0, CELLS), (True, CELLS, 0)]
    assert max(asked.values()) <= 2  # those in flight
    assert second.returncode == 0, second.stderr
    assert f"asked {CELLS * len(expected)}, already held {CELLS}" in second.stderr
    assert endpoint.asked_of("fake") == CELLS


async def test_refusals_for_load_use_up_no_try(tmp_path: Path) -> None:
    """One try a cell, and a server that refuses five times before it answers."""

    def scripted(times: int, _: str) -> web.Response | None:
        return refusal_of(429, "slow down", **{"retry-after-ms": "1"}) if times < 5 else None

    ended, endpoint = await run_scripted(tmp_path, scripted, extra="attempts = 1")

    assert (ended.asked, ended.failed) == (CELLS, 0)
    assert set(endpoint.asked.values()) == {6}
    assert query(tmp_path / "store", "SELECT DISTINCT attempts FROM replies") == [(6,)]


@pytest.mark.parametrize(
    ("wait_ms", "patience_s", "least_s"),
    [(40, 0.4, 0.4), (60_000, 20, 0.0)],
    ids=["refuses on and on", "asks for a longer wait"],
)
async def test_patience_with_a_server_that_only_refuses_has_an_end(
    tmp_path: Path, wait_ms: int, patience_s: float, least_s: float
) -> None:
    """The cells stay to be asked; a wait beyond all patience is not begun."""
    began = time.monotonic()
    refuse = always(lambda: refusal_of(503, "overloaded", **{"retry-after-ms": str(wait_ms)}))
    extra = f"max_in_flight = 2\npatience_s = {patience_s}"

    ended, endpoint = await run_scripted(tmp_path, refuse, extra=extra)

    took_s = time.monotonic() - began
    assert (ended.asked, ended.failed, ended.how, len(ended.down)) == (0, 0, "stopped", 1)
    assert "http 503: overloaded" in str(ended.down[0])
    assert least_s <= took_s < 10
    assert endpoint.asked.total() >= 2
    if not least_s:
        assert endpoint.asked.total() == 2
    assert query(tmp_path / "store", "SELECT DISTINCT outcome FROM results") == [("pending",)]


async def test_a_pause_holds_all_who_ask_a_server_and_nobody_else(tmp_path: Path) -> None:
    """Two models of one server, one of them told to wait; a third asks another server."""
    pause_s, latency_s = 1.0, 0.03
    refused_at: list[float] = []

    def scripted(_times: int, _prompt: str) -> web.Response | None:
        if not refused_at and len(shared.heard) > 8:
            refused_at.append(time.monotonic())
            return refusal_of(429, "slow down", **{"Retry-After": str(int(pause_s))})
        return None

    shared, other = FakeEndpoint(scripted, latency_s=latency_s), FakeEndpoint(latency_s=latency_s)
    async with started(shared) as url, started(other) as other_url:
        slow = "max_in_flight = 2"
        more = slow + model_table("second", url, slow) + model_table("third", other_url, slow)
        experiment = write_experiment(tmp_path, url, extra=more)
        ended = await conduct(experiment, tmp_path / "store")

    def during(endpoint: FakeEndpoint) -> int:
        end = refused_at[0] + pause_s
        return sum(refused_at[0] < each.at < end for each in endpoint.heard)

    assert ended.asked == 3 * CELLS
    assert during(shared) <= 3  # on their way already
    assert during(other) > 6


async def test_a_cell_that_waits_for_its_next_try_holds_no_slot(tmp_path: Path) -> None:
    """One request at a time: while the first prompt waits, all others are answered."""
    endpoint = FakeEndpoint()

    def scripted(times: int, prompt: str) -> web.Response | None:
        if prompt == endpoint.heard[0].prompt and times < 2:
            return refusal_of(500, "no", **{"retry-after-ms": "600"})
        return None

    endpoint.scripted = scripted
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra="max_in_flight = 1")
        ended = await conduct(experiment, tmp_path / "store")

    order = [each.prompt for each in endpoint.heard]
    assert ended.asked == CELLS
    assert endpoint.most_open == 1
    assert order.count(order[0]) == 3
    assert order[-2:] == [order[0]] * 2  # its tries came when all others were done


async def test_a_slow_model_never_holds_a_fast_one(tmp_path: Path) -> None:
    """In one run: the fast one is done while the slow one has hardly begun."""
    finished: dict[str, float] = {}

    class Timed(OpenAIChat):
        async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
            answered = await super().ask(body, asks)
            finished[self._model.name] = time.monotonic()
            return answered

    def timed(model: Model, _: Path) -> OpenAIChat:
        return Timed(model.spec, model.spec.base_url or "")

    async with simulated_endpoint() as fast, simulated_endpoint(latency="0.5") as slow:
        limit = "max_in_flight = 8"
        extra = limit + model_table("slow", slow.url, limit)
        experiment = write_experiment(tmp_path, fast.url, extra=extra, a_work=4)
        began = time.monotonic()
        ended = await conduct(experiment, tmp_path / "store", make_provider=timed)

    assert ended.asked == 2 * 2 * CELLS
    assert finished["fake"] - began < 0.5 * (finished["slow"] - began)


class Deaf(OpenAIChat):
    """Knows no deadline: the first attempt at every prompt never ends by itself."""

    def __init__(self, model: Model) -> None:
        super().__init__(model.spec, model.spec.base_url or "")
        self.seen: set[bytes] = set()

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        if body not in self.seen:
            self.seen.add(body)
            await asyncio.sleep(3600)
        return await super().ask(body, asks)


async def test_an_attempt_that_outlives_its_time_is_ended_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probe.run._HANG_GRACE_S", 0.2)
    async with started(FakeEndpoint()) as url:
        extra = "max_in_flight = 24\ntimeout_s = 0.3"
        experiment = write_experiment(tmp_path, url, extra=extra)
        ended = await conduct(
            experiment, tmp_path / "store", make_provider=lambda model, _: Deaf(model)
        )

    assert (ended.asked, ended.failed) == (CELLS, 0)
    kinds = "SELECT error_kind, count(*) FROM attempts GROUP BY ALL ORDER BY ALL"
    assert query(tmp_path / "store", kinds) == [("hang", CELLS), (None, CELLS)]


async def test_an_answer_that_does_not_begin_in_time_is_cut_off(tmp_path: Path) -> None:
    """A server that takes every request and says nothing: `first_byte_s` ends it."""
    extra = "max_in_flight = 24\nattempts = 1\nfirst_byte_s = 0.3\ntimeout_s = 60"
    began = time.monotonic()
    async with simulated_endpoint(rate_hang=1) as silent:
        ended = await conduct(
            write_experiment(tmp_path, silent.url, extra=extra), tmp_path / "store"
        )

    assert ended.failed == CELLS
    assert time.monotonic() - began < 20
    kinds = "SELECT DISTINCT kind, error FROM failures"
    assert query(tmp_path / "store", kinds) == [("no first byte", "no answer began within 0.3 s")]


@asynccontextmanager
async def dripping(body: bytes, over_s: float) -> AsyncIterator[str]:
    """A server that begins every answer at once, and takes its time to end it."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
        if size:
            await reader.readexactly(int(size[0].split(b":")[1]))
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body[:1])
        await writer.drain()
        await asyncio.sleep(over_s)
        writer.write(body[1:])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def test_an_answer_that_has_begun_has_the_time_of_the_whole_attempt(tmp_path: Path) -> None:
    body = b'{"choices": [{"message": {"content": "Emma"}, "finish_reason": "stop"}]}'
    extra = "max_in_flight = 24\nattempts = 1\nfirst_byte_s = 0.5\ntimeout_s = 60"
    async with dripping(body, over_s=1.0) as url:
        ended = await conduct(write_experiment(tmp_path, url, extra=extra), tmp_path / "store")

    assert (ended.asked, ended.failed) == (CELLS, 0)


async def test_a_time_limit_is_for_one_attempt_not_for_its_cell(tmp_path: Path) -> None:
    """Three attempts of 0.3 s each pass under a limit of 0.6 s."""

    def scripted(times: int, _: str) -> web.Response | None:
        return refusal_of(500, "no", **{"retry-after-ms": "1"}) if times < 2 else None

    endpoint = FakeEndpoint(scripted, latency_s=0.3)
    async with started(endpoint) as url:
        extra = "max_in_flight = 24\ntimeout_s = 0.6"
        ended = await conduct(write_experiment(tmp_path, url, extra=extra), tmp_path / "store")

    assert (ended.asked, ended.failed) == (CELLS, 0)
    assert query(tmp_path / "store", "SELECT DISTINCT attempts FROM replies") == [(3,)]
