"""Bodies that servers send, read into replies or troubles; none of them may stop a run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.providers.base import Reply
from probe.providers.openai_chat import chat_body, read_reply
from probe.retry import Trouble, Verdict, verdict
from probe.run import reply_row
from store.rows import ReplyRow, mistyped


def body(**changes: object) -> str:
    """A usual body with some of its fields changed."""
    usual: dict[str, Any] = {
        "model": "m",
        "system_fingerprint": "f",
        "choices": [{"finish_reason": "stop", "message": {"content": "Hamlet"}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    }
    return json.dumps(usual | changes)


def message(content: object, **more: object) -> list[dict[str, object]]:
    return [{"finish_reason": "stop", "message": {"content": content, **more}}]


def test_a_usual_body_is_a_reply_with_all_it_says() -> None:
    raw = body()

    assert read_reply(raw) == Reply(
        outcome="ok",
        text="Hamlet",
        finish_reason="stop",
        served_model="m",
        fingerprint="f",
        prompt_tokens=5,
        reply_tokens=2,
        raw=raw,
    )


PARTS = [{"type": "text", "text": "Ham"}, {"type": "text", "text": "let"}]


@pytest.mark.parametrize(
    ("raw", "text", "tokens"),
    [
        (body(usage=None), "Hamlet", None),
        (body(usage={"prompt_tokens": "5"}), "Hamlet", None),
        (body(usage={"prompt_tokens": 5.5}), "Hamlet", None),
        (body(usage={"prompt_tokens": 10**40}), "Hamlet", None),
        (body(model=["m"], system_fingerprint=7), "Hamlet", 5),
        (body(choices=message(PARTS)), "Hamlet", 5),
        (body(choices=message(None)), "", 5),
        (body(choices=message(None, refusal="I will not")), "I will not", 5),
        (body(choices=[{"finish_reason": "content_filter", "message": {}}]), None, 5),
        (body(choices=message("")), "", 5),
    ],
)
def test_what_a_server_leaves_out_or_spells_oddly_does_not_lose_the_reply(
    raw: str, text: str | None, tokens: int | None
) -> None:
    reply = read_reply(raw)

    assert isinstance(reply, Reply)
    assert (reply.text, reply.prompt_tokens, reply.raw) == (text, tokens, raw)


@pytest.mark.parametrize(
    "raw", ["", "null", "[]", "{", '{"choices": []}', '{"choices": 3}', body(choices=message(7))]
)
def test_what_is_no_completion_is_tried_again(raw: str) -> None:
    trouble = read_reply(raw)

    assert isinstance(trouble, Trouble)
    assert verdict(trouble) is Verdict.AGAIN


def stored(reply: Reply) -> ReplyRow:
    return reply_row(reply, key="k", run_id="r", attempts=1, latency_s=0.1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    model=json_values, usage=json_values, content=json_values, finish=json_values, extra=json_values
)
def test_no_body_raises(
    model: object, usage: object, content: object, finish: object, extra: object
) -> None:
    choices = [{"finish_reason": finish, "message": {"content": content, "refusal": extra}}]

    for raw in (body(model=model, usage=usage, choices=choices), json.dumps(extra)):
        read = read_reply(raw)
        assert isinstance(read, Reply | Trouble)
        if isinstance(read, Reply):
            assert mistyped(stored(read)) is None  # it can be stored


def test_a_seed_goes_up_with_the_sample_and_nothing_else_changes() -> None:
    bodies = [json.loads(chat_body("m", {"seed": 4, "temperature": 1.0}, "Hé", n)) for n in (0, 2)]

    assert bodies[0] == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hé"}],
        "seed": 4,
        "temperature": 1.0,
    }
    assert bodies[1] == bodies[0] | {"seed": 6}
