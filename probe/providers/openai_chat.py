"""Any endpoint with OpenAI's chat completions, over aiohttp.

The key is read from its environment variable when the provider opens and stands in one header only;
no message, row or log line is made from headers.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

import aiohttp

from probe.errors import ProviderDown
from probe.plan import Cell
from probe.providers.base import Reply, Served
from probe.retry import REFUSED, Trouble
from probe.spec import ModelSpec
from store.rows import Outcome

_FINISH: Final[dict[str | None, Outcome]] = {"length": "truncated", "content_filter": "filtered"}
_FILTER_WORDS: Final = ("content_filter", "content management policy", "responsibleai")
_LISTING_S: Final = 10.0
_SHOWN: Final = 300


def chat_body(model: str, params: Mapping[str, object], text: str, sample: int) -> bytes:
    """The request's bytes; a `seed` among the parameters goes up by one a sample."""
    body: dict[str, object] = {"model": model, "messages": [{"role": "user", "content": text}]}
    body.update(params)
    seed = params.get("seed")
    if isinstance(seed, int):
        body["seed"] = seed + sample
    return json.dumps(body, ensure_ascii=False).encode()


class OpenAIChat:
    """One model at one endpoint."""

    def __init__(self, model: ModelSpec, base_url: str, *, api_key: str | None = None) -> None:
        self._model = model
        self._url = base_url.rstrip("/")
        self._key = api_key
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> Served:
        """Read the key, open the session, note what the endpoint lists (best effort)."""
        headers = {"Content-Type": "application/json"}
        self._key = self._key or self._key_from_environment()
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._session = aiohttp.ClientSession(
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=self._model.timeout_s, connect=30),
            connector=aiohttp.TCPConnector(limit=0),  # the gate holds the limit
        )
        return Served(facts=await self._listing(self._session))

    def _key_from_environment(self) -> str | None:
        name = self._model.api_key_env
        if name is None:
            return None
        key = os.environ.get(name, "").strip()
        fix = f"export {name}=… and run again"
        if not key:
            raise ProviderDown(self._model.name, f"${name} is not set", fix)
        if not key.isprintable() or not key.isascii():
            raise ProviderDown(self._model.name, f"${name} holds characters no key has", fix)
        return key

    async def _listing(self, session: aiohttp.ClientSession) -> dict[str, object]:
        timeout = aiohttp.ClientTimeout(total=_LISTING_S)
        try:
            async with session.get(f"{self._url}/models", timeout=timeout) as answer:
                listed = await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError):
            return {}  # optional: many endpoints list nothing, and asking will show what is wrong
        models = listed.get("data") if isinstance(listed, dict) else None
        named = [
            entry
            for entry in models or []
            if isinstance(entry, dict) and entry.get("id") == self._model.model
        ]
        return {"listed": named[0]} if named else {}

    def body(self, cell: Cell) -> bytes:
        """The bytes to send for a cell."""
        return chat_body(self._model.model, self._model.params, cell.text, cell.sample)

    async def ask(self, body: bytes) -> Reply | Trouble:
        """One POST to /chat/completions."""
        if self._session is None:
            raise RuntimeError("open() comes before ask()")
        try:
            async with self._session.post(f"{self._url}/chat/completions", data=body) as answer:
                raw = self._without_key(await answer.text())
                if answer.status == 200:
                    return read_reply(raw)
                return _trouble(answer.status, raw, answer.headers)
        except TimeoutError:
            return Trouble(kind="timeout", message=f"no reply within {self._model.timeout_s:g} s")
        except aiohttp.ClientConnectorError as error:
            return Trouble(
                kind=REFUSED, message=f"cannot connect to {self._url} ({error.strerror})"
            )
        except (aiohttp.ClientError, UnicodeDecodeError, asyncio.IncompleteReadError) as error:
            said = self._without_key(f"{type(error).__name__}: {error}")
            return Trouble(kind="connection", message=_one_line(said))

    def _without_key(self, text: str) -> str:
        """A text in which a server that quotes the key back does not give it away."""
        return text.replace(self._key, "[key]") if self._key else text

    async def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            await self._session.close()


def read_reply(raw: str) -> Reply | Trouble:
    """A 200 body as a reply; one that is not a chat completion is a trouble to try again."""
    try:
        parsed: Any = json.loads(raw)
        choice = parsed["choices"][0]
        message = choice["message"]
        usage = parsed.get("usage") or {}
        refusal = _string(message.get("refusal"))
        text = _text(message.get("content")) or refusal
        finish = _string(choice.get("finish_reason"))
        tokens = (_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return Trouble(kind="malformed body", message=_one_line(raw), status=200)
    outcome: Outcome = "refused" if refusal else _FINISH.get(finish, "ok")
    if text is None and outcome != "filtered":
        text = ""  # a reply that says nothing, such as one cut while the model was reasoning
    return Reply(
        outcome=outcome,
        text=text,
        finish_reason=finish,
        served_model=_string(parsed.get("model")),
        fingerprint=_string(parsed.get("system_fingerprint")),
        prompt_tokens=tokens[0],
        reply_tokens=tokens[1],
        raw=raw,
    )


def _text(content: object) -> str | None:
    """A message's content: a string, or parts of which the texts count."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    if content is not None and not isinstance(content, str):
        raise TypeError("content is neither a text nor parts")
    return content


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    """A token count, where the server gives a sensible whole number; else it is left out."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
        return value
    return None


def _trouble(status: int, raw: str, headers: Mapping[str, str]) -> Reply | Trouble:
    message = _error_text(raw)
    if status == 400 and any(word in raw.lower() for word in _FILTER_WORDS):
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
    return Trouble(
        kind=f"http {status}",
        message=_one_line(message),
        status=status,
        retry_after_s=retry_after(headers),
    )


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * _SHOWN].split())[:_SHOWN]


def _error_text(raw: str) -> str:
    """The message of an error body, with its type or code where it has one."""
    try:
        error = json.loads(raw)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return raw
    if not isinstance(error, dict):
        return str(error)
    code = error.get("code") or error.get("type") or ""
    return f"{error.get('message', '')} ({code})" if code else str(error.get("message", ""))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait a server asks for (seconds): milliseconds, seconds, or an HTTP date."""
    milliseconds = headers.get("retry-after-ms")
    seconds = headers.get("Retry-After") or headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        if seconds is None:
            return None
        if seconds.strip().replace(".", "", 1).isdigit():
            return float(seconds)
        return max(0.0, parsedate_to_datetime(seconds).timestamp() - time.time())
    except ValueError:
        return None
