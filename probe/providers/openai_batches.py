"""Batches of OpenAI-compatible endpoints: `/files` and `/batches`, through OpenAI's SDK.

Requests are those of `OpenAIChat`, byte for byte. A batch carries our own name for it in its
metadata; an endpoint that drops metadata is told by the file, which only that batch has.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from probe.model_spec import ModelSpec
from probe.providers.base import REPLIES, Answered, Served
from probe.providers.batches import (
    MAY_LIE_APART,
    BatchForm,
    BatchState,
    BatchTrouble,
    Found,
    LineResult,
    Sought,
)
from probe.providers.openai_chat import OpenAIChat
from probe.providers.replies import loads, one_line, read_refusal, read_reply
from probe.providers.sdk import as_troubles, lines_of, load_sdk, malformed
from probe.retry import Trouble
from prompts.tasks.base import Asks

FORM: Final = BatchForm(requests=50_000, size_bytes=200_000_000)
_OWN: Final = "gistprobe_batch"
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_ENDPOINTS: Final = {"chat": "/v1/chat/completions", "completions": "/v1/completions"}
_PAGE: Final = 100
_NO_KEY: Final = "none"
_LINE_KINDS: Final = {"batch_expired": "batch expired", "batch_cancelled": "batch cancelled"}


def batch_line(model: ModelSpec, custom_id: str, body: bytes) -> bytes:
    """A request as a line of a batch's file, without its end; the body stands in it as it is."""
    head = {"custom_id": custom_id, "method": "POST", "url": _ENDPOINTS[model.api]}
    return orjson.dumps(head)[:-1] + b',"body":' + body + b"}"


def read_line(raw: bytes, wanted: int = 1) -> LineResult | None:
    """A line of an output or error file; None for what is none, such as a torn one.

    Args:
        raw: The line.
        wanted: Choices asked for (count).
    """
    try:
        parsed = loads(raw.decode())
        custom_id = parsed["custom_id"]
        if not isinstance(custom_id, str):
            return None
        response, error = parsed.get("response"), parsed.get("error")
        named = (response or {}).get("request_id") or parsed.get("id")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    request_id = named if isinstance(named, str) else None
    if isinstance(response, dict) and response.get("body") is not None:
        return LineResult(custom_id, _answered(response, request_id, wanted))
    if isinstance(response, dict) and isinstance(error, dict) and response.get("status_code"):
        # As vLLM has it: the status here, and what it says beside it.
        said = error if "error" in error else {"error": error}
        return LineResult(custom_id, _answered({**response, "body": said}, request_id, wanted))
    return LineResult(custom_id, Answered(_line_trouble(error, response), (), request_id))


def _answered(response: Mapping[str, Any], request_id: str | None, wanted: int) -> Answered:
    status, body = response.get("status_code"), response["body"]
    raw = body if isinstance(body, str) else _dumped(body)
    if status == 200:
        return Answered(read_reply(raw, wanted), (), request_id)
    known = status if isinstance(status, int) and status >= 400 else 500
    return Answered(read_refusal(known, raw, None, wanted), (), request_id)


def _dumped(body: object) -> str:
    """JSON as text; numbers too large for orjson are taken."""
    try:
        return orjson.dumps(body).decode()
    except TypeError:
        import json  # noqa: PLC0415 - hardly ever

        return json.dumps(body, ensure_ascii=False)


def _line_trouble(error: object, response: object) -> Trouble:
    """What a line met with that has no body: mostly that it was not run."""
    told = error if isinstance(error, dict) else {}
    code = str(told.get("code") or "no body")
    message = one_line(str(told.get("message") or error or response or "nothing is said"))
    return Trouble(kind=_LINE_KINDS.get(code, f"batch {code}"), message=message)


