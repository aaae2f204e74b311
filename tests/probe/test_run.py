"""The fan-out against a fake at the wire: what is asked, how often, and what is kept."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from tests.probe.experiments_for_tests import CELLS, model_table, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, completion, refusal_of, reply_to, started
from tests.probe.runs import conduct, query, run_scripted


@pytest.mark.parametrize("in_flight", [1, 3, 50])
async def test_every_cell_is_asked_once_and_the_ceiling_holds(
    tmp_path: Path, in_flight: int
) -> None:
    """No cell is lost or doubled, whatever the concurrency; each reply belongs to its prompt."""
    endpoint = FakeEndpoint(latency_s=0.02)
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=f"max_in_flight = {in_flight}")
        ended = await conduct(experiment, tmp_path / "store")

    assert (ended.asked, ended.failed, ended.how) == (CELLS, 0, "done")
    assert set(endpoint.asked.values()) == {1}
    assert endpoint.most_open == min(in_flight, CELLS)
    stored = query(tmp_path / "store", "SELECT prompt_text, reply, outcome FROM results")
    assert len(stored) == CELLS
    assert all(reply == reply_to(str(prompt)) for prompt, reply, _ in stored)
    assert {outcome for *_, outcome in stored} == {"ok"}


async def test_the_same_run_again_asks_nothing(tmp_path: Path) -> None:
    endpoint = FakeEndpoint()
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url)
        await conduct(experiment, tmp_path / "store")
        again = await conduct(experiment, tmp_path / "store")

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
    assert set(endpoint.asked.values()) == {4}
    assert len({each.body for each in endpoint.heard}) == CELLS
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
    outcomes = "SELECT outcome, count(*) FROM results GROUP BY ALL ORDER BY ALL"
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra="attempts = 2")
        ended = await conduct(experiment, tmp_path / "store")
        first = query(tmp_path / "store", outcomes)
        endpoint.scripted = lambda _times, _prompt: None
        again = await conduct(experiment, tmp_path / "store")

    assert first == [("failed", ended.failed), ("ok", CELLS - ended.failed)]
    assert ended.failed > 0
    assert (again.held, again.asked, again.failed) == (CELLS - ended.failed, ended.failed, 0)
    assert query(tmp_path / "store", outcomes) == [("ok", CELLS)]


async def test_a_permanent_failure_is_not_asked_twice(tmp_path: Path) -> None:
    endpoint = FakeEndpoint(
        scripted=lambda _, p: refusal_of(400, "context length exceeded") if "Mina" in p else None
    )
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url)
        ended = await conduct(experiment, tmp_path / "store")
        again = await conduct(experiment, tmp_path / "store")

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
        (429, "insufficient_quota", "add credit or raise the account's limit"),
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
    """And counts as failed once its tries are used up; the next run would ask again."""
    extra = "attempts = 2\ntimeout_s = 0.2\nmax_in_flight = 50"
    endpoint = FakeEndpoint(latency_s=3.0)
    async with started(endpoint) as url:
        ended = await conduct(write_experiment(tmp_path, url, extra=extra), tmp_path / "store")

    assert ended.failed == CELLS
    assert set(endpoint.asked.values()) == {2}
    kinds = query(tmp_path / "store", "SELECT DISTINCT kind, permanent FROM failures")
    assert kinds == [("timeout", False)]


async def test_the_key_is_sent_and_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key comes from its variable and reaches one header, no file of the store."""
    secret = "sk-not-to-be-found-anywhere"  # noqa: S105 - no secret
    monkeypatch.setenv("SOME_KEY", secret)
    endpoint = FakeEndpoint(scripted=lambda times, _: None if times else refusal_of(500, "once"))
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra='api_key_env = "SOME_KEY"')
        await conduct(experiment, tmp_path / "s")

    sent = {each.headers["Authorization"] for each in endpoint.heard}
    assert sent == {f"Bearer {secret}"}
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
    extra = 'api_key_env = "SOME_KEY"\nmax_in_flight = 1'
    async with started(endpoint) as url:
        ended = await conduct(write_experiment(tmp_path, url, extra=extra), tmp_path / "s")

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


async def test_a_model_that_is_stopped_does_not_stop_another(tmp_path: Path) -> None:
    """Two models in one run, one of them refusing: the other is asked in full."""
    endpoint = FakeEndpoint(by_model={"bad": lambda _times, _prompt: refusal_of(401, "no")})
    async with started(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=model_table("bad", url))
        ended = await conduct(experiment, tmp_path / "store")

    assert ended.asked == CELLS
    assert [down.model for down in ended.down] == ["bad"]
    counts = "SELECT model, replies, pending FROM progress ORDER BY model"
    assert query(tmp_path / "store", counts) == [("bad", 0, CELLS), ("fake", CELLS, 0)]
