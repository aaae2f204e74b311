"""Any endpoint with OpenAI's chat completions or its older completions, over aiohttp.

The key is read from its environment variable when the provider opens and stands in one header only;
no message, row or log line is made from headers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from functools import partial
from typing import Final, TypeAlias

import aiohttp
import orjson

from probe.limits import read_limits, retry_after_s
from probe.model_spec import ApiName, ModelSpec
from probe.providers.base import (
    REPLIES,
    Answered,
    Reply,
    Request,
    Served,
    continuation_params,
    response_format,
)
from probe.providers.capabilities import (
    Likely,
    find_continuation,
    find_likelihood,
    likelihood_body,
)
from probe.providers.keys import Keys
from probe.providers.likelihood_replies import Asked, read_likelihood
from probe.providers.replies import one_line, read_refusal, read_reply
from probe.retry import REFUSED, Trouble
from prompts.tasks.base import Asks

_LISTING_S: Final = 10.0
_PATHS: Final[dict[ApiName, str]] = {"chat": "/chat/completions", "completions": "/completions"}
_OF_THE_MOMENT: Final = frozenset({"created", "permission"})
"""What servers list of a model that says nothing of it: vLLM draws them anew for each answer."""
_REQUEST_IDS: Final = ("x-request-id", "request-id")

_Read: TypeAlias = Callable[[str], Reply | Trouble]
"""Reads a 200 body."""


def request_body(model: ModelSpec, params: Mapping[str, object], text: str, sample: int) -> bytes:
    """The request's bytes; a `seed` among the parameters goes up by one a sample."""
    if model.api == "completions":
        return completion_body(model, params, text, sample)
    messages = [{"role": "user", "content": text}]
    return orjson.dumps({"model": model.model, "messages": messages, **_seeded(params, sample)})


def completion_body(
    model: ModelSpec, params: Mapping[str, object], text: str, sample: int
) -> bytes:
    """The same for the older completions, whatever the model's replies are asked by."""
    return orjson.dumps({"model": model.model, "prompt": text, **_seeded(params, sample)})


def _seeded(params: Mapping[str, object], sample: int) -> Mapping[str, object]:
    seed = params.get("seed")
    return {**params, "seed": seed + sample} if isinstance(seed, int) else params


def structured_params(model: ModelSpec, schema: str | None) -> Mapping[str, object]:
    """The model's parameters, with the schema of the answer where it takes one."""
    if schema is None or not model.structured:
        return model.body_params
    return {**model.body_params, "response_format": response_format(orjson.loads(schema))}


