"""A fake at the wire that takes batches: OpenAI's files and batches, Anthropic's message batches.

Its state outlives every client: tests kill those and say afterwards what was bought. A batch ends
when it is looked at for the last of so many times, and its lines get what the test's script says.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

from aiohttp import web

from tests.probe.fake_endpoint import FakeEndpoint, reply_to

KEY = "sk-batch-4711"
_Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]
OutcomeOf = Callable[[str, int], str]
"""Given a line's prompt and how often it was bought before: `ok`, `expired`, `cancelled`,
`missing`, `filtered`, or an HTTP status."""


def always_ok(_prompt: str, _times: int) -> str:
    return "ok"


@dataclass(slots=True)
class Made:
    """One batch."""

    number: int
    lines: list[dict[str, Any]]
    made_at: float
    metadata: dict[str, str] = field(default_factory=dict)
    file_id: str = ""
    looks: int = 0
    outcomes: list[str] = field(default_factory=list)


def nothing_happens(_point: str) -> None:
    """What a test does at a point, unless it does something."""


@dataclass(slots=True)
class FakeBatches(FakeEndpoint):
    """The endpoint's state.

    Attributes:
        outcome: Says what comes of a line.
        ends_as: OpenAI's status of a batch that has ended.
        looks: So many times a batch is looked at before it has ended.
        most_bytes: Of a file or a batch.
        refuse: How sending a file, or creating a batch, is refused: status and words, in turn.
        at: Called with `uploaded`, `asked` and `created`: before it is said, and before and after
            it is done.
        deaf: At which of these points, in turn, the connection is cut.
        looked: Called when a batch is looked at.
        fail: Batches that fail as a whole, with an error of this code, by number.
        bought: How often each custom_id was bought.
        bodies: Of the lines that were bought, as they came.
    """

    outcome: OutcomeOf = always_ok
    ends_as: str = "completed"
    looks: int = 1
    most_bytes: int = 200_000_000
    refuse: list[tuple[int, str]] = field(default_factory=list)
    at: Callable[[str], None] = nothing_happens
    deaf: list[str] = field(default_factory=list)
    fail: dict[int, str] = field(default_factory=dict)
    drop_metadata: bool = False
    bought: Counter[str] = field(default_factory=Counter)
    bodies: dict[str, bytes] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: list[Made] = field(default_factory=list)
    torn: int = 0
    looked: Callable[[], None] = lambda: None

    def app(self) -> web.Application:
        """The endpoint as an application."""
        app = FakeEndpoint.app(self)
        app.middlewares.append(self._checked)
        route = app.router
        route.add_post("/v1/files", self._upload)
        route.add_get("/v1/files/{name}/content", self._content)
        route.add_post("/v1/batches", self._create)
        route.add_get("/v1/batches", self._list)
        route.add_get("/v1/batches/{name}", self._show)
        route.add_post("/v1/messages/batches", self._create_messages)
        route.add_get("/v1/messages/batches", self._list_messages)
        route.add_get("/v1/messages/batches/{name}", self._show_messages)
        route.add_get("/v1/messages/batches/{name}/results", self._results)
        route.add_post("/v1/messages", self._message)
        return app

    @web.middleware
    async def _checked(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        sent = request.headers.get("x-api-key", request.headers.get("Authorization", ""))
        self.calls[f"{request.method} {re.sub('[0-9]+', 'N', request.path)}"] += 1
        if KEY not in sent:
            return _error(401, "this key is not known", "invalid_api_key")
        return await handler(request)

    async def _upload(self, request: web.Request) -> web.Response:
        form = _form(await request.read(), request.headers["Content-Type"])
        assert form["purpose"] == b"batch"
        raw = form["file"]
        if len(raw) > self.most_bytes:
            return _error(413, f"the file has {len(raw)} bytes", "file_too_large")
        if self.refuse:
            return _error(*self.refuse.pop(0), "refused")
        name = f"file-{len(self.files)}"
        self.files[name] = raw
        self.at("uploaded")
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _create(self, request: web.Request) -> web.Response:
        asks = await request.json()
        self._cut(request, "asked")
        raw = self.files[asks["input_file_id"]]
        lines = [json.loads(line) for line in raw.splitlines()]
        assert all(line["url"] == asks["endpoint"] for line in lines)
        assert asks["completion_window"] == "24h"
        for line, sent in zip(lines, raw.splitlines(), strict=True):
            self.bodies[line["custom_id"]] = sent[sent.index(b'"body":') + 7 : -1]
        made = self.made(lines)
        made.file_id = asks["input_file_id"]
        made.metadata = {} if self.drop_metadata else asks.get("metadata") or {}
        return self._answered(request, self._batch(made))

    def made(self, lines: list[dict[str, Any]]) -> Made:
        """A new batch of some lines, which are bought with it."""
        made = Made(len(self.batches), lines, time.time())
        self.batches.append(made)
        if made.number in self.fail:
            return made
        for line in lines:
            asked = line.get("body") or line["params"]
            prompt = asked["messages"][0]["content"]
            made.outcomes.append(self.outcome(prompt, self.bought[line["custom_id"]]))
            if made.outcomes[-1] not in {"expired", "cancelled", "missing"}:
                self.bought[line["custom_id"]] += 1
        return made

    def _answered(self, request: web.Request, answer: dict[str, Any]) -> web.Response:
        self._cut(request, "created")
        return web.json_response(answer)

    def _cut(self, request: web.Request, point: str) -> None:
        """Do what the test wants at a point; cut the connection where it wants that."""
        self.at(point)
        if self.deaf[:1] == [point]:
            self.deaf.pop(0)
            assert request.transport is not None
            request.transport.close()
            raise web.HTTPServiceUnavailable

    def _batch(self, made: Made) -> dict[str, Any]:
        ended = made.looks > self.looks
        status = self.ends_as if ended else "in_progress"
        shown: dict[str, Any] = {
            "id": f"batch_{made.number}",
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": int(made.made_at),
            "input_file_id": made.file_id,
            "metadata": made.metadata or None,
            "status": status,
        }
        if made.number in self.fail:
            code = self.fail[made.number]
            error = {"code": code, "message": f"{code} in this batch", "line": 3}
            return {**shown, "status": "failed", "errors": {"data": [error], "object": "list"}}
        if ended:
            shown["output_file_id"] = f"out-{made.number}"
            shown["error_file_id"] = f"err-{made.number}"
        return shown

    async def _list(self, request: web.Request) -> web.Response:
        after, limit = request.query.get("after"), int(request.query.get("limit", 20))
        newest = [self._batch(made) for made in reversed(self.batches)]
        if after:
            names = [each["id"] for each in newest]
            newest = newest[names.index(after) + 1 :]
        page = newest[: min(limit, 2)]
        more = len(newest) > len(page)
        return web.json_response({"object": "list", "data": page, "has_more": more})

    async def _show(self, request: web.Request) -> web.Response:
        made = self._named(request)
        if made is None:
            return _error(404, "no such batch", "not_found")
        made.looks += 1
        self.looked()
        return web.json_response(self._batch(made))

    def _named(self, request: web.Request) -> Made | None:
        number = int(request.match_info["name"].rpartition("_")[2])
        return self.batches[number] if number < len(self.batches) else None

    async def _content(self, request: web.Request) -> web.Response:
        kind, _, number = request.match_info["name"].partition("-")
        made = self.batches[int(number)]
        pairs = zip(made.lines, made.outcomes, strict=True)
        told = [_openai_line(line, outcome) for line, outcome in reversed(list(pairs))]
        wanted = [line for line, in_errors in told if line and in_errors == (kind == "err")]
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in wanted)
        if self.torn:
            self.torn -= 1
            text = text[: len(text) // 2]
        return web.Response(text=text, content_type="application/octet-stream")

    async def _create_messages(self, request: web.Request) -> web.Response:
        raw = await request.read()
        assert request.headers["Content-Length"] == str(len(raw))
        if len(raw) > self.most_bytes:
            return _error(413, f"the batch has {len(raw)} bytes", "request_too_large")
        if self.refuse:
            return _error(*self.refuse.pop(0), "refused")
        self._cut(request, "asked")
        lines = json.loads(raw)["requests"]
        for sent in raw.removeprefix(b'{"requests":[').removesuffix(b"]}").split(b",\n"):
            name = json.loads(sent)["custom_id"]
            self.bodies[name] = sent[sent.index(b'"params":') + 9 : -1]
        return self._answered(request, self._message_batch(self.made(lines), request))

    def _message_batch(self, made: Made, request: web.Request) -> dict[str, Any]:
        ended = made.looks > self.looks
        name = f"msgbatch_{made.number}"
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        counts["succeeded" if ended else "processing"] = len(made.lines)
        at = datetime.fromtimestamp(made.made_at, UTC).isoformat()
        url = f"{request.scheme}://{request.host}/v1/messages/batches/{name}/results"
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": at,
            "expires_at": at,
            "results_url": url if ended else None,
        }

    async def _list_messages(self, request: web.Request) -> web.Response:
        for made in self.batches:
            made.looks += 1
        data = [self._message_batch(made, request) for made in reversed(self.batches)]
        return web.json_response({"data": data, "has_more": False})

    async def _show_messages(self, request: web.Request) -> web.Response:
        made = self._named(request)
        if made is None:
            return _error(404, "no such batch", "not_found_error")
        made.looks += 1
        return web.json_response(self._message_batch(made, request))

    async def _results(self, request: web.Request) -> web.Response:
        made = self._named(request)
        assert made is not None
        pairs = zip(made.lines, made.outcomes, strict=True)
        told = [_anthropic_line(line, outcome) for line, outcome in reversed(list(pairs))]
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in told if line)
        return web.Response(text=text, content_type="application/x-jsonl")

    async def _message(self, request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][0]["content"]
        return web.json_response(message(prompt), headers={"request-id": "req_live"})


def _form(raw: bytes, content_type: str) -> dict[str, bytes]:
    """The fields of a form: aiohttp's own reader warns where a field ends at a packet's end."""
    boundary = content_type.partition("boundary=")[2].strip('"').encode()
    found = {}
    for part in raw.split(b"--" + boundary)[1:-1]:
        head, _, value = part.partition(b"\r\n\r\n")
        name = re.search(rb' name="([a-z]+)"', head)
        assert name is not None
        found[name.group(1).decode()] = value.removesuffix(b"\r\n")
    return found


def _error(status: int, said: str, code: str) -> web.Response:
    error = {"message": said, "type": code, "code": code}
    return web.json_response({"type": "error", "error": error}, status=status)


def completion(prompt: str) -> dict[str, Any]:
    """A chat completion, with a separator that splits lines for careless readers."""
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "model": "fake-served",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": f"{reply_to(prompt)}\u2028end"},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 40},
    }


def message(prompt: str) -> dict[str, Any]:
    """A message with a thought before it."""
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "model": "fake-served",
        "content": [
            {"type": "thinking", "thinking": "well", "signature": "s"},
            {"type": "text", "text": f"{reply_to(prompt)}\u2028end"},
        ],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 60,
            "cache_read_input_tokens": 40,
            "output_tokens": 40,
            "output_tokens_details": {"thinking_tokens": 10},
        },
    }


def _openai_line(line: dict[str, Any], outcome: str) -> tuple[dict[str, Any] | None, bool]:
    """A line of the output file or, as the second says, of the error file."""
    name, prompt = line["custom_id"], line["body"]["messages"][0]["content"]
    told: dict[str, Any] = {"id": f"batch_req_{name[:8]}", "custom_id": name, "error": None}
    if outcome == "missing":
        return None, True
    if outcome in {"expired", "cancelled"}:
        error = {"code": f"batch_{outcome}", "message": f"This request was {outcome}."}
        return {**told, "response": None, "error": error}, True
    if outcome == "ok":
        body, status = completion(prompt), 200
    else:
        said = "content management policy" if outcome == "filtered" else f"status {outcome}"
        body = {"error": {"message": said, "type": "x", "code": None}}
        status = 400 if outcome == "filtered" else int(outcome)
    response = {"status_code": status, "request_id": f"req_{name[:8]}", "body": body}
    return {**told, "response": response}, status != 200


_TYPES = {"400": "invalid_request_error", "529": "overloaded_error", "500": "api_error"}


def _anthropic_line(line: dict[str, Any], outcome: str) -> dict[str, Any] | None:
    name, prompt = line["custom_id"], line["params"]["messages"][0]["content"]
    if outcome == "missing":
        return None
    result: dict[str, Any]
    if outcome == "ok":
        result = {"type": "succeeded", "message": message(prompt)}
    elif outcome in {"expired", "cancelled"}:
        result = {"type": "canceled" if outcome == "cancelled" else "expired"}
    else:
        said = "Output blocked by content filtering policy" if outcome == "filtered" else "no"
        error = {"type": _TYPES.get(outcome, "invalid_request_error"), "message": said}
        result = {"type": "errored", "error": {"type": "error", "error": error}}
    return {"custom_id": name, "result": result}
