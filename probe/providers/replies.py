"""Reads the bodies of OpenAI-compatible servers: replies, and what their errors say. Pure."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

import orjson

from probe.providers.base import Reply
from probe.retry import Trouble
from store.rows import Outcome

_FINISH: Final[dict[str | None, Outcome]] = {
    "length": "truncated",
    "max_tokens": "truncated",
    "content_filter": "filtered",
    "safety": "filtered",
    "recitation": "filtered",
    "blocklist": "filtered",
    "prohibited_content": "filtered",
    "spii": "filtered",
    "refusal": "refused",
}
"""By the finish reason in lower case; every other is `ok`."""
_FILTER_WORDS: Final = (
    "content_filter",
    "content management policy",
    "responsibleai",
    "content_policy_violation",
    "recitation",
)
_SHOWN: Final = 300
_BROKEN: Final = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    RecursionError,
)


def loads(raw: str) -> Any:  # noqa: ANN401 - JSON
    """Parsed JSON; halves of surrogate pairs are taken.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested too deep.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return json.loads(raw)


def read_reply(raw: str, wanted: int = 1) -> Reply | Trouble:
    """A 200 body as a reply; one that is no completion is a trouble to try again.

    Args:
        raw: The body, of /chat/completions or /completions.
        wanted: Choices asked for (count); what is missing of them is missing from `more`.
    """
    try:
        parsed = loads(raw)
        first, *rest = (_Choice(choice) for choice in parsed["choices"][:wanted])
        usage = _object(parsed.get("usage"))
        details = _object(usage.get("completion_tokens_details"))
        cached = _object(usage.get("prompt_tokens_details"))
        return Reply(
            outcome=first.outcome,
            text=first.text,
            finish_reason=first.finish,
            served_model=_string(parsed.get("model")),
            fingerprint=_string(parsed.get("system_fingerprint")),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            reply_tokens=_count(usage.get("completion_tokens")),
            raw=raw,
            reasoning=first.reasoning,
            reasoning_tokens=_count(details.get("reasoning_tokens")),
            cached_tokens=_count(cached.get("cached_tokens")),
            more=tuple(each.reply(parsed) for each in rest),
        )
    except _BROKEN:
        return Trouble(
            kind="malformed body", message=one_line(raw), status=200, perhaps_billed=True
        )


class _Choice:
    """One choice of a completion."""

    __slots__ = ("choice", "finish", "outcome", "reasoning", "text")

    def __init__(self, choice: Any) -> None:  # noqa: ANN401 - JSON
        self.choice = choice
        message = choice.get("message")
        refusal = None
        self.reasoning: str | None = None
        if message is None:
            self.text = choice["text"]
            if not isinstance(self.text, str):
                raise TypeError("text is no text")
        else:
            refusal = _string(message.get("refusal"))
            self.text = _text(message.get("content")) or refusal
            thought = message.get("reasoning_content") or message.get("reasoning")
            self.reasoning = _string(thought)
        self.finish = _string(choice.get("finish_reason"))
        known = _FINISH.get(self.finish.lower() if self.finish else None, "ok")
        self.outcome: Outcome = "refused" if refusal else known
        if self.text is None and self.outcome != "filtered":
            self.text = ""  # a reply that says nothing, such as one cut while it was reasoning

    def reply(self, parsed: Any) -> Reply:  # noqa: ANN401 - JSON
        """As a reply of its own, beside the first."""
        return Reply(
            outcome=self.outcome,
            text=self.text,
            finish_reason=self.finish,
            served_model=_string(parsed.get("model")),
            fingerprint=_string(parsed.get("system_fingerprint")),
            prompt_tokens=None,
            reply_tokens=None,
            raw=json.dumps(self.choice, ensure_ascii=False),
            reasoning=self.reasoning,
        )


def _text(content: object) -> str | None:
    """A message's content: a string, or parts of which the texts count."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    if content is not None and not isinstance(content, str):
        raise TypeError("content is neither a text nor parts")
    return content


def _object(value: object) -> dict[str, object]:
    """A JSON object; what is none has nothing in it. A reply is not lost for its bookkeeping."""
    return value if isinstance(value, dict) else {}


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    """A token count, where the server gives a sensible whole number; else it is left out."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
        return value
    return None


def filtered(raw: str, status: int) -> Reply:
    """The reply that an error of a content filter's is, with its body and HTTP status."""
    return Reply(
        outcome="filtered",
        text=None,
        finish_reason="content_filter",
        served_model=None,
        fingerprint=None,
        prompt_tokens=None,
        reply_tokens=None,
        raw=raw,
        status=status,
    )


def read_refusal(
    status: int, raw: str, retry_after_s: float | None, wanted: int = 1
) -> Reply | Trouble:
    """The body of an answer that is not 200.

    A content filter's is a reply, `filtered`, and as many as were wanted: it is of the prompt.
    """
    if status in {400, 422} and any(word in raw.lower() for word in _FILTER_WORDS):
        one = filtered(raw, status)
        return replace(one, more=(one,) * (wanted - 1))
    return Trouble(
        kind=f"http {status}",
        message=one_line(_error_text(raw)),
        status=status,
        retry_after_s=retry_after_s,
    )


def one_line(text: str) -> str:
    """The beginning of a text, on one line."""
    return " ".join(text[: 4 * _SHOWN].split())[:_SHOWN]


def _error_text(raw: str) -> str:
    """The message of an error body, with its type or code where it has one."""
    try:
        parsed = loads(raw)
        error = (parsed[0] if isinstance(parsed, list) else parsed)["error"]
    except _BROKEN:
        return raw
    if not isinstance(error, dict):
        return str(error)
    code = error.get("code") or error.get("type") or ""
    return f"{error.get('message', '')} ({code})" if code else str(error.get("message", ""))
