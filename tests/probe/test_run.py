"""The fan-out against a fake at the wire: what is asked, how often, and what is kept."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from probe.conduct import Conductor, Ended
from probe.plan import Plan
from probe.providers import OpenAIChat
from probe.resolve import find
from probe.spec import read_spec, read_toml
from store.database import Database
from store.read import ask, open_read
from tests.probe.experiments_for_tests import CELLS, write_experiment
from tests.probe.fake_endpoint import (
    FakeEndpoint,
    Scripted,
    completion,
    refusal_of,
    reply_to,
    start,
)


def no_progress(what: str, had: int, size: int | None) -> None:
    raise AssertionError(f"nothing is to be fetched, but {what} {had} {size}")


async def conduct(experiment: Path, store: Path) -> Ended:
    """Run an experiment as the command does, without its display of results."""
    plan: Plan = find(read_spec(experiment), experiment, no_progress)
    with Database(store) as database:
        conductor = Conductor(
            plan=plan,
            spec_text=read_toml(experiment),
            database=database,
            make_provider=lambda model, _: OpenAIChat(model.spec, model.spec.base_url or ""),
        )
        return await conductor.run(conductor.prepare())


def query(store: Path, text: str) -> list[tuple[object, ...]]:
    return ask(open_read(store), text).rows


async def run_scripted(
    folder: Path, scripted: Scripted, extra: str = ""
) -> tuple[Ended, FakeEndpoint]:
    endpoint = FakeEndpoint(scripted=scripted)
    runner, url = await start(endpoint)
    try:
        ended = await conduct(write_experiment(folder, url, extra=extra), folder / "store")
    finally:
        await runner.cleanup()
    return ended, endpoint


@pytest.mark.parametrize("in_flight", [1, 3, 50])
async def test_every_cell_is_asked_once_and_the_ceiling_holds(
    tmp_path: Path, in_flight: int
) -> None:
    """No cell is lost or doubled, whatever the concurrency; each reply belongs to its prompt."""
    endpoint = FakeEndpoint(latency_s=0.02)
    runner, url = await start(endpoint)
    experiment = write_experiment(tmp_path, url, extra=f"max_in_flight = {in_flight}")

    ended = await conduct(experiment, tmp_path / "store")
    await runner.cleanup()

    assert (ended.asked, ended.failed, ended.how) == (CELLS, 0, "done")
    assert set(endpoint.asked.values()) == {1}
    assert endpoint.most_open == min(in_flight, CELLS)
    stored = query(tmp_path / "store", "SELECT prompt_text, reply, outcome FROM results")
    assert len(stored) == CELLS
    assert all(reply == reply_to(str(prompt)) for prompt, reply, _ in stored)
    assert {outcome for *_, outcome in stored} == {"ok"}


async def test_the_same_run_again_asks_nothing(tmp_path: Path) -> None:
    endpoint = FakeEndpoint()
    runner, url = await start(endpoint)
    experiment = write_experiment(tmp_path, url)
    await conduct(experiment, tmp_path / "store")

    again = await conduct(experiment, tmp_path / "store")
    await runner.cleanup()

    assert (again.held, again.asked) == (CELLS, 0)
    assert endpoint.asked.total() == CELLS


async def test_a_transient_failure_is_tried_again_with_the_same_bytes(tmp_path: Path) -> None:
    """503, 429 with a wait, and a body that is no completion; every attempt is a row."""
    broken = [
        lambda: refusal_of(503, "overloaded"),
        lambda: refusal_of(429, "slow down", **{"retry-after-ms": "5"}),
        lambda: web.Response(text='{"choices": ['),
    ]

    def scripted(times: int, _: str) -> web.Response | None:
        return broken[times]() if times < len(broken) else None

    ended, endpoint = await run_scripted(tmp_path, scripted)

    assert (ended.asked, ended.failed) == (CELLS, 0)
    assert all(len(set(bodies)) == 1 and len(bodies) == 4 for bodies in endpoint.bodies.values())
    kinds = "SELECT error_kind, count(*) FROM attempts GROUP BY ALL ORDER BY ALL"
    assert query(tmp_path / "store", kinds) == [
        ("http 429", CELLS),
        ("http 503", CELLS),
        ("malformed body", CELLS),
        (None, CELLS),
    ]
    assert query(tmp_path / "store", "SELECT DISTINCT attempts FROM replies") == [(4,)]


async def test_a_cell_that_fails_every_time_is_a_failure_and_asked_again_next_time(
    tmp_path: Path,
) -> None:
    """Failures are stored as failures; the next run asks only for them."""
    endpoint = FakeEndpoint(scripted=lambda _, p: refusal_of(500, "no") if "Mina" in p else None)
    runner, url = await start(endpoint)
    experiment = write_experiment(tmp_path, url, extra="attempts = 2")
    ended = await conduct(experiment, tmp_path / "store")
    outcomes = "SELECT outcome, count(*) FROM results GROUP BY ALL ORDER BY ALL"
    first = query(tmp_path / "store", outcomes)
    endpoint.scripted = lambda _times, _prompt: None

    again = await conduct(experiment, tmp_path / "store")
    await runner.cleanup()

    assert first == [("failed", ended.failed), ("ok", CELLS - ended.failed)]
    assert ended.failed > 0
    assert (again.held, again.asked, again.failed) == (CELLS - ended.failed, ended.failed, 0)
    assert query(tmp_path / "store", outcomes) == [("ok", CELLS)]


async def test_a_permanent_failure_is_not_asked_twice(tmp_path: Path) -> None:
    endpoint = FakeEndpoint(
        scripted=lambda _, p: refusal_of(400, "context length exceeded") if "Mina" in p else None
    )
    runner, url = await start(endpoint)
    experiment = write_experiment(tmp_path, url)

    ended = await conduct(experiment, tmp_path / "store")
    again = await conduct(experiment, tmp_path / "store")
    await runner.cleanup()

    assert ended.failed > 0
    assert (again.held, again.asked, again.failed) == (CELLS, 0, 0)
    assert set(endpoint.asked.values()) == {1}
    error = "SELECT DISTINCT error FROM results WHERE outcome = 'failed'"
    assert query(tmp_path / "store", error) == [("context length exceeded (error)",)]


OUTCOMES: dict[str, Callable[[], web.Response]] = {
    "truncated": lambda: completion("Emma and", finish="length"),
    "filtered": lambda: completion(None, finish="content_filter"),
    "refused": lambda: completion(None, refusal="I will not"),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
async def test_an_outcome_is_stored_as_what_it_is(tmp_path: Path, outcome: str) -> None:
    ended, _ = await run_scripted(tmp_path, lambda _times, _prompt: OUTCOMES[outcome]())

    assert ended.asked == CELLS
    assert query(tmp_path / "store", "SELECT DISTINCT outcome FROM replies") == [(outcome,)]


async def test_a_filter_that_answers_400_is_an_outcome_not_a_failure(tmp_path: Path) -> None:
    ended, _ = await run_scripted(
        tmp_path, lambda _times, _prompt: refusal_of(400, "filtered", code="content_filter")
    )

    assert (ended.asked, ended.failed) == (CELLS, 0)
    assert query(tmp_path / "store", "SELECT DISTINCT outcome FROM replies") == [("filtered",)]


@pytest.mark.parametrize(
    ("status", "message", "fix"),
    [
        (401, "bad key", "api_key_env"),
        (404, "model not found", "check `model`"),
        (429, "insufficient_quota", "what is held is not asked twice"),
    ],
)
async def test_what_stops_a_model_stops_it_at_once_with_a_clear_line(
    tmp_path: Path, status: int, message: str, fix: str
) -> None:
    """At most the requests in flight are spent on a model that cannot be asked."""
    ended, endpoint = await run_scripted(
        tmp_path, lambda _times, _prompt: refusal_of(status, message), extra="max_in_flight = 2"
    )

    assert (ended.asked, ended.failed, ended.how) == (0, 0, "stopped")
    assert endpoint.asked.total() <= 2
    assert message in str(ended.down[0])
    assert fix in str(ended.down[0])
    assert query(tmp_path / "store", "SELECT DISTINCT outcome FROM results") == [("pending",)]


async def test_a_port_that_refuses_stops_the_model_and_leaves_its_cells(tmp_path: Path) -> None:
    with socket.socket() as probe_socket:
        probe_socket.bind(("127.0.0.1", 0))
        port = probe_socket.getsockname()[1]
    experiment = write_experiment(tmp_path, f"http://127.0.0.1:{port}/v1", extra="attempts = 2")

    ended = await conduct(experiment, tmp_path / "store")

    assert (ended.asked, ended.failed) == (0, 0)
    assert "refused connection" in str(ended.down[0])
    assert "start the server or check `base_url`" in str(ended.down[0])


async def test_a_reply_that_takes_too_long_is_tried_again(tmp_path: Path) -> None:
    endpoint = FakeEndpoint(latency_s=3.0)
    runner, url = await start(endpoint)
    experiment = write_experiment(
        tmp_path,
        url,
        extra="attempts = 1\ntimeout_s = 0.2\nmax_in_flight = 50",
    )

    ended = await conduct(experiment, tmp_path / "store")
    await runner.cleanup()

    assert ended.failed == CELLS
    kinds = query(tmp_path / "store", "SELECT DISTINCT kind, permanent FROM failures")
    assert kinds == [("timeout", False)]


async def test_the_key_is_sent_and_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key comes from its variable and reaches one header, no file of the store."""
    secret = "sk-not-to-be-found-anywhere"  # noqa: S105 - no secret
    monkeypatch.setenv("SOME_KEY", secret)
    endpoint = FakeEndpoint(scripted=lambda times, _: None if times else refusal_of(500, "once"))
    runner, url = await start(endpoint)

    await conduct(write_experiment(tmp_path, url, extra='api_key_env = "SOME_KEY"'), tmp_path / "s")
    await runner.cleanup()

    assert {headers["Authorization"] for headers in endpoint.headers} == {f"Bearer {secret}"}
    files = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    assert files
    assert not any(secret.encode() in path.read_bytes() for path in files)


