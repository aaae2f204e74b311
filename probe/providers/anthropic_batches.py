"""Anthropic's message batches, through its SDK.

Requests are those of `Anthropic`, byte for byte. A batch takes no name of ours: one whose creation
was asked for without an answer is looked for by its time, its count, and its lines once it ended.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any, Final

import orjson

from probe.providers.anthropic_messages import JSON, Anthropic
from probe.providers.anthropic_replies import read_error, read_message
from probe.providers.base import Answered
from probe.providers.batches import (
    MAY_LIE_APART,
    BatchForm,
    BatchState,
    BatchTrouble,
    Found,
    LineResult,
    Sought,
)
from probe.providers.replies import loads
from probe.providers.sdk import as_troubles, lines_of, malformed
from probe.retry import Trouble

FORM: Final = BatchForm(
    requests=100_000, size_bytes=256_000_000, head=b'{"requests":[', between=b",\n", tail=b"]}"
)
_BATCHES: Final = "/v1/messages/batches"
_PAGE: Final = 100
_PIECE: Final = 1 << 16
_COUNTS: Final = ("processing", "succeeded", "errored", "canceled", "expired")
_NOT_RUN: Final = {"expired": "batch expired", "canceled": "batch cancelled"}


def read_line(raw: bytes) -> LineResult | None:
    """A line of a batch's results; None for what is none."""
    try:
        parsed = loads(raw.decode())
        custom_id, result = parsed["custom_id"], parsed["result"]
        kind = result["type"]
        if not isinstance(custom_id, str):
            return None
        if kind == "succeeded":
            message = result["message"]
            named = message.get("id")
            read = read_message(orjson.dumps(message).decode())
            return LineResult(custom_id, Answered(read, (), named if named else None))
        if kind == "errored":
            error = result["error"]
            named = error.get("request_id")
            return LineResult(
                custom_id, Answered(read_error(orjson.dumps(error).decode()), (), named)
            )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    said = f"the line was {kind} before it was run"
    return LineResult(
        custom_id, Answered(Trouble(kind=_NOT_RUN.get(kind, f"batch {kind}"), message=said))
    )


class AnthropicBatches(Anthropic):
    """One model of the Messages API, asked in batches."""

    @property
    def form(self) -> BatchForm:
        """Of its batches' files."""
        return FORM

    def line(self, custom_id: str, body: bytes) -> bytes:
        """A request as it stands in a batch."""
        return orjson.dumps({"custom_id": custom_id})[:-1] + b',"params":' + body + b"}"

    async def send_file(self, file: Path) -> str | None:
        """Nothing is sent ahead."""
        del file
        return None

    async def create(self, batch_id: str, file: Path, file_id: str | None) -> BatchState:
        """Create a batch; the file is sent as it lies there."""
        del batch_id, file_id
        length = str(os.path.getsize(file))  # noqa: PTH202, ASYNC240 - of a file just written
        with as_troubles(self._sdk, self._keys.hidden):
            made = await self._client.post(
                _BATCHES,
                content=_pieces(file),
                cast_to=self._sdk.types.messages.MessageBatch,
                options={"headers": {**JSON, "Content-Length": length}},
            )
        return _state(made)

    async def look(self, provider_id: str) -> BatchState:
        """How a batch is."""
        with as_troubles(self._sdk, self._keys.hidden):
            found = await self._client.messages.batches.retrieve(provider_id)
        return _state(found)

    async def find(self, sought: Sought) -> Found:
        """Batches of about that time, with as many lines, that are not known to be others."""
        first, last = sought.sent_at - MAY_LIE_APART, sought.sent_at + MAY_LIE_APART
        perhaps = []
        with as_troubles(self._sdk, self._keys.hidden):
            async for each in self._client.messages.batches.list(limit=_PAGE):
                if each.created_at < first:  # listed from the newest on
                    break
                if each.created_at <= last and _lines(each) == sought.requests:
                    perhaps.append(_state(each))
        return Found(perhaps=tuple(one for one in perhaps if one.provider_id not in sought.known))

    async def results(self, state: BatchState) -> AsyncGenerator[LineResult, None]:
        """The results, which exist once the batch has ended."""
        with as_troubles(self._sdk, self._keys.hidden):
            batches = self._client.messages.batches.with_streaming_response
            async with batches.results(state.provider_id) as answer:
                async for raw in lines_of(answer.iter_bytes()):
                    told = self._keys.hidden(raw.decode(errors="replace"))
                    result = read_line(told.encode())
                    if result is not None:
                        yield result


async def _pieces(file: Path) -> AsyncIterator[bytes]:
    with file.open("rb") as lines:
        while piece := lines.read(_PIECE):
            yield piece


def _lines(batch: Any) -> int:  # noqa: ANN401 - the SDK's
    """Lines of a batch (count)."""
    return sum(getattr(batch.request_counts, name, None) or 0 for name in _COUNTS)


def _state(batch: Any) -> BatchState:  # noqa: ANN401 - the SDK's
    provider_id, status = getattr(batch, "id", None), getattr(batch, "processing_status", None)
    if not isinstance(provider_id, str) or not isinstance(status, str):
        raise BatchTrouble(malformed(f"no message batch: {batch}"))
    said = "the results have no line for it"
    return BatchState(
        provider_id=provider_id,
        ended=status == "ended",
        status=status,
        unanswered=Trouble(kind="batch line missing", message=said, perhaps_billed=True),
        results=(provider_id,) if status == "ended" else (),
    )
