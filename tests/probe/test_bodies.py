"""What is sent: the openai SDK is the oracle, asked for the same thing at the same wire."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import openai
import pytest

from probe.model_spec import ModelSpec
from probe.providers.openai_chat import request_body

SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "answer",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title"],
            "additionalProperties": False,
        },
    },
}
TEXT = "Which work is “Émma” from?\nAnswer with the title 🎭."


@dataclass(slots=True)
class Wire:
    """A server that keeps what it is sent, and answers nothing of use."""

    url: str
    sent: list[tuple[str, Any]] = field(default_factory=list)


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    found = Wire("")

    class Keeper(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.sent.append((self.path, json.loads(body)))
            self.send_response(400)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Keeper) as server:
        found.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def sdk(wire: Wire) -> Iterator[openai.OpenAI]:
    with closing(openai.OpenAI(api_key="none", base_url=wire.url, max_retries=0)) as client:
        yield client


def model(**told: object) -> ModelSpec:
    usual = {"name": "m", "provider": "openai", "model": "org/m", "base_url": "http://host/v1"}
    return ModelSpec.model_validate(usual | told)


def ours(spec: ModelSpec, sample: int = 0) -> Any:  # noqa: ANN401 - JSON
    return json.loads(request_body(spec, spec.body_params, TEXT, sample))


CHAT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "temperature": {"temperature": 0.0},
    "a temperature between": {"temperature": 0.7, "top_p": 0.95},
    "a seed": {"temperature": 1.0, "seed": 7},
    "several samples": {"n": 4, "temperature": 1.0},
    "log probabilities": {"logprobs": True, "top_logprobs": 5},
    "a schema": {"response_format": SCHEMA, "max_completion_tokens": 64},
    "effort": {"reasoning_effort": "low", "max_completion_tokens": 2048},
    "stops and penalties": {"stop": ["\n\n", "END"], "frequency_penalty": 0.5, "max_tokens": 9},
    "biases": {"logit_bias": {"50256": -100}, "user": "someone"},
}


@pytest.mark.parametrize("case", CHAT)
def test_a_chat_body_is_the_sdks(case: str, wire: Wire, sdk: openai.OpenAI) -> None:
    params = CHAT[case]
    with pytest.raises(openai.BadRequestError, match="400"):
        sdk.chat.completions.create(
            model="org/m", messages=[{"role": "user", "content": TEXT}], **params
        )

    assert wire.sent[-1] == ("/v1/chat/completions", ours(model(params=params)))


LEGACY: dict[str, dict[str, Any]] = {
    "nothing": {},
    "the usual": {"temperature": 0.0, "max_tokens": 16},
    "log probabilities": {"logprobs": 5, "echo": True, "max_tokens": 1},
    "several samples": {"n": 3, "best_of": 3, "seed": 5},
}


@pytest.mark.parametrize("case", LEGACY)
def test_a_body_of_the_older_api_is_the_sdks(case: str, wire: Wire, sdk: openai.OpenAI) -> None:
    params = LEGACY[case]
    with pytest.raises(openai.BadRequestError, match="400"):
        sdk.completions.create(model="org/m", prompt=TEXT, **params)

    assert wire.sent[-1] == ("/v1/completions", ours(model(api="completions", params=params)))


def test_what_is_beside_the_usual_parameters_is_sent_as_the_sdk_sends_it(
    wire: Wire, sdk: openai.OpenAI
) -> None:
    """Deep values too, such as those that vLLM and llama.cpp take."""
    extra = {
        "top_k": 20,
        "chat_template_kwargs": {"enable_thinking": False},
        "provider": {"order": ["a", "b"]},
    }
    with pytest.raises(openai.BadRequestError, match="400"):
        sdk.chat.completions.create(
            model="org/m",
            messages=[{"role": "user", "content": TEXT}],
            temperature=0.5,
            extra_body=extra,
        )

    ask = model(params={"temperature": 0.5}, extra_body=extra)
    assert wire.sent[-1] == ("/v1/chat/completions", ours(ask))


def test_a_seed_goes_up_with_the_sample_and_nothing_else_changes() -> None:
    spec = model(params={"seed": 4, "temperature": 1.0})

    bodies = [ours(spec, sample) for sample in (0, 2)]

    assert bodies[0] == {
        "model": "org/m",
        "messages": [{"role": "user", "content": TEXT}],
        "seed": 4,
        "temperature": 1.0,
    }
    assert bodies[1] == bodies[0] | {"seed": 6}


def test_a_seed_among_the_extras_goes_up_too() -> None:
    spec = model(extra_body={"seed": 4})

    assert [ours(spec, sample)["seed"] for sample in (0, 1, 2)] == [4, 5, 6]


def test_the_same_cell_gives_the_same_bytes() -> None:
    spec = model(params={"temperature": 0.1, "stop": ["a"]})

    bodies = {request_body(spec, dict(spec.body_params), TEXT, 3) for _ in range(3)}

    assert len(bodies) == 1