async def test_a_server_that_quotes_the_key_back_does_not_give_it_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an error, in a reply, on one line: the key is replaced before anything is written."""
    secret = "sk-quoted-back-by-the-server"  # noqa: S105 - no secret
    monkeypatch.setenv("SOME_KEY", f"{secret}\r\n")
    quoted = [
        lambda: refusal_of(500, f"what is\n {secret}?"),
        lambda: completion(f"you said {secret}"),
        lambda: refusal_of(401, f"Incorrect key: {secret}"),
    ]
    endpoint = FakeEndpoint(
        scripted=lambda times, prompt: quoted[2 if "Mina" in prompt else min(times, 1)]()
    )
    runner, url = await start(endpoint)
    extra = 'api_key_env = "SOME_KEY"\nmax_in_flight = 1'

    ended = await conduct(write_experiment(tmp_path, url, extra=extra), tmp_path / "s")
    await runner.cleanup()

    assert "Incorrect key: [key]" in str(ended.down[0])
    files = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    assert not any(secret.encode() in path.read_bytes() for path in files)
    if ended.asked:
        assert query(tmp_path / "s", "SELECT DISTINCT text FROM replies") == [("you said [key]",)]
        errors = "SELECT DISTINCT error FROM attempts WHERE status = 500"
        assert query(tmp_path / "s", errors) == [("what is [key]? (error)",)]


async def test_a_key_that_is_not_set_is_named(tmp_path: Path) -> None:
    experiment = write_experiment(
        tmp_path, "http://127.0.0.1:9/v1", extra='api_key_env = "NO_SUCH"'
    )

    ended = await conduct(experiment, tmp_path / "store")

    assert "$NO_SUCH is not set" in str(ended.down[0])


async def test_a_slow_model_does_not_hold_a_fast_one(tmp_path: Path) -> None:
    """Two models in one run, one of them refusing: the other is asked in full."""
    good, bad = FakeEndpoint(), FakeEndpoint(scripted=lambda _times, _prompt: refusal_of(401, "no"))
    good_runner, good_url = await start(good)
    bad_runner, bad_url = await start(bad)
    second = f"""
[[models]]
name = "bad"
provider = "openai"
model = "fake"
base_url = "{bad_url}"
"""

    experiment = write_experiment(tmp_path, good_url, extra=second)
    ended = await conduct(experiment, tmp_path / "store")
    await good_runner.cleanup()
    await bad_runner.cleanup()

    assert ended.asked == CELLS
    assert [down.model for down in ended.down] == ["bad"]
    counts = "SELECT model, replies, pending FROM progress ORDER BY model"
    assert query(tmp_path / "store", counts) == [("bad", 0, CELLS), ("fake", CELLS, 0)]
