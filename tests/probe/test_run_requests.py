"""What goes out with a request, and what of its answer is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web

from tests.probe.experiments_for_tests import CELLS, model_table, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, completion, refusal_of, started
from tests.probe.runs import conduct, query, run_scripted
from tests.probe.simulated import digest, endpoint, recorded


async def test_headers_are_sent_and_those_from_the_environment_are_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the server quotes one back."""
    secret = "an-organisation-that-nobody-may-know"  # noqa: S105 - no secret
    monkeypatch.setenv("SOME_ORGANISATION", secret)
    fake = FakeEndpoint(
        lambda times, _: completion(f"for {secret}") if times else refusal_of(500, f"no {secret}")
    )
    extra = 'headers = { "X-Project" = "gist" }\n'
    extra += 'headers_env = { "X-Organisation" = "SOME_ORGANISATION" }'
    async with started(fake) as url:
        ended = await conduct(write_experiment(tmp_path, url, extra=extra), tmp_path / "store")

    assert ended.asked == CELLS
    sent = {(each.headers["X-Project"], each.headers["X-Organisation"]) for each in fake.heard}
    assert sent == {("gist", secret)}
    assert query(tmp_path / "store", "SELECT DISTINCT text FROM replies") == [("for [key]",)]
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert files
    assert not any(secret.encode() in path.read_bytes() for path in files)


async def test_the_older_completions_are_asked_where_the_file_says_so(tmp_path: Path) -> None:
    """The prompt as a text, to the other path; the reply is read from there."""
    record = tmp_path / "record"
    async with endpoint(replies="echo", record=record) as host:
        extra = 'api = "completions"\nparams = { max_tokens = 50 }'
        ended = await conduct(write_experiment(tmp_path, host.url, extra=extra), tmp_path / "store")

    rows = query(tmp_path / "store", "SELECT prompt_text, reply FROM results")
    raw = query(tmp_path / "store", "SELECT DISTINCT raw ->> 'object' FROM replies")
    assert ended.asked == len(rows) == CELLS
    assert all(reply == f"echo {digest(str(prompt))}" for prompt, reply in rows)
    assert raw == [("text_completion",)]
    asked = {event["prompt"] for event in recorded(record) if event["event"] == "asked"}
    assert asked == {digest(str(prompt)) for prompt, _ in rows}


def thoughtful() -> web.Response:
    """A reply with what came before it, as servers of reasoning models send it."""
    body = {
        "model": "thinker",
        "choices": [
            {
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "Emma", "reasoning_content": "Hmm."},
            }
        ],
        "usage": {
            "prompt_tokens": 40,
            "completion_tokens": 12,
            "completion_tokens_details": {"reasoning_tokens": 9},
            "prompt_tokens_details": {"cached_tokens": 32},
        },
    }
    return web.json_response(body, headers={"x-request-id": "req-7"})


async def test_reasoning_tokens_and_the_request_id_have_columns_of_their_own(
    tmp_path: Path,
) -> None:
    price = "price = { input_usd_per_m = 10, output_usd_per_m = 100, cached_input_usd_per_m = 1 }"

    await run_scripted(tmp_path, lambda _times, _prompt: thoughtful(), extra=price)

    columns = "text, reasoning, prompt_tokens, reply_tokens, reasoning_tokens, cached_tokens"
    found = query(tmp_path / "store", f"SELECT DISTINCT {columns} FROM replies")
    assert found == [("Emma", "Hmm.", 40, 12, 9, 32)]
    attempts = query(tmp_path / "store", "SELECT DISTINCT request_id, usd FROM attempts")
    assert attempts == [("req-7", pytest.approx((8 * 10 + 32 * 1 + 12 * 100) / 1e6))]
    raw = query(tmp_path / "store", "SELECT DISTINCT raw FROM replies")
    assert json.loads(str(raw[0][0])) == json.loads(str(thoughtful().text))


async def test_the_request_id_of_a_refusal_is_kept_too(tmp_path: Path) -> None:
    """It is what a host's support asks for."""
    refused = {"request-id": "req-of-the-refusal"}

    await run_scripted(tmp_path, lambda _times, _prompt: refusal_of(400, "no", **refused))

    found = query(tmp_path / "store", "SELECT DISTINCT request_id, status FROM attempts")
    assert found == [("req-of-the-refusal", 400)]


async def test_a_seed_goes_up_by_one_a_sample_and_other_parameters_stay(tmp_path: Path) -> None:
    fake = FakeEndpoint()
    tail = '[conditions]\nnames = ["original"]\nprompts = ["gist"]\nsamples = 3'
    extra = "params = { seed = 40, temperature = 0.5 }\nextra_body = { top_k = 5 }"
    async with started(fake) as url:
        await conduct(write_experiment(tmp_path, url, extra=extra, tail=tail), tmp_path / "store")

    sent = [each.asks for each in fake.heard]
    assert len(sent) == 6 * 3
    assert {asks["seed"] for asks in sent} == {40, 41, 42}
    assert {(asks["temperature"], asks["top_k"], asks["model"]) for asks in sent} == {
        (0.5, 5, "fake")
    }


async def test_two_names_for_one_model_share_its_replies(tmp_path: Path) -> None:
    """What is sent is the same, so it is bought once, also while both are asked."""
    fake = FakeEndpoint(latency_s=0.01)
    async with started(fake) as url:
        second = model_table("again", url).replace('model = "again"', 'model = "fake"')
        ended = await conduct(write_experiment(tmp_path, url, extra=second), tmp_path / "store")

    assert (ended.asked, ended.failed) == (CELLS, 0)
    assert set(fake.asked.values()) == {1}
    counts = query(tmp_path / "store", "SELECT model, replies FROM progress ORDER BY model")
    assert counts == [("again", CELLS), ("fake", CELLS)]


async def test_names_that_change_nothing_are_bought_once_however_the_pages_fall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where replies come while the next page is being read.

    A text that names nobody is the same under all four strategies.
    """
    monkeypatch.setattr("probe.feed.PAGE", 8)
    monkeypatch.setattr("probe.run._MOST_WAITING", 0.05)
    fake = FakeEndpoint(latency_s=0.002)
    async with started(fake) as url:
        experiment = write_experiment(
            tmp_path, url, extra="max_in_flight = 5", tail="[conditions]\nsamples = 1"
        )
        (tmp_path / "excerpts.jsonl").write_text(
            "".join(
                json.dumps({"id": f"{n}", "source": "Emma", "text": f"It rained for {n} days."})
                + "\n"
                for n in range(40)
            ),
            encoding="utf-8",
        )
        ended = await conduct(experiment, tmp_path / "store")

    assert set(fake.asked.values()) == {1}
    assert ended.asked == len(fake.asked) == 40 * 3
    rows = query(tmp_path / "store", "SELECT count(*), count(DISTINCT key) FROM results")
    assert rows == [(40 * 4 * 3, 40 * 3)]
