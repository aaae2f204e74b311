"""The simulated endpoint when things go wrong, what it records, and the command that starts it."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import click
import pytest

from probe.cli.simulate import command
from probe.simulate import Settings, SettingsError, serving
from probe.simulate.faults import Draws
from tests.probe.experiments_for_tests import CELLS, probe, write_experiment
from tests.probe.runs import wait_until
from tests.probe.simulated import Client, chat, digest, endpoint, recorded, simulated

FAULTS = list(Settings().rates())


def faulty(fault: str, rate: float = 1.0) -> dict[str, Any]:
    """The setting that makes one fault likely."""
    return {f"rate_{fault}": rate}


async def ended(client: Client, requests: int) -> dict[str, Any]:
    """The counts, once no request is open any more."""
    for _ in range(1000):
        stats = await client.stats()
        if stats["requests"] == requests and not stats["open"]:
            return stats
        await asyncio.sleep(0.005)
    raise AssertionError("a request stayed open")


@pytest.mark.parametrize(
    ("fault", "kind", "wait_ms"),
    [("429", "requests", "50"), ("500", "server_error", None), ("503", "server_error", None)],
)
async def test_a_fault_with_a_status_is_an_error_as_hosts_send_it(
    fault: str, kind: str, wait_ms: str | None
) -> None:
    async with endpoint(**faulty(fault)) as client:
        status, headers, body = await client.post(chat())
        stats = await client.stats()

    assert (status, body["error"]["type"]) == (int(fault), kind)
    assert headers.get("retry-after-ms") == wait_ms
    assert "retry-after" not in headers
    assert stats["by_status"] == stats["by_fault"] == {fault: 1}
    assert stats["tokens"] == {"prompt": 0, "reply": 0}


async def test_a_reset_comes_before_any_byte() -> None:
    async with endpoint(rate_reset=1) as client:
        with pytest.raises(aiohttp.ClientOSError, match="reset by peer"):
            await client.post(chat())
        stats = await ended(client, 1)

    assert (stats["unanswered"], stats["by_fault"]) == (1, {"reset": 1})


async def test_a_truncated_response_promises_more_than_comes() -> None:
    async with endpoint(rate_truncated=1, rpm=60) as client:
        url = f"{client.url}/chat/completions"
        async with client.session.post(url, json=chat()) as response:
            head = response.status, "x-ratelimit-limit-requests" in response.headers
            came = await response.content.readexactly(40)
            with pytest.raises(aiohttp.ClientPayloadError, match="not completed"):
                await response.read()
        stats = await ended(client, 1)

    assert head == (200, True)
    assert came.startswith(b'{"id":"chatcmpl-1"')
    assert int(response.headers["content-length"]) > 200
    assert (stats["unanswered"], stats["by_status"]) == (1, {})


async def test_a_malformed_response_is_cut_json_or_a_page() -> None:
    kinds: Counter[str] = Counter()
    async with endpoint(rate_malformed=1) as client:
        for n in range(30):
            url = f"{client.url}/chat/completions"
            async with client.session.post(url, json=chat(str(n))) as response:
                raw = await response.read()
                assert response.status == 200
                kinds[response.content_type] += 1
                assert raw.startswith(b'{"id"' if "json" in response.content_type else b"<!DOC")
                with pytest.raises(json.JSONDecodeError):
                    json.loads(raw)
        stats = await client.stats()

    assert kinds.keys() == {"application/json", "text/html"}
    assert stats["tokens"] == {"prompt": 0, "reply": 0}


async def leave_while_open(client: Client, body: object) -> None:
    """Ask, and go away once the request is open."""
    asking = asyncio.ensure_future(client.post(body))
    for _ in range(1000):
        if (await client.stats())["open"]:
            break
        await asyncio.sleep(0.005)
    asking.cancel()


async def test_a_hanging_request_is_open_until_the_client_leaves() -> None:
    async with endpoint(rate_hang=1) as client:
        await leave_while_open(client, chat())
        stats = await ended(client, 1)

    assert (stats["unanswered"], stats["most_open"], stats["by_status"]) == (1, 1, {})


async def test_late_faults_come_after_the_latency_and_early_ones_at_once() -> None:
    took_s = {}
    loop = asyncio.get_running_loop()
    for fault in ("429", "500", "503"):
        async with endpoint(latency="0.6", **faulty(fault)) as client:
            began = loop.time()
            await client.post(chat())
            took_s[fault] = loop.time() - began

    assert took_s["500"] >= 0.6
    assert max(took_s["429"], took_s["503"]) < 0.6


async def statuses(bodies: list[dict[str, object]], seed: int) -> dict[str, list[int]]:
    """What each prompt got, in the order of its own requests."""
    got: dict[str, list[int]] = {}
    rates = {"rate_429": 0.2, "rate_500": 0.2, "rate_503": 0.2}
    async with endpoint(seed=seed, **rates) as client:
        for body in bodies:
            got.setdefault(json.dumps(body), []).append((await client.post(body))[0])
    return got


async def test_the_same_seed_gives_the_same_faults_in_any_order() -> None:
    bodies = [chat(str(n)) for n in range(60)] * 2

    first = await statuses(bodies, seed=1)
    backwards = await statuses(bodies[::-1], seed=1)
    other = await statuses(bodies, seed=2)

    assert first == backwards
    assert first != other
    assert {status for got in first.values() for status in got} == {200, 429, 500, 503}
    assert any(len(set(got)) > 1 for got in first.values())  # the second try is drawn anew


def test_each_fault_comes_as_often_as_its_rate_says() -> None:
    rates = {f"rate_{fault}": 0.1 for fault in FAULTS}
    draws = Draws(Settings(latency="uniform:1-2", **rates))  # type: ignore[arg-type]

    drawn = [draws.draw(b"%d" % n) for n in range(20_000)]

    came = Counter(one.fault for one in drawn)
    assert came[None] == pytest.approx(6000, abs=300)
    for fault in FAULTS:
        assert came[fault] == pytest.approx(2000, abs=200)
    slow = [one.latency_s for one in drawn if one.fault is None]
    assert sum(slow) / len(slow) == pytest.approx(1.5, abs=0.02)  # faults and latency: unrelated


async def test_every_request_is_recorded_as_asked_and_then_as_ended_once(tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_text('{"event": "older"}\n')
    body = json.dumps(chat("Who?")).encode()
    async with endpoint(record=record) as client:
        await client.post(body)
        await client.post(b"{")
        await ended(client, 2)
    async with endpoint(record=record, rate_hang=1) as client:
        await leave_while_open(client, body)
        await ended(client, 1)

    older, *events = recorded(record)
    moments = [event.pop("at") for event in events]
    asked = {"event": "asked", "n": 1, "prompt": digest("Who?"), "body": digest(body.decode())}
    answered = {"event": "answered", "n": 1, "prompt": digest("Who?"), "status": 200}
    assert older == {"event": "older"}
    assert events == [
        asked,
        {**answered, "fault": None},
        {"event": "asked", "n": 2, "prompt": None, "body": digest("{")},
        {"event": "answered", "n": 2, "prompt": None, "status": 400, "fault": None},
        asked,
        {"event": "unanswered", "n": 1, "prompt": digest("Who?"), "fault": "hang"},
    ]
    assert moments == sorted(moments)


async def test_the_counts_add_up() -> None:
    async with endpoint(models=("m",), replies="echo") as client:
        for _ in range(3):
            await client.post(chat("x" * 40))
        await client.post({**chat(), "model": "other"})
        stats = await ended(client, 4)

    accepted = stats.pop("accepted_by_second")
    assert sum(accepted.values()) == 3
    assert stats == {
        "requests": 4,
        "by_status": {"200": 3, "404": 1},
        "by_fault": {},
        "unanswered": 0,
        "open": 0,
        "most_open": 1,
        "tokens": {"prompt": 30, "reply": 18},
    }


def test_an_experiment_rehearsed_through_faults_buys_every_reply_once(tmp_path: Path) -> None:
    record = tmp_path / "record"
    faults = ("--rate-429", 0.2, "--rate-reset", 0.05, "--rate-truncated", 0.05, "--seed", 5)
    with simulated("--record", record, *faults) as url:
        experiment = write_experiment(tmp_path, url, extra="attempts = 20")
        done = probe("run", experiment, "--store", tmp_path / "store")

    events = recorded(record)
    bought = Counter(event["prompt"] for event in events if event.get("status") == 200)
    assert done.returncode == 0, done.stderr
    assert len(bought) == CELLS
    assert set(bought.values()) == {1}
    assert {event["event"] for event in events} == {"asked", "answered", "unanswered"}


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, None])
def test_the_command_prints_its_url_and_ends_well_with_a_request_open(
    end: signal.Signals | None, tmp_path: Path
) -> None:
    """By a signal, or by the end of its standard input."""
    record = tmp_path / "record"
    words = [sys.executable, "-m", "probe", "simulate", "--until-stdin-closes", "--latency", "60"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*words, "--record", str(record)], text=True, **pipes) as child:
        assert child.stdout is not None
        url = child.stdout.readline().strip()
        with socket.create_connection(("127.0.0.1", port_of(url))) as held:
            body = json.dumps(chat()).encode()
            head = f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}"
            held.sendall(f"{head}\r\n\r\n".encode() + body)
            wait_until(lambda: "asked" in record.read_text())
            if end is not None:
                child.send_signal(end)
                child.wait(20)
            rest, said = child.communicate(timeout=20)

    assert url == f"http://127.0.0.1:{port_of(url)}/v1"
    assert child.returncode == 0
    assert rest == ""
    assert said == f"probe: counts at {url}/stats; Ctrl-C ends it\n"


def port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--rate-429", 1.5), "--rate-429 is 1.5, it must be between 0 and 1"),
        (("--rate-hang", "nan"), "--rate-hang is nan, it must be between 0 and 1"),
        (("--rate-500", 0.6, "--rate-503", 0.6), "at most 1: a request has one fault"),
        (("--latency", "soon"), "--latency is 'soon', it must be seconds"),
        (("--latency", "uniform:2-1"), "--latency is 'uniform:2-1', it must be seconds"),
        (("--latency", "normal:2-1"), "--latency is 'normal:2-1', it must be seconds"),
        (("--latency", "inf"), "--latency is 'inf', it must be seconds"),
        (("--rpm", 0), "--rpm is 0, it must be between 1"),
        (("--burst-s", 0), "--burst-s is 0.0, it must be a number of seconds over 0"),
        (("--headers", "acme"), "--headers is 'acme', it must be one of openai, anthropic, none"),
        (("--count", "none"), "--count is 'none', it must be one of usage, reserved"),
        (("--replies", "best"), "--replies is 'best', it must be one of option, echo"),
        (("--record", "/nowhere/file"), "--record is /nowhere/file, it must be a file"),
    ],
)
def test_a_flag_that_cannot_be_is_one_line(
    flags: tuple[object, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through the command itself, without a process each."""
    from probe.cli import cli  # noqa: PLC0415 - the front door, which words errors

    with pytest.raises(SystemExit) as exit_:
        cli(["simulate", *map(str, flags)])

    shown = capsys.readouterr()
    assert exit_.value.code == 2
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert said in shown.err


async def test_a_port_that_is_taken_is_said() -> None:
    async with serving(Settings()) as url:
        port = port_of(url)
        with pytest.raises(SettingsError, match=f"--port is {port}, it must be free"):
            async with serving(Settings(port=port)):
                pass


def test_the_commands_defaults_are_those_of_the_settings() -> None:
    given = command.make_context("simulate", []).params
    own = {name: given[name] for name in Settings.__dataclass_fields__}

    assert Settings(**own) == Settings()


def test_the_help_names_every_fault_and_form() -> None:
    with click.Context(command) as context:
        shown = command.get_help(context)

    for word in (*(f"--rate-{fault}" for fault in FAULTS), "uniform:", "lognormal:", "reserved"):
        assert word in shown
