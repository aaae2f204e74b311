"""Reads Anthropic's messages, and what its errors say. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from probe.providers.base import Reply
from probe.providers.replies import filtered, loads, one_line, read_refusal
from probe.retry import Trouble
from store.rows import Outcome

_STOPPED: Final[dict[str | None, Outcome]] = {
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "pause_turn": "truncated",
    "refusal": "refused",
}
"""By the stop reason; every other is `ok`."""
_STATUS: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""By the type of an error, the HTTP status a live request gets with it."""
_FILTERED: Final = "content filtering policy"
_BROKEN: Final = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


def read_message(raw: str) -> Reply | Trouble:
    """A message as a reply; what is none is a trouble to try again."""
    try:
        parsed = loads(raw)
        blocks = parsed["content"]
        usage = parsed.get("usage") or {}
        details = usage.get("output_tokens_details") or {}
        cached = _count(usage.get("cache_read_input_tokens"))
        stop = parsed.get("stop_reason")
        return Reply(
            outcome=_STOPPED.get(stop, "ok"),
            text="".join(block["text"] for block in blocks if block["type"] == "text"),
            finish_reason=stop if isinstance(stop, str) else None,
            served_model=parsed["model"] if isinstance(parsed["model"], str) else None,
            fingerprint=None,
            prompt_tokens=_sent(usage, cached),
            reply_tokens=_count(usage.get("output_tokens")),
            raw=raw,
            reasoning=_thought(blocks),
            reasoning_tokens=_count(details.get("thinking_tokens")),
            cached_tokens=cached,
        )
    except _BROKEN:
        return Trouble(
            kind="malformed body", message=one_line(raw), status=200, perhaps_billed=True
        )


def _thought(blocks: Any) -> str | None:  # noqa: ANN401 - JSON
    """What the model thought first, where it is shown."""
    shown = [block.get("thinking") or "" for block in blocks if block["type"] == "thinking"]
    return "".join(shown) or None


def _sent(usage: Any, cached: int | None) -> int | None:  # noqa: ANN401 - JSON
    """All tokens of the prompt: those read from a cache and written to it are counted apart."""
    fresh = _count(usage.get("input_tokens"))
    if fresh is None:
        return None
    return fresh + (cached or 0) + (_count(usage.get("cache_creation_input_tokens")) or 0)


def _count(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
        return value
    return None


def read_error(raw: str, status: int | None = None, wait_s: float | None = None) -> Reply | Trouble:
    """The body of an error; what its content filter stopped is a reply, `filtered`.

    Args:
        raw: The body.
        status: HTTP status; None in a batch, where the error's type stands for it.
        wait_s: The wait that was asked for (seconds).
    """
    try:
        kind = str(loads(raw)["error"]["type"])
    except _BROKEN:
        kind = ""
    known = _STATUS.get(kind, 500) if status is None else status
    if known == 400 and _FILTERED in raw.lower():
        return filtered(raw, known)
    read = read_refusal(known, raw, wait_s)
    return replace(read, kind=f"http {known}") if isinstance(read, Trouble) else read
