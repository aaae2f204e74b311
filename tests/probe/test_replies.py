"""Bodies that servers send, read into replies or troubles; none of them may stop a run."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.providers.base import Reply
from probe.providers.replies import one_line, read_refusal, read_reply
from probe.retry import Trouble, Verdict, verdict
from probe.run import reply_row
from store.rows import AttemptRow, ReplyRow, mistyped


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


def finished(reason: str | None, content: str | None = "Ham") -> str:
    return body(choices=[{"finish_reason": reason, "message": {"content": content}}])


def read(raw: str, wanted: int = 1) -> Reply:
    """A body that must be a reply."""
    found = read_reply(raw, wanted)
    assert isinstance(found, Reply)
    return found


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


def test_a_body_of_the_older_api_is_a_reply_too() -> None:
    choices = [{"text": " Hamlet", "index": 0, "logprobs": None, "finish_reason": "length"}]

    found = read(body(choices=choices))

    assert (found.text, found.outcome, found.finish_reason) == (" Hamlet", "truncated", "length")
    assert (found.prompt_tokens, found.reply_tokens) == (5, 2)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_what_a_model_thought_first_is_kept_beside_the_reply(name: str) -> None:
    found = read(body(choices=message("Hamlet", **{name: "A Dane, so…"})))

    assert (found.text, found.reasoning) == ("Hamlet", "A Dane, so…")


@pytest.mark.parametrize("thought", [None, "", 7, {"text": "x"}, []])
def test_what_is_no_thought_does_not_lose_the_reply(thought: object) -> None:
    found = read(body(choices=message("Hamlet", reasoning_content=thought)))

    assert found.text == "Hamlet"
    assert not found.reasoning


def test_a_reply_cut_while_it_was_reasoning_is_empty_and_truncated() -> None:
    choices = [{"finish_reason": "length", "message": {"content": None, "reasoning": "Well"}}]

    found = read(body(choices=choices))

    assert (found.outcome, found.text, found.reasoning) == ("truncated", "", "Well")


def test_details_of_the_usage_are_kept() -> None:
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 512, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 256},
    }

    found = read(body(usage=usage))

    assert (found.prompt_tokens, found.reply_tokens) == (1000, 300)
    assert (found.cached_tokens, found.reasoning_tokens) == (512, 256)


def test_several_choices_are_replies_of_their_own_and_tokens_count_once() -> None:
    choices = [
        {"index": n, "finish_reason": reason, "message": {"content": text}}
        for n, (text, reason) in enumerate(
            [("Emma", "stop"), ("Persua", "length"), (None, "SAFETY")]
        )
    ]

    found = read(body(choices=choices, usage={"prompt_tokens": 9, "completion_tokens": 30}), 3)

    assert [(each.text, each.outcome) for each in (found, *found.more)] == [
        ("Emma", "ok"),
        ("Persua", "truncated"),
        (None, "filtered"),
    ]
    assert [each.reply_tokens for each in (found, *found.more)] == [30, None, None]
    assert [json.loads(each.raw) for each in found.more] == choices[1:]
    assert {each.served_model for each in found.more} == {"m"}


def test_fewer_choices_than_were_asked_for_are_those_that_came() -> None:
    found = read(body(choices=message("a") + message("b")), 4)

    assert [each.text for each in (found, *found.more)] == ["a", "b"]


def test_choices_that_were_not_asked_for_are_left() -> None:
    assert read(body(choices=message("a") + message("b"))).more == ()


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("stop", "ok"),
        ("STOP", "ok"),
        ("end_turn", "ok"),
        ("eos", "ok"),
        (None, "ok"),
        ("length", "truncated"),
        ("MAX_TOKENS", "truncated"),
        ("content_filter", "filtered"),
        ("SAFETY", "filtered"),
        ("RECITATION", "filtered"),
        ("PROHIBITED_CONTENT", "filtered"),
        ("refusal", "refused"),
    ],
)
def test_why_a_reply_ended_decides_its_outcome(reason: str | None, outcome: str) -> None:
    found = read(finished(reason))

    assert (found.outcome, found.finish_reason, found.text) == (outcome, reason, "Ham")


def test_a_filtered_reply_without_a_text_has_none() -> None:
    """An empty text would be a reply that says nothing."""
    assert read(finished("content_filter", None)).text is None


def test_a_refusal_is_the_text_of_a_refused_reply() -> None:
    found = read(body(choices=message(None, refusal="I will not")))

    assert (found.outcome, found.text) == ("refused", "I will not")


PARTS = [{"type": "text", "text": "Ham"}, {"type": "text", "text": "let"}]
THOUGHT = [{"type": "thinking", "thinking": "A Dane"}, {"type": "text", "text": "Hamlet"}]


@pytest.mark.parametrize(
    ("raw", "text", "tokens"),
    [
        (body(usage=None), "Hamlet", None),
        (body(usage={"prompt_tokens": "5"}), "Hamlet", None),
        (body(usage={"prompt_tokens": 5.5}), "Hamlet", None),
        (body(usage={"prompt_tokens": True}), "Hamlet", None),
        (body(usage={"prompt_tokens": -5}), "Hamlet", None),
        (body(usage={"prompt_tokens": 10**40}), "Hamlet", None),
        (body(usage={"prompt_tokens": 5, "prompt_tokens_details": None}), "Hamlet", 5),
        (body(model=["m"], system_fingerprint=7), "Hamlet", 5),
        (body(choices=message(PARTS)), "Hamlet", 5),
        (body(choices=message(THOUGHT)), "Hamlet", 5),
        (body(choices=message([])), "", 5),
        (body(choices=message(None)), "", 5),
        (body(choices=message(None, refusal="I will not")), "I will not", 5),
        (body(choices=[{"finish_reason": "content_filter", "message": {}}]), None, 5),
        (body(choices=[{"finish_reason": 7, "message": {"content": "Hamlet"}}]), "Hamlet", 5),
        (body(choices=message("")), "", 5),
    ],
)
def test_what_a_server_leaves_out_or_spells_oddly_does_not_lose_the_reply(
    raw: str, text: str | None, tokens: int | None
) -> None:
    found = read(raw)

    assert (found.text, found.prompt_tokens, found.raw) == (text, tokens, raw)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "null",
        "[]",
        "7",
        "{",
        "<html>502</html>",
        '{"choices": []}',
        '{"choices": 3}',
        '{"choices": [null]}',
        '{"choices": [{"text": 5}]}',
        '{"choices": [{"text": null}]}',
        '{"choices": [{"finish_reason": "stop"}]}',
        '{"error": {"message": "x"}}',
        body(choices=message(7)),
        body(choices=message([{"type": "text"}])),
        body()[:-1],
        "[" * 100_000,
        '{"choices": ' * 5_000 + "1" + "}" * 5_000,
        '{"choices": [' + "9" * 5_000 + "]}",
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_what_is_no_completion_is_tried_again(raw: str) -> None:
    """The server may have billed it all the same."""
    found = read_reply(raw)

    assert isinstance(found, Trouble)
    assert verdict(found) is Verdict.AGAIN
    assert found.perhaps_billed
    assert len(found.message) <= 300


def test_half_of_a_surrogate_pair_is_taken_as_it_came() -> None:
    raw = body(choices=message("Ham")).replace("Ham", "Ham\\ud83c")

    assert read(raw).text == "Ham\ud83c"


def stored(reply: Reply) -> ReplyRow:
    attempt = AttemptRow(
        key="k",
        run_id="r",
        attempt=1,
        started_at=datetime.now(UTC),
        latency_s=0.1,
        status=200,
        error_kind=None,
        error=None,
    )
    return reply_row(reply, key="k", attempt=attempt)


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
    choices = [
        {"finish_reason": finish, "message": {"content": content, "refusal": extra}},
        {"finish_reason": finish, "message": {"content": "x", "reasoning_content": extra}},
    ]

    for raw in (body(model=model, usage=usage, choices=choices), json.dumps(extra)):
        found = read_reply(raw, 2)
        assert isinstance(found, Reply | Trouble)
        if isinstance(found, Reply):
            for each in (found, *found.more):
                assert mistyped(stored(each)) is None  # it can be stored


@given(status=st.integers(100, 599), raw=st.text() | json_values.map(json.dumps))
def test_no_refusal_raises(status: int, raw: str) -> None:
    found = read_refusal(status, raw, None)

    assert isinstance(found, Reply | Trouble)
    assert found.status == status


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    "error",
    [
        {"message": "The response was filtered", "code": "content_filter"},
        {"message": "triggering Azure OpenAI's content management policy"},
        {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}},
        {"message": "x", "code": "content_policy_violation"},
    ],
)
def test_a_content_filters_refusal_is_a_reply(status: int, error: dict[str, object]) -> None:
    """It is the server's answer to this prompt: asking again would bring the same."""
    found = read_refusal(status, json.dumps({"error": error}), None)

    assert isinstance(found, Reply)
    assert (found.outcome, found.text, found.status) == ("filtered", None, status)


def test_a_refusal_for_load_is_no_filters_whatever_it_says() -> None:
    found = read_refusal(429, '{"error": {"message": "content_filter is overloaded"}}', 3.0)

    assert isinstance(found, Trouble)
    assert (found.kind, found.status, found.retry_after_s) == ("http 429", 429, 3.0)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('{"error": {"message": "Too long", "code": "length"}}', "Too long (length)"),
        ('{"error": {"message": "Too long", "type": "bad"}}', "Too long (bad)"),
        ('{"error": {"message": "Too long"}}', "Too long"),
        ('{"error": "Too long"}', "Too long"),
        ('[{"error": {"message": "Too long", "code": 400}}]', "Too long (400)"),
        ("<html>\n  Too   long </html>", "<html> Too long </html>"),
        ("", ""),
    ],
)
def test_what_an_error_says_is_kept_on_one_line(raw: str, said: str) -> None:
    found = read_refusal(418, raw, None)

    assert isinstance(found, Trouble)
    assert found.message == said


def test_one_line_is_short_however_long_the_text_is() -> None:
    line = one_line("x\n" * 10_000)

    assert 250 < len(line) <= 300
    assert "\n" not in line
