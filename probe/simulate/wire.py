"""Request bodies in, response bodies out, as OpenAI words them. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from probe.simulate.replies import Asked, Made, token_texts

_MOST_CHOICES: Final = 128
_MOST_LOGPROBS: Final = 20
_FINGERPRINT: Final = "fp_simulated"
_INVALID: Final = "invalid_request_error"
_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A request that gets an error.

    Attributes:
        status: Of HTTP.
        message: What is wrong and what to do.
        kind: OpenAI's `type`.
        code: OpenAI's `code`, where there is one.
        param: The part of the body that is wrong, where it is one.
        headers: To send along.
    """

    status: int
    message: str
    kind: str = _INVALID
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        """The error as JSON."""
        error = {
            "message": self.message,
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        }
        return _encode({"error": error}).encode()


class _Unfit(Exception):
    """Ends the reading of a body; never leaves this module."""

    def __init__(self, param: str | None, message: str, code: str | None = None) -> None:
        super().__init__(param, message, code)
        self.refusal = Refusal(status=400, message=message, param=param, code=code)


def read_body(raw: bytes, *, chat: bool) -> Asked | Refusal:
    """What a body asks for, or why it cannot be answered."""
    try:
        return _read(raw, chat=chat)
    except _Unfit as unfit:
        return unfit.refusal


def _read(raw: bytes, *, chat: bool) -> Asked:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise _Unfit(None, "the body is not valid JSON") from None
    if not isinstance(body, dict):
        raise _Unfit(None, "the body must be a JSON object")
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise _Unfit("model", "you must give a model, as a string")
    if body.get("stream"):
        raise _Unfit(
            "stream",
            "streaming is not offered by this simulated endpoint; ask without 'stream'",
            "unsupported_value",
        )
    limit = "max_completion_tokens" if body.get("max_completion_tokens") else "max_tokens"
    choices = _whole(body, "n", 1, _MOST_CHOICES)
    return Asked(
        chat=chat,
        model=model,
        text=_messages_text(body) if chat else _prompt_text(body),
        choices=1 if choices is None else choices,
        max_tokens=_whole(body, limit, 1, 2**53),
        logprobs=_chat_logprobs(body) if chat else _whole(body, "logprobs", 0, _MOST_LOGPROBS),
        body=body,
    )


def _whole(body: Mapping[str, Any], name: str, low: int, high: int) -> int | None:
    """A whole number, or None where the body has none."""
    number = body.get(name)
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise _Unfit(name, f"'{name}' must be a whole number between {low} and {high}")
    return number


def _chat_logprobs(body: Mapping[str, Any]) -> int | None:
    wanted = body.get("logprobs")
    if wanted is not None and not isinstance(wanted, bool):
        raise _Unfit("logprobs", "'logprobs' must be true or false")
    alternatives = _whole(body, "top_logprobs", 0, _MOST_LOGPROBS)
    if alternatives and not wanted:
        raise _Unfit("top_logprobs", "'top_logprobs' needs 'logprobs' to be true")
    return (alternatives or 0) if wanted else None


def _messages_text(body: Mapping[str, Any]) -> str:
    """The texts of the messages, one a line."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise _Unfit("messages", "'messages' must be a list with at least one message")
    return "\n".join(
        _message_text(message, f"messages[{at}]") for at, message in enumerate(messages)
    )


def _message_text(message: object, where: str) -> str:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise _Unfit(where, f"'{where}' must be an object with a 'role'")
    content = message.get("content")
    if isinstance(content, str):
        return content
    if content is None and message["role"] == "assistant":
        return ""  # a turn that only called a tool
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise _Unfit(f"{where}.content", f"'{where}.content' must be a string or a list of parts")
    return "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")


def _prompt_text(body: Mapping[str, Any]) -> str:
    prompt = body.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1:
        prompt = prompt[0]
    if not isinstance(prompt, str):
        raise _Unfit("prompt", "'prompt' must be one string; send one request a prompt")
    return prompt


def completion_body(number: int, created: int, asked: Asked, made: Sequence[Made]) -> bytes:
    """The response to a request, as JSON.

    Args:
        number: Of the request; its id.
        created: When (whole seconds since 1970).
        asked: The request.
        made: Its replies.
    """
    choice = _chat_choice if asked.chat else _text_choice
    prompt_tokens = made[0].prompt_tokens
    reply_tokens = sum(one.reply_tokens for one in made)
    body = {
        "id": f"{'chatcmpl' if asked.chat else 'cmpl'}-{number}",
        "object": "chat.completion" if asked.chat else "text_completion",
        "created": created,
        "model": asked.model,
        "choices": [choice(at, one, asked.logprobs) for at, one in enumerate(made)],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": reply_tokens,
            "total_tokens": prompt_tokens + reply_tokens,
        },
        "system_fingerprint": _FINGERPRINT,
    }
    return _encode(body).encode()


def models_body(models: Sequence[str], created: int) -> bytes:
    """The list of models, as JSON."""
    listed = [
        {"id": model, "object": "model", "created": created, "owned_by": "simulate"}
        for model in models
    ]
    return _encode({"object": "list", "data": listed}).encode()


def _chat_choice(at: int, made: Made, logprobs: int | None) -> dict[str, object]:
    return {
        "index": at,
        "message": {
            "role": "assistant",
            "content": None if made.refused else made.text,
            "refusal": made.text if made.refused else None,
        },
        "logprobs": None if logprobs is None else _chat_entries(made.text, logprobs),
        "finish_reason": made.finish_reason,
    }


def _text_choice(at: int, made: Made, logprobs: int | None) -> dict[str, object]:
    return {
        "index": at,
        "text": made.text,
        "logprobs": None if logprobs is None else _text_entries(made.text, logprobs),
        "finish_reason": made.finish_reason,
    }


def _chat_entries(text: str, alternatives: int) -> dict[str, object]:
    content = []
    for token, logprob in _scored(text):
        ranked = _ranked(token, logprob, alternatives)
        top = [_entry(other, value) for other, value in ranked.items()]
        content.append({**_entry(token, logprob), "top_logprobs": top})
    return {"content": content, "refusal": None}


def _entry(token: str, logprob: float) -> dict[str, object]:
    as_bytes = list(token.encode("utf-8", "surrogatepass"))
    return {"token": token, "logprob": logprob, "bytes": as_bytes}


def _text_entries(text: str, alternatives: int) -> dict[str, object]:
    scored = _scored(text)
    starts = [sum(len(token) for token, _ in scored[:at]) for at in range(len(scored))]
    return {
        "tokens": [token for token, _ in scored],
        "token_logprobs": [logprob for _, logprob in scored],
        "top_logprobs": [_ranked(token, logprob, alternatives) for token, logprob in scored],
        "text_offset": starts,
    }


def _scored(text: str) -> list[tuple[str, float]]:
    """Each token with a log probability between -1.28 and 0, drawn by the text's digest."""
    tokens = token_texts(text)
    drawn = hashlib.shake_256(text.encode("utf-8", "surrogatepass")).digest(len(tokens))
    return [(token, -(byte + 1) / 200) for token, byte in zip(tokens, drawn, strict=True)]


def _ranked(token: str, logprob: float, alternatives: int) -> dict[str, float]:
    """The token and made-up others below it, the likeliest first; their sum stays under 1."""
    others = {f" alt{rank}": logprob - 4.0 - rank for rank in range(1, alternatives)}
    return {token: logprob, **others} if alternatives else {}
