"""Anthropic's Messages API, through its SDK.

The body is made here, once, and sent as it is: the SDK adds the key, the version of the API and the
connection. Its own retries are off, since each attempt is paced, paid for and recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import orjson

from probe.limits import read_limits, retry_after_s
from probe.model_spec import ModelSpec
from probe.providers.anthropic_replies import read_error, read_message
from probe.providers.base import REPLIES, Answered, Request, Served
from probe.providers.batches import BatchTrouble
from probe.providers.keys import Keys
from probe.providers.sdk import as_troubles, http_of, load_sdk
from prompts.tasks.base import Asks

SERVER: Final = "https://api.anthropic.com"
"""Where the API is unless the experiment file says otherwise."""
_MESSAGES: Final = "/v1/messages"
_NOT_HERE: Final = "the Messages API does not tell it"
JSON: Final = {"Content-Type": "application/json"}


def message_body(model: ModelSpec, text: str) -> bytes:
    """The request's bytes."""
    messages = [{"role": "user", "content": text}]
    return orjson.dumps({"model": model.model, "messages": messages, **model.body_params})


class Anthropic:
    """One model of the Messages API."""

    def __init__(self, model: ModelSpec) -> None:
        self._model = model
        self._base = (model.base_url or SERVER).rstrip("/")
        self._keys = Keys(model.name)
        self._sdk: Any = None
        self._client: Any = None

    async def open(self, asks: Collection[Asks] = REPLIES) -> Served:
        """Read the key and make the SDK's client; nothing is sent."""
        self._sdk = load_sdk("anthropic", self._model.name)
        key = self._keys.read(self._model.api_key_env or "")
        headers = self._model.headers | self._keys.read_all(self._model.headers_env)
        self._client = self._sdk.AsyncAnthropic(
            api_key=key,
            base_url=self._base,
            default_headers=headers,
            max_retries=0,
            timeout=self._sdk.Timeout(self._model.timeout_s, connect=self._model.connect_s),
        )
        unavailable: dict[Asks, str] = {each: _NOT_HERE for each in asks if each != "reply"}
        return Served(facts={"sdk": f"anthropic {self._sdk.__version__}"}, unavailable=unavailable)

    def body(self, request: Request) -> bytes:
        """The bytes to send for a prompt."""
        if request.asks != "reply":
            raise RuntimeError("the Messages API is asked for replies alone")
        return message_body(self._model, request.text)

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        """One POST."""
        del asks
        try:
            with as_troubles(self._sdk, self._keys.hidden):
                return await self._posted(body)
        except BatchTrouble as error:
            return Answered(error.trouble)

    async def _posted(self, body: bytes) -> Answered:
        try:
            answer = await self._client.post(
                _MESSAGES,
                content=body,
                cast_to=http_of(self._sdk).Response,
                options={"headers": JSON},
            )
        except self._sdk.APIStatusError as error:
            answer, headers = error.response, error.response.headers
            raw = self._keys.hidden(answer.text)
            read = read_error(raw, answer.status_code, retry_after_s(headers))
            return Answered(read, read_limits(headers), _request_id(headers))
        headers = answer.headers
        read = read_message(self._keys.hidden(answer.text))
        return Answered(read, read_limits(headers), _request_id(headers))

    async def close(self) -> None:
        """Close the client."""
        if self._client is not None:
            await self._client.close()


def _request_id(headers: Mapping[str, str]) -> str | None:
    return headers.get("request-id")