class OpenAIChat:
    """One model at one endpoint."""

    def __init__(self, model: ModelSpec, base_url: str, *, api_key: str | None = None) -> None:
        self._model = model
        self._base = base_url.rstrip("/")
        self._url = self._base + _PATHS[model.api]
        self._key = api_key
        self._keys = Keys(model.name)
        self._wanted = model.request_samples
        self._session: aiohttp.ClientSession | None = None
        self._likely: Likely | None = None

    async def open(self, asks: Collection[Asks] = REPLIES) -> Served:
        """Read the key, open the session, note what the endpoint lists (best effort).

        What is asked for beside replies is tried with a tiny request, which is billed like others.
        """
        headers = {"Content-Type": "application/json", **self._model.headers}
        if self._key:
            self._keys.add(self._key)
        elif self._model.api_key_env is not None:
            self._key = self._keys.read(self._model.api_key_env)
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        headers |= self._keys.read_all(self._model.headers_env)
        self._session = aiohttp.ClientSession(
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._model.connect_s),
            connector=aiohttp.TCPConnector(limit=0),  # the gate holds the limit
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=True,
        )
        facts = await self._listing(self._session)
        return await self._abilities(facts, asks)

    async def _abilities(self, facts: dict[str, object], asks: Collection[Asks]) -> Served:
        unavailable: dict[Asks, str] = {}
        if "likelihood" in asks:
            found = await find_likelihood(self._as_likelihood, self._model)
            if isinstance(found, str):
                unavailable["likelihood"] = found
            else:
                self._likely = found
                facts["likelihood"] = {"by": found.shape, "likeliest": self._model.likeliest}
        if "continuation" in asks and self._likely is None:
            attempt = partial(self.ask, asks="continuation")
            reason = await find_continuation(attempt, self._model)
            if reason is not None:
                unavailable["continuation"] = reason
        return Served(facts=facts, unavailable=unavailable)

    def _as_likelihood(self, way: Likely) -> Callable[[bytes], Coroutine[None, None, Answered]]:
        return partial(self._ask_likelihood, way)

    async def _listing(self, session: aiohttp.ClientSession) -> dict[str, object]:
        timeout = aiohttp.ClientTimeout(total=_LISTING_S)
        try:
            async with session.get(f"{self._base}/models", timeout=timeout) as answer:
                listed = await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError):
            return {}  # optional: many endpoints list nothing, and asking will show what is wrong
        models = listed.get("data") if isinstance(listed, dict) else None
        named = [
            {name: value for name, value in entry.items() if name not in _OF_THE_MOMENT}
            for entry in models or []
            if isinstance(entry, dict) and entry.get("id") == self._model.model
        ]
        return {"listed": named[0]} if named else {}

    def body(self, request: Request) -> bytes:
        """The bytes to send for a prompt, or for a bare passage."""
        if request.asks == "likelihood":
            if self._likely is None:
                raise RuntimeError("a likelihood is asked for that the endpoint does not give")
            return likelihood_body(self._model, self._likely, request.text)
        if request.asks == "continuation":
            params = continuation_params(self._model, request.reply_tokens, request.decoding)
            return completion_body(self._model, params, request.text, request.sample)
        params = dict(structured_params(self._model, request.schema))
        return request_body(self._model, params, request.text, request.sample)

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        """One POST."""
        if asks == "likelihood":
            if self._likely is None:
                raise RuntimeError("a likelihood is asked for that the endpoint does not give")
            return await self._ask_likelihood(self._likely, body)
        url = self._url if asks == "reply" else self._base + _PATHS["completions"]
        return await self._post(url, body, partial(read_reply, wanted=self._wanted))

    async def _ask_likelihood(self, way: Likely, body: bytes) -> Answered:
        asked = Asked(
            text=orjson.loads(body)["prompt"],
            top=self._model.likeliest,
            written=way.written,
            opens=way.opens,
        )
        read = partial(read_likelihood, way.shape, asked=asked)
        return await self._post(self._base + _PATHS["completions"], body, read)

    async def _post(self, url: str, body: bytes, read: _Read) -> Answered:
        if self._session is None:
            raise RuntimeError("open() comes before ask()")
        model = self._model
        first_s, sent = model.first_byte_s or model.timeout_s, False
        try:
            async with asyncio.timeout(first_s) as deadline:
                async with self._session.post(url, data=body) as answer:
                    sent = True
                    if model.first_byte_s is not None:
                        deadline.reschedule((deadline.when() or 0.0) - first_s + model.timeout_s)
                    raw = self._keys.hidden((await answer.read()).decode())
                    return self._answered(answer.status, raw, answer.headers, read)
        except aiohttp.ConnectionTimeoutError:
            said = f"cannot connect to {self._base} within {model.connect_s:g} s"
            return Answered(Trouble(kind="connect timeout", message=said))
        except TimeoutError:
            if sent or model.first_byte_s is None:
                return _broken("timeout", f"no reply within {model.timeout_s:g} s")
            return _broken("no first byte", f"no answer began within {first_s:g} s")
        except aiohttp.ClientConnectorError as error:
            said = f"cannot connect to {self._base} ({error.strerror or error.os_error})"
            return Answered(Trouble(kind=REFUSED, message=one_line(said)))
        except (aiohttp.ClientError, UnicodeDecodeError, asyncio.IncompleteReadError) as error:
            said = self._keys.hidden(f"{type(error).__name__}: {error}")
            return _broken("truncated body" if sent else "connection", one_line(said))

    def _answered(self, status: int, raw: str, headers: Mapping[str, str], read: _Read) -> Answered:
        result: Reply | Trouble
        if status == 200:
            result = read(raw)
        else:
            result = read_refusal(status, raw, retry_after_s(headers), self._wanted)
        named = next((headers[name] for name in _REQUEST_IDS if name in headers), None)
        return Answered(result, read_limits(headers), named)

    async def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            await self._session.close()


def _broken(kind: str, message: str) -> Answered:
    """An attempt that ended without an answer, after it may have been sent."""
    return Answered(Trouble(kind=kind, message=message, perhaps_billed=True))
