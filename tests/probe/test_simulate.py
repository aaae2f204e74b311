"""The simulated endpoint: what a client sees of it, over real HTTP."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from datetime import UTC, datetime

import openai
import pytest

from probe.simulate import Asked, Made, Settings, serving
from probe.simulate.latency import parse_latency
from probe.simulate.limits import Limits, go_duration
from tests.probe.simulated import chat, digest, endpoint, simulated

OPTIONS = "Which work is it?\nIt is one of these:\n1. Emma\n2. Dracula\n3. Jane Eyre\nThe title."


def echo(prompt: str) -> str:
    return f"echo {digest(prompt)}"


async def test_a_chat_completion_has_every_part_and_its_reply_belongs_to_the_prompt() -> None:
    async with endpoint(replies="echo") as client:
        status, headers, body = await client.post(chat("Who?", n=2))

    assert status == 200
    assert headers["content-type"] == "application/json"
    assert body["object"] == "chat.completion"
    assert body["model"] == "m"
    assert body["id"].startswith("chatcmpl-")
    assert abs(body["created"] - time.time()) < 600
    assert body["system_fingerprint"]
    assert [choice["index"] for choice in body["choices"]] == [0, 1]
    for choice in body["choices"]:
        assert choice["message"]["content"] == echo("Who?")
        assert choice["finish_reason"] == "stop"
        assert choice["logprobs"] is None
    # "echo " and 16 digits are 21 characters: six tokens a choice
    assert body["usage"] == {"prompt_tokens": 1, "completion_tokens": 12, "total_tokens": 13}


async def test_messages_and_parts_make_one_prompt() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": parts}]
    async with endpoint(replies="echo") as client:
        _, _, body = await client.post({"model": "m", "messages": messages})

    assert body["choices"][0]["message"]["content"] == echo("Be brief.\nab")


async def test_a_text_completion_has_its_own_form() -> None:
    async with endpoint(replies="echo") as client:
        _, _, body = await client.post(
            {"model": "m", "prompt": "Once", "logprobs": 2}, "/completions"
        )
        status, _, refused = await client.post({"model": "m", "prompt": ["a", "b"]}, "/completions")

    choice = body["choices"][0]
    assert body["object"] == "text_completion"
    assert choice["text"] == echo("Once")
    assert "".join(choice["logprobs"]["tokens"]) == choice["text"]
    assert choice["logprobs"]["text_offset"] == [0, 4, 8, 12, 16, 20]
    assert [len(top) for top in choice["logprobs"]["top_logprobs"]] == [2] * 6
    assert (status, refused["error"]["param"]) == (400, "prompt")


async def test_the_option_maker_picks_an_offered_option_and_says_a_sentence_without_any() -> None:
    async with endpoint() as client:
        bodies = [(await client.post(chat(f"{OPTIONS} {n}")))[2] for n in range(30)]
        again = (await client.post(chat(f"{OPTIONS} 0")))[2]
        _, _, none = await client.post(chat())

    said = [body["choices"][0]["message"]["content"] for body in bodies]
    assert set(said) == {"Emma", "Dracula", "Jane Eyre"}
    assert again["choices"] == bodies[0]["choices"]
    assert none["choices"][0]["message"]["content"] == "This reply is simulated."


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
async def test_replies_are_padded_and_cut_to_the_token(limit: str) -> None:
    async with endpoint(replies="echo", reply_tokens=50) as client:
        _, _, whole = await client.post(chat())
        _, _, part = await client.post({**chat(), limit: 20})

    text = whole["choices"][0]["message"]["content"]
    assert len(text) == 200
    assert text.startswith(echo("Who is Emma?") + "\n\n")
    assert whole["usage"]["completion_tokens"] == 50
    assert part["choices"][0]["message"]["content"] == text[:80]
    assert part["choices"][0]["finish_reason"] == "length"
    assert part["usage"]["completion_tokens"] == 20


async def test_logprobs_spell_the_reply_and_rank_its_tokens_first() -> None:
    async with endpoint(replies="echo") as client:
        _, _, body = await client.post(chat("é", logprobs=True, top_logprobs=3))

    choice = body["choices"][0]
    entries = choice["logprobs"]["content"]
    assert "".join(entry["token"] for entry in entries) == choice["message"]["content"]
    for entry in entries:
        assert entry["logprob"] < 0
        assert bytes(entry["bytes"]).decode() == entry["token"]
        assert entry["top_logprobs"][0]["token"] == entry["token"]
        ranked = [top["logprob"] for top in entry["top_logprobs"]]
        assert len(ranked) == 3
        assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"{", None),
        (b"[]", None),
        (b"\xff\xff", None),
        ({"messages": []}, "model"),
        ({"model": "m"}, "messages"),
        ({"model": "m", "messages": []}, "messages"),
        ({"model": "m", "messages": ["hello"]}, "messages[0]"),
        ({"model": "m", "messages": [{"role": "user", "content": 1}]}, "messages[0].content"),
        (chat(n=0), "n"),
        (chat(n=True), "n"),
        (chat(max_tokens=-1), "max_tokens"),
        (chat(max_completion_tokens="x"), "max_completion_tokens"),
        (chat(logprobs=3), "logprobs"),
        (chat(top_logprobs=3), "top_logprobs"),
        (chat(stream=True), "stream"),
    ],
)
async def test_a_bad_request_is_refused_as_openai_words_it(body: object, param: str | None) -> None:
    async with endpoint() as client:
        status, _, refused = await client.post(body)

    assert status == 400
    assert set(refused["error"]) == {"message", "type", "param", "code"}
    assert refused["error"]["type"] == "invalid_request_error"
    assert refused["error"]["param"] == param


async def test_half_a_surrogate_pair_is_a_prompt_like_any_other() -> None:
    async with endpoint() as client:
        raw = b'{"model": "m", "messages": [{"role": "user", "content": "1. \\ud800"}]}'
        status, _, body = await client.post(raw)

    assert (status, body["choices"][0]["message"]["content"]) == (200, "\ud800")


async def test_what_is_not_offered_is_said() -> None:
    async with endpoint(key="good", models=("a", "b")) as client:
        good = {"Authorization": "Bearer good"}
        assert (await client.post(chat(), "/embeddings", **good))[0] == 404
        assert (await client.post({}, "/models", **good))[0] == 405
        status, _, body = await client.post(chat(), Authorization="Bearer bad")
        assert (status, body["error"]["code"]) == (401, "invalid_api_key")
        status, _, body = await client.post(chat(), **good)
        assert (status, body["error"]["code"]) == (404, "model_not_found")
        assert (await client.post({**chat(), "model": "b"}, **good))[0] == 200
        async with client.session.get(f"{client.url}/models") as unsigned:
            assert unsigned.status == 401
        async with client.session.get(f"{client.url}/models", headers=good) as listed:
            assert [one["id"] for one in (await listed.json())["data"]] == ["a", "b"]


def test_a_latency_is_drawn_from_its_distribution() -> None:
    drawn = [n / 1000 for n in range(1000)]
    even = sorted(map(parse_latency("uniform:0.3-1.5"), drawn))
    skewed = sorted(map(parse_latency("lognormal:0.8,0.5"), drawn))

    assert set(map(parse_latency("0.05"), drawn)) == {0.05}
    assert even[0] == 0.3
    assert even[-1] == pytest.approx(1.5, abs=0.01)
    assert sum(even) / 1000 == pytest.approx(0.9, abs=0.01)
    assert skewed[500] == pytest.approx(0.8)
    assert skewed[841] == pytest.approx(0.8 * 1.6487, rel=0.01)  # one sigma up: median times e^0.5


async def test_a_latency_is_waited_for_and_requests_wait_side_by_side() -> None:
    async with endpoint(latency="0.5") as client:
        began = time.monotonic()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(20):
                tasks.create_task(client.post(chat()))
        took_s = time.monotonic() - began
        stats = await client.stats()

    assert 0.5 <= took_s < 5
    assert stats["most_open"] == 20


def test_twice_the_rate_gets_the_rate_and_no_more() -> None:
    """On a clock of our own: 10 minutes of requests every 5 ms against 100 a second."""
    now_s = 0.0
    limits = Limits(Settings(rpm=6000, burst_s=0.1), lambda: now_s)
    accepted = 0
    for tick in range(120_000):
        now_s = tick * 0.005
        accepted += limits.admit(1) is None

    assert accepted == pytest.approx(60_000 + 10, abs=2)


def test_a_request_over_the_capacity_is_let_in_and_paid_for_later() -> None:
    now_s = 0.0
    limits = Limits(Settings(tpm=600, burst_s=1), lambda: now_s)

    assert limits.admit(100) is None  # ten times the capacity of 10
    over = limits.admit(1)
    assert over is not None
    assert (over.unit, over.a_min) == ("tokens", 600)
    assert over.wait_s == pytest.approx(9.1)
    now_s = 9.2
    assert limits.admit(1) is None


def test_an_idle_bucket_saves_its_burst_and_at_least_one_request() -> None:
    now_s = 0.0
    five = Limits(Settings(rpm=60, burst_s=5), lambda: now_s)
    one = Limits(Settings(rpm=60, burst_s=0.1), lambda: now_s)
    now_s = 1000.0

    assert one.headers()["x-ratelimit-remaining-requests"] == "1"
    assert [five.admit(9) is None for _ in range(7)] == [True] * 5 + [False] * 2


def test_a_request_waits_for_all_the_tokens_it_needs() -> None:
    limits = Limits(Settings(tpm=600, burst_s=1), lambda: 0.0)

    assert limits.admit(5) is None
    over = limits.admit(7)
    assert over is not None
    assert over.wait_s == pytest.approx(0.2)  # two are missing, ten come a second
    assert limits.admit(5) is None


def test_what_one_limit_refuses_is_charged_on_none() -> None:
    limits = Limits(Settings(rpm=60, tpm=60, burst_s=2), lambda: 0.0)

    assert limits.admit(2) is None
    assert limits.admit(1) is not None  # no tokens left
    assert limits.headers()["x-ratelimit-remaining-requests"] == "1"


@pytest.mark.parametrize(
    ("duration_s", "shown"),
    [(0, "0s"), (0.12, "120ms"), (1.2, "1.2s"), (63, "1m3s"), (59.9999, "1m0s"), (3600, "1h0m0s")],
)
def test_a_duration_is_shown_as_go_does(duration_s: float, shown: str) -> None:
    assert go_duration(duration_s) == shown


async def test_over_http_the_limit_holds_and_says_when_to_come_back() -> None:
    began = time.monotonic()
    statuses: Counter[int] = Counter()
    async with endpoint(rpm=3000, burst_s=0.2) as client:
        while time.monotonic() < began + 1:
            status, headers, body = await client.post(chat())
            statuses[status] += 1
            if status == 429:
                wait_ms = int(headers["retry-after-ms"])
                assert 0 < wait_ms <= 20
                assert headers["retry-after"] == "1"
                assert body["error"]["code"] == "rate_limit_exceeded"
                assert body["error"]["type"] == "requests"
                await asyncio.sleep(0.002)
        took_s = time.monotonic() - began
        stats = await client.stats()

    assert statuses[429] > 0
    assert 20 < statuses[200] <= 10 + 50 * took_s + 1
    assert sum(stats["accepted_by_second"].values()) == statuses[200]


async def test_after_the_wait_it_was_told_a_request_is_let_in() -> None:
    async with endpoint(rpm=120, burst_s=0.1) as client:
        await client.post(chat())
        status, headers, _ = await client.post(chat())
        await asyncio.sleep(int(headers["retry-after-ms"]) / 1000)
        again, _, _ = await client.post(chat())

    assert (status, again) == (429, 200)


@pytest.mark.parametrize(("count", "cost"), [("usage", 10 + 2 * 6), ("reserved", 10 + 2 * 100)])
async def test_every_response_carries_openai_headers(count: str, cost: int) -> None:
    """A bucket of 6,000 tokens that refills one a second, so that time hardly counts."""
    limits = {"tpm": 60, "rpm": 60, "burst_s": 6000}
    async with endpoint(replies="echo", count=count, **limits) as client:
        _, headers, _ = await client.post(chat("x" * 40, max_tokens=100, n=2))
        _, on_error, _ = await client.post(b"{")

    assert headers["x-ratelimit-limit-tokens"] == "60"
    assert headers["x-ratelimit-limit-requests"] == "60"
    assert int(headers["x-ratelimit-remaining-tokens"]) in range(6000 - cost, 6000 - cost + 9)
    assert int(headers["x-ratelimit-remaining-requests"]) in range(5999, 6001)
    assert re.fullmatch(r"(\dm)?[\d.]+m?s", headers["x-ratelimit-reset-tokens"])
    assert on_error["x-ratelimit-limit-tokens"] == "60"


async def test_headers_take_anthropics_form_and_can_be_left_out() -> None:
    async with endpoint(rpm=60, headers="anthropic") as client:
        _, headers, _ = await client.post(chat())
    async with endpoint(rpm=60, headers="none") as client:
        _, none, _ = await client.post(chat())

    said = {name.lower(): value for name, value in headers.items() if "ratelimit" in name.lower()}
    reset = said.pop("anthropic-ratelimit-requests-reset")
    assert said == {
        "anthropic-ratelimit-requests-limit": "60",
        "anthropic-ratelimit-requests-remaining": "0",
    }  # and nothing of tokens, which have no limit here
    assert abs((datetime.fromisoformat(reset) - datetime.now(UTC)).total_seconds()) < 30
    assert not [name for name in none if "ratelimit" in name.lower()]


async def test_beyond_max_open_it_is_overloaded_and_names_no_wait() -> None:
    async with endpoint(max_open=2, latency="0.5") as client:
        async with asyncio.TaskGroup() as tasks:
            posts = [tasks.create_task(client.post(chat())) for _ in range(5)]
        results = [post.result() for post in posts]

    assert Counter(status for status, _, _ in results) == {200: 2, 503: 3}
    assert not any("retry-after" in headers for status, headers, _ in results if status == 503)


class Shout:
    """A maker of one's own."""

    def make(self, asked: Asked, choice: int) -> Made:
        return Made(text=f"{asked.text.upper()} {choice}", prompt_tokens=3, reply_tokens=5)


