"""What an endpoint can do is found out by asking, said once, and decides how all else is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from probe.errors import ProviderDown
from probe.model_spec import ModelSpec
from probe.providers import Local, OpenAIChat
from probe.providers.base import Reply, Request, Served
from probe.providers.vllm import Vllm
from probe.retry import Trouble
from prompts.likelihood import Likelihood
from prompts.tasks.base import Asks
from store.assets import fetch
from store.catalogue import SMOLLM2
from tests.probe.likelihoods_for_tests import Kind, Teller, telling

ALL: tuple[Asks, ...] = ("reply", "continuation", "likelihood")
TEXT = "The cat sat down."


def model(base_url: str, **told: object) -> ModelSpec:
    usual = {"name": "m", "provider": "openai", "model": "fake", "base_url": base_url}
    return ModelSpec.model_validate(usual | told)


@asynccontextmanager
async def opened(
    teller: Teller, asks: tuple[Asks, ...] = ALL, **told: object
) -> AsyncIterator[tuple[OpenAIChat, Served]]:
    async with telling(teller) as url:
        chat = OpenAIChat(model(url, **told), url)
        try:
            yield chat, await chat.open(asks)
        finally:
            await chat.close()


async def likelihood(chat: OpenAIChat, text: str = TEXT) -> Reply | Trouble:
    request = Request(text=text, asks="likelihood")
    return (await chat.ask(chat.body(request), "likelihood")).result


@pytest.mark.parametrize("kind", ["vllm", "echo", "echo that writes"])
async def test_a_likelihood_is_asked_for_in_the_way_that_was_found_to_work(kind: Kind) -> None:
    teller = Teller(kind=kind)
    async with opened(teller) as (chat, served):
        found = await likelihood(chat)

    assert isinstance(found, Reply)
    assert found.likelihood is not None
    assert found.likelihood.offsets == (0, 3, 7, 11)
    assert found.likelihood.logprobs == (None, -4.0, -4.0, -6.0)
    assert served.unavailable == {}
    path, asked = teller.heard[-1]
    assert path == "/v1/completions"
    assert {name: asked.get(name) for name in ("prompt_logprobs", "echo", "max_tokens")} == {
        "vllm": {"prompt_logprobs": 1, "echo": None, "max_tokens": 1},
        "echo": {"prompt_logprobs": None, "echo": True, "max_tokens": 0},
        "echo that writes": {"prompt_logprobs": None, "echo": True, "max_tokens": 1},
    }[kind]


async def test_vllms_answer_has_ids_and_ranks_and_the_next_likeliest_where_asked_for() -> None:
    async with opened(Teller(kind="vllm"), params={"prompt_logprobs": 2}) as (chat, served):
        found = await likelihood(chat, "a b")

    assert isinstance(found, Reply)
    told = found.likelihood
    assert told is not None
    assert replace(told, means=(), variances=(), exact=True) == Likelihood(
        offsets=(0, 1), logprobs=(None, -2.0), token_ids=(100, 101), ranks=(None, 2)
    )
    # Of -0.5 and -2 with shares as 1 to e^-1.5: 0.817574 and 0.182426.
    assert told.means[1] == pytest.approx(-0.773638, abs=1e-6)
    assert told.variances[1] == pytest.approx(0.335580, abs=1e-6)
    assert told.exact is False
    assert served.facts["likelihood"] == {"by": "prompt_logprobs", "likeliest": 2}


@pytest.mark.parametrize("kind", ["vllm", "echo"])
async def test_what_the_server_puts_before_a_text_is_found_out_and_left_out(kind: Kind) -> None:
    async with opened(Teller(kind=kind, opens="<s>")) as (chat, _):
        found = await likelihood(chat)

    assert isinstance(found, Reply)
    assert found.likelihood is not None
    assert found.likelihood.offsets == (0, 3, 7, 11)
    assert found.likelihood.logprobs == (-3.0, -4.0, -4.0, -6.0)


UNABLE: dict[Kind, str] = {
    "ignores echo": "gives no log-probabilities of the prompt: it takes neither `prompt_logprobs`"
    " nor `echo`",
    "refuses": "prompt_logprobs: logprobs are not supported with this model",
    "chat only": "has no /completions for this model",
}


@pytest.mark.parametrize("kind", UNABLE)
async def test_an_endpoint_that_cannot_says_so_once_before_anything_is_asked(kind: Kind) -> None:
    """llama.cpp's server is the one that takes `echo` and ignores it."""
    teller = Teller(kind=kind)
    async with opened(teller) as (chat, served):
        reply = await chat.ask(chat.body(Request(text="Hello?")))

        with pytest.raises(RuntimeError, match="the endpoint does not give"):
            chat.body(Request(text=TEXT, asks="likelihood"))

    assert UNABLE[kind] in served.unavailable["likelihood"]
    assert ("continuation" in served.unavailable) == (kind == "chat only")
    assert isinstance(reply.result, Reply)
    assert reply.result.text == "a reply"


async def test_who_asks_for_replies_alone_is_asked_nothing_before() -> None:
    teller = Teller(kind="vllm")
    async with opened(teller, ("reply",)) as (_, served):
        pass

    assert teller.heard == []
    assert served.unavailable == {}


