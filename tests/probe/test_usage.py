"""What requests use and cost: worst cases that hold, estimates that learn, prices that fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.model_spec import ModelSpec
from probe.prices import price_of
from probe.providers.base import Reply
from probe.providers.openai_chat import request_body
from probe.usage import Usage, estimate_tokens, most_reply_tokens, reply_limit

DEAR = {"input_usd_per_m": 2.0, "output_usd_per_m": 8.0}
CACHED = DEAR | {"cached_input_usd_per_m": 0.5}


def model(**told: object) -> ModelSpec:
    usual = {"name": "m", "provider": "openai", "model": "m", "base_url": "http://host/v1"}
    return ModelSpec.model_validate(usual | told)


REPLY = Reply(
    outcome="ok",
    text="Emma",
    finish_reason="stop",
    served_model=None,
    fingerprint=None,
    prompt_tokens=None,
    reply_tokens=None,
    raw="{}",
)


def reply(sent: int | None, back: int | None, cached: int | None = None) -> Reply:
    return replace(REPLY, prompt_tokens=sent, reply_tokens=back, cached_tokens=cached)


@given(
    text=st.text(max_size=200),
    most=st.integers(1, 4096),
    samples=st.integers(1, 4),
    used=st.floats(0, 1),
    cached=st.floats(0, 1),
)
def test_the_worst_case_covers_every_reply_within_the_limit(
    text: str, most: int, samples: int, used: float, cached: float
) -> None:
    """Even where each byte that is sent is a token, and every sample is as long as it may be."""
    spec = model(price=CACHED, params={"max_tokens": most, "n": samples})
    usage = Usage(spec)
    body = request_body(spec, spec.body_params, text, 0)
    sent = len(text.encode())

    bill = usage.usd(reply(sent, round(used * most * samples), round(cached * sent)))

    assert bill is not None
    assert 0 <= bill <= usage.most_usd(body) * (1 + 1e-12)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
@pytest.mark.parametrize("place", ["params", "extra_body"])
def test_the_limit_on_a_replys_length_is_found_wherever_it_stands(name: str, place: str) -> None:
    assert reply_limit(model(**{place: {name: 77}})) == 77
    assert most_reply_tokens(model(**{place: {name: 77}})) == 77


def test_without_a_limit_a_length_is_assumed_for_forecasts_alone() -> None:
    assert reply_limit(model()) is None
    assert most_reply_tokens(model()) > 0


def test_a_bill_is_made_of_fresh_cached_and_reply_tokens() -> None:
    assert Usage(model(price=CACHED)).usd(reply(1000, 100, 400)) == pytest.approx(
        (600 * 2.0 + 400 * 0.5 + 100 * 8.0) / 1e6
    )


def test_cached_tokens_cost_the_same_where_no_price_of_their_own_is_told() -> None:
    assert Usage(model(price=DEAR)).usd(reply(1000, 100, 400)) == pytest.approx(2800 / 1e6)


def test_more_cached_tokens_than_were_sent_are_not_paid_back() -> None:
    assert Usage(model(price=CACHED)).usd(reply(10, 0, 10**9)) == pytest.approx(10 * 0.5 / 1e6)


def test_a_cached_price_of_nothing_is_nothing() -> None:
    free = DEAR | {"cached_input_usd_per_m": 0.0}

    assert Usage(model(price=free)).usd(reply(1000, 0, 1000)) == 0


@pytest.mark.parametrize("counts", [(None, None), (5, None), (None, 5)])
def test_without_the_servers_counts_the_cost_is_not_known(counts: tuple[int, int]) -> None:
    """It is never taken for nothing."""
    assert Usage(model(price=DEAR)).usd(reply(*counts)) is None


def test_without_a_price_no_cost_is_known_and_none_is_reserved() -> None:
    usage = Usage(model(params={"max_tokens": 10}))

    assert not usage.priced
    assert usage.usd(reply(5, 5)) is None
    assert usage.most_usd(b"x" * 100) == 0


def test_a_local_model_costs_nothing() -> None:
    usage = Usage(model(provider="local", base_url=None))

    assert usage.priced
    assert usage.usd(reply(5, 5)) == 0
    assert usage.most_usd(b"x" * 100) == 0


def test_the_first_estimate_is_the_longest_reply_of_every_sample() -> None:
    usage = Usage(model(params={"max_tokens": 50, "n": 3}))

    assert usage.expected(100) == {
        "requests": 1,
        "input_tokens": 100,
        "output_tokens": 150,
        "tokens": 250,
    }


def test_estimates_follow_what_the_server_counts() -> None:
    usage = Usage(model(params={"max_tokens": 1000}))

    for _ in range(200):
        usage.learn(reply(150, 20), input_tokens=100)

    expected = usage.expected(200)
    assert expected["input_tokens"] == pytest.approx(300, rel=0.01)
    assert expected["output_tokens"] == pytest.approx(20, rel=0.01)
    assert expected["tokens"] == pytest.approx(320, rel=0.01)
    assert (usage.input_tokens, usage.output_tokens) == (200 * 150, 200 * 20)


def test_one_odd_count_moves_an_estimate_a_little_only() -> None:
    usage = Usage(model(params={"max_tokens": 1000}))
    for _ in range(200):
        usage.learn(reply(100, 20), input_tokens=100)

    usage.learn(reply(1000, 200), input_tokens=100)

    assert usage.expected(100)["input_tokens"] < 150
    assert usage.expected(100)["output_tokens"] < 30


def test_what_was_used_is_told_by_kind_and_not_where_the_server_is_silent() -> None:
    usage = Usage(model())

    assert usage.learn(reply(7, 3), 5) == {"input_tokens": 7, "output_tokens": 3, "tokens": 10}
    assert usage.learn(reply(None, 3), 5) == {}
    assert (usage.input_tokens, usage.output_tokens) == (7, 3)


def test_a_text_is_some_four_characters_a_token() -> None:
    assert estimate_tokens("") > 0
    assert estimate_tokens("x" * 4000) == pytest.approx(1000, rel=0.01)


@pytest.mark.parametrize(
    ("url", "name", "known"),
    [
        ("https://api.openai.com/v1", "gpt-4o-mini", True),
        ("https://API.OpenAI.com:443/v1", "gpt-4o-mini", True),
        ("https://api.openai.com.elsewhere.org/v1", "gpt-4o-mini", False),
        ("https://elsewhere.org/api.openai.com/v1", "gpt-4o-mini", False),
        ("http://127.0.0.1:8000/v1", "gpt-4o-mini", False),
        ("https://api.openai.com/v1", "gpt-4o-mini-2", False),
    ],
)
def test_a_list_price_is_for_its_makers_own_address(url: str, name: str, known: bool) -> None:  # noqa: FBT001 - a case
    assert (price_of(model(base_url=url, model=name)) is not None) == known


def test_a_list_price_is_dated() -> None:
    price = price_of(model(base_url="https://api.openai.com/v1", model="gpt-4o-mini"))

    assert price is not None
    assert price.as_of == date(2025, 6, 1)
    assert price.cached_input_usd_per_m is not None
    assert price.cached_input_usd_per_m < price.input_usd_per_m < price.output_usd_per_m


def test_the_files_own_price_counts_before_the_list() -> None:
    own = model(base_url="https://api.openai.com/v1", model="gpt-4o-mini", price=DEAR)

    assert price_of(own) == own.price