async def test_another_maker_can_be_put_in() -> None:
    async with (
        serving(Settings(), Shout()) as url,
        openai.AsyncOpenAI(api_key="any", base_url=url) as client,
    ):
        done = await client.chat.completions.create(
            model="m", n=2, messages=[{"role": "user", "content": "hello"}]
        )

    assert [choice.message.content for choice in done.choices] == ["HELLO 0", "HELLO 1"]
    assert done.usage is not None
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (3, 10)


def test_openais_own_client_agrees() -> None:
    flags = ("--models", "a,b", "--key", "good", "--rpm", 4, "--burst-s", 30, "--replies", "echo")
    with (
        simulated(*flags) as url,
        openai.OpenAI(api_key="good", base_url=url, max_retries=0) as client,
    ):
        listed = [model.id for model in client.models.list()]
        done = client.chat.completions.create(
            model="a",
            messages=[{"role": "user", "content": "hello"}],
            n=2,
            logprobs=True,
            top_logprobs=2,
        )
        text = client.completions.create(model="b", prompt="Once", max_tokens=2)
        with pytest.raises(openai.AuthenticationError, match="API key"):
            client.with_options(api_key="bad").models.list()
        with pytest.raises(openai.NotFoundError, match="'c' does not exist"):
            client.completions.create(model="c", prompt="Once")
        with pytest.raises(openai.BadRequestError, match="streaming is not offered"):
            client.completions.create(model="a", prompt="Once", stream=True)
        with pytest.raises(openai.RateLimitError, match="limit 4") as limited:
            client.completions.create(model="a", prompt="Once")

    assert listed == ["a", "b"]
    assert [choice.message.content for choice in done.choices] == [echo("hello")] * 2
    assert done.choices[1].logprobs is not None
    assert done.choices[1].logprobs.content is not None
    assert [len(token.top_logprobs) for token in done.choices[1].logprobs.content] == [2] * 6
    assert (text.choices[0].text, text.choices[0].finish_reason) == (echo("Once")[:8], "length")
    assert limited.value.code == "rate_limit_exceeded"
    assert int(limited.value.response.headers["retry-after"]) in range(1, 16)