async def test_a_passage_is_continued_greedily_with_what_completions_take() -> None:
    teller = Teller(kind="ignores echo")
    params = {"max_tokens": 99, "seed": 3, "response_format": {"type": "json_object"}}
    async with opened(teller, ("continuation",), params=params) as (chat, served):
        body = chat.body(Request(text=TEXT, asks="continuation", reply_tokens=50, sample=1))
        found = (await chat.ask(body, "continuation")).result

    assert isinstance(found, Reply)
    assert found.text == " and" * 50
    assert served.unavailable == {}
    assert teller.heard[-1] == (
        "/v1/completions",
        {"model": "fake", "prompt": TEXT, "max_tokens": 50, "temperature": 0.0, "seed": 4},
    )


async def test_a_temperature_of_the_users_goes_before_the_greedy_one() -> None:
    params = {"temperature": 0.9, "n": 2}
    async with opened(Teller(kind="vllm"), ("continuation",), params=params) as (chat, _):
        body = chat.body(Request(text=TEXT, asks="continuation", reply_tokens=5))

    assert b'"temperature":0.9' in body
    assert b'"n":2' in body


async def test_an_overload_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe.providers.capabilities._LONGEST_WAIT_S", 0.01)
    busy = (503, json_error("busy"))
    async with opened(Teller(kind="vllm", first=[busy, busy])) as (chat, served):
        found = await likelihood(chat)

    assert isinstance(found, Reply)
    assert served.unavailable == {}


async def test_a_fault_of_the_server_is_no_inability_unless_it_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that stays for what vLLM alone takes leaves the other way to ask."""
    monkeypatch.setattr("probe.providers.capabilities._LONGEST_WAIT_S", 0.01)
    fault = (500, json_error("oops"))
    async with opened(Teller(kind="vllm", first=[fault])) as (_, once):
        pass
    async with opened(Teller(kind="echo", first=[fault] * 3)) as (_, thrice):
        pass

    assert once.facts["likelihood"] == {"by": "prompt_logprobs", "likeliest": 1}
    assert thrice.facts["likelihood"] == {"by": "echo", "likeliest": 1}


DOWN: dict[str, tuple[int, str, str]] = {
    "a wrong key": (401, "Unauthorized", "check api_key_env (none is set)"),
    "a model it does not have": (404, "The model `fake` does not exist.", "check `model`"),
    "an overload that stays": (503, "overloaded", "run again"),
}


@pytest.mark.parametrize("case", DOWN)
async def test_what_is_no_matter_of_ability_stops_the_model(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not put down as unavailable for good."""
    monkeypatch.setattr("probe.providers.capabilities._LONGEST_WAIT_S", 0.01)
    status, said, fix = DOWN[case]
    teller = Teller(kind="vllm", first=[(status, json_error(said))] * 9)

    with pytest.raises(ProviderDown, match="asked what it can do") as caught:
        async with opened(teller):
            pass

    assert said in str(caught.value)
    assert fix in str(caught.value)


async def test_an_endpoint_that_is_not_there_stops_the_model() -> None:
    chat = OpenAIChat(model("http://127.0.0.1:9/v1"), "http://127.0.0.1:9/v1")

    with pytest.raises(ProviderDown, match="start the server or check `base_url`"):
        await chat.open(ALL)
    await chat.close()


async def test_tokens_that_are_not_the_texts_are_a_trouble_of_that_one_request() -> None:
    teller = Teller(kind="vllm", shown={" cat": " dog"})
    async with opened(teller) as (chat, _):
        wrong = await likelihood(chat)
        right = await likelihood(chat, "The sun sat.")

    assert isinstance(wrong, Trouble)
    assert wrong.kind == "tokens do not add up"
    assert isinstance(right, Reply)


async def test_a_running_vllm_is_attached_to_and_its_version_kept() -> None:
    async with telling(Teller(kind="vllm")) as url:
        vllm = Vllm(model(url, provider="vllm"), None, Path("unused"))
        served = await vllm.open(ALL)
        found = await vllm.ask(vllm.body(Request(text=TEXT, asks="likelihood")), "likelihood")
        await vllm.close()

    assert served.facts["version"] == "9.8.7"
    assert served.facts["listed"] == {"id": "fake", "max_model_len": 512}
    assert isinstance(found.result, Reply)


def json_error(message: str) -> str:
    return f'{{"error": {{"message": "{message}"}}}}'


@pytest.mark.local
async def test_the_embedded_server_says_that_it_has_none(tmp_path: Path) -> None:
    """llama.cpp's own server, for real: it continues texts, takes `echo` and ignores it."""
    pytest.importorskip("xllamacpp", reason="needs the `local` extra")
    spec = ModelSpec.model_validate({"name": "m", "provider": "local", "model": "smollm2-135m"})
    local = Local(spec, fetch(SMOLLM2, lambda *_: None), tmp_path / "log")
    try:
        served = await local.open(ALL)
        body = local.body(Request(text=TEXT, asks="continuation", reply_tokens=4))
        continued = (await local.ask(body, "continuation")).result
    finally:
        await local.close()

    assert served.unavailable.keys() == {"likelihood"}
    assert "takes neither `prompt_logprobs` nor `echo`" in served.unavailable["likelihood"]
    assert isinstance(continued, Reply)
    assert continued.text