class OpenAIBatches(OpenAIChat):
    """One model at one endpoint, asked in batches."""

    def __init__(self, model: ModelSpec, base_url: str) -> None:
        super().__init__(model, base_url)
        self._sdk: Any = None
        self._client: Any = None

    @property
    def form(self) -> BatchForm:
        """Of its batches' files."""
        return FORM

    async def open(self, asks: Collection[Asks] = REPLIES) -> Served:
        """As live, and with the SDK's client, whose own retries are off."""
        self._sdk = load_sdk("openai", self._model.name)
        served = await super().open(asks)
        headers = self._model.headers | self._keys.read_all(self._model.headers_env)
        self._client = self._sdk.AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=self._base,
            default_headers=headers,
            max_retries=0,
            timeout=self._sdk.Timeout(self._model.timeout_s, connect=self._model.connect_s),
        )
        return served

    def line(self, custom_id: str, body: bytes) -> bytes:
        """A line of a batch's file."""
        return batch_line(self._model, custom_id, body)

    async def send_file(self, file: Path) -> str | None:
        """Upload a batch's file."""
        with as_troubles(self._sdk, self._keys.hidden), file.open("rb") as lines:
            named = ("batch.jsonl", lines, "application/jsonl")
            sent = await self._client.files.create(file=named, purpose="batch")
        return _text(sent, "id")

    async def create(self, batch_id: str, file: Path, file_id: str | None) -> BatchState:
        """Create a batch of a file that was uploaded."""
        del file
        with as_troubles(self._sdk, self._keys.hidden):
            made = await self._client.batches.create(
                input_file_id=file_id,
                endpoint=_ENDPOINTS[self._model.api],
                completion_window="24h",
                metadata={_OWN: batch_id},
            )
        return _state(made)

    async def look(self, provider_id: str) -> BatchState:
        """How a batch is."""
        with as_troubles(self._sdk, self._keys.hidden):
            found = await self._client.batches.retrieve(provider_id)
        return _state(found)

    async def find(self, sought: Sought) -> Found:
        """Look for a batch by our name for it, or by its file."""
        oldest = (sought.sent_at - MAY_LIE_APART).timestamp()
        with as_troubles(self._sdk, self._keys.hidden):
            async for each in self._client.batches.list(limit=_PAGE):
                own = getattr(each, "metadata", None) or {}
                by_file = sought.file_id and each.input_file_id == sought.file_id
                if by_file or own.get(_OWN) == sought.batch_id:
                    return Found(certain=_state(each))
                if (each.created_at or oldest) < oldest:  # listed from the newest on
                    break
        return Found()

    async def results(self, state: BatchState) -> AsyncGenerator[LineResult, None]:
        """The lines of the output file and of the error file."""
        for file_id in state.results:
            with as_troubles(self._sdk, self._keys.hidden):
                streamed = self._client.files.with_streaming_response.content(file_id)
                async with streamed as answer:
                    async for raw in lines_of(answer.iter_bytes()):
                        told = self._keys.hidden(raw.decode(errors="replace"))
                        result = read_line(told.encode(), self._wanted)
                        if result is not None:
                            yield result

    async def close(self) -> None:
        """Close both clients."""
        await super().close()
        if self._client is not None:
            await self._client.close()


def _text(of: object, name: str) -> str:
    """A field of an SDK's object, which must be a text."""
    value = getattr(of, name, None)
    if not isinstance(value, str) or not value:
        raise BatchTrouble(malformed(f"an answer without {name}: {of}"))
    return value


def _state(batch: Any) -> BatchState:  # noqa: ANN401 - the SDK's
    provider_id, status = _text(batch, "id"), _text(batch, "status")
    files = (getattr(batch, "output_file_id", None), getattr(batch, "error_file_id", None))
    results = tuple(file for file in files if isinstance(file, str) and file)
    ended = status in _ENDED
    return BatchState(
        provider_id=provider_id,
        ended=ended,
        status=status,
        unanswered=_unanswered(status),
        problem=_problem(batch) if status == "failed" and not results else None,
        results=results if ended else (),
    )


def _unanswered(status: str) -> Trouble:
    """What a line met with that stands in no file; one that was run may have been billed."""
    said = f"the batch is {status}, and has no line for it"
    return Trouble(kind=f"batch {status}", message=said, perhaps_billed=status == "completed")


def _problem(batch: Any) -> Trouble:  # noqa: ANN401 - the SDK's
    told = getattr(getattr(batch, "errors", None), "data", None) or []
    said = "; ".join(_error(each) for each in told[:3]) or "no reason is given"
    code = str(getattr(told[0], "code", None) or "failed") if told else "failed"
    # Of a queue that is full its makers say so in words alone; nothing else passes by itself.
    full = "token_limit" in code or "enqueued" in said.lower()
    return Trouble(kind=f"batch {code}", message=one_line(said), status=429 if full else 400)


def _error(each: Any) -> str:  # noqa: ANN401 - the SDK's
    line = getattr(each, "line", None)
    place = f"line {line}: " if line is not None else ""
    return f"{place}{getattr(each, 'message', None) or getattr(each, 'code', None)}"
