"""A fake at the wire: an OpenAI-compatible endpoint on loopback that follows a test's script.

Not a model: every reply is made from the prompt, unless the script has an answer of its own. It
keeps what it heard, so that tests can say what was bought, when, how often and with which bytes.
Where chance will do in place of a script, tests take `probe simulate` (`tests.probe.simulated`).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Scripted = Callable[[int, str], web.Response | None]
"""Given how often this prompt was asked before and the prompt: an answer of its own, or None."""


def reply_to(prompt: str) -> str:
    """The reply every prompt gets: 'reply' and a digest of the prompt."""
    return f"reply {hashlib.sha256(prompt.encode()).hexdigest()[:12]}"


def completion(
    *texts: str | None,
    finish: str = "stop",
    usage: tuple[int, int] = (11, 3),
    headers: Mapping[str, str] | None = None,
    **message: object,
) -> web.Response:
    """A chat completion.

    Args:
        texts: Of its choices, one each.
        finish: Their finish reason.
        usage: Tokens of the prompt and of all its choices.
        headers: To send along.
        message: Further fields of the messages, such as `refusal`.
    """
    return web.json_response(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "model": "fake-served",
            "system_fingerprint": "fp-fake",
            "choices": [
                {
                    "index": place,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": text, **message},
                }
                for place, text in enumerate(texts)
            ],
            "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]},
        },
        headers=headers,
    )


def refusal_of(status: int, message: str, code: str = "", **headers: str) -> web.Response:
    """An error body as OpenAI words it."""
    error = {"message": message, "type": "error", "code": code or None}
    return web.json_response({"error": error}, status=status, headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One request as it came.

    Attributes:
        at: When (seconds, on the clock of `time.monotonic`).
    """

    at: float
    prompt: str
    body: bytes
    headers: Mapping[str, str]

    @property
    def asks(self) -> dict[str, Any]:
        """The body, parsed."""
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed


@dataclass(slots=True)
class FakeEndpoint:
    """The endpoint's state.

    Attributes:
        by_model: Scripts for some models, in place of `scripted`.
        latency_s: Of every answer (seconds).
        most_open: Requests open at once (count).
    """

    scripted: Scripted = lambda _times, _prompt: None
    by_model: Mapping[str, Scripted] = field(default_factory=dict)
    latency_s: float = 0.0
    heard: list[Heard] = field(default_factory=list)
    most_open: int = 0
    _times: Counter[tuple[str, str]] = field(default_factory=Counter)
    _open: int = 0

    @property
    def asked(self) -> Counter[str]:
        """How often each prompt came."""
        return Counter(each.prompt for each in self.heard)

    def asked_of(self, model: str) -> int:
        """Requests for one model (count)."""
        return sum(each.asks["model"] == model for each in self.heard)

    def app(self) -> web.Application:
        """The endpoint as an application."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        return app

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "fake", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.Response:
        at, body = time.monotonic(), await request.read()
        asks = json.loads(body)
        model, prompt = asks["model"], asks["messages"][0]["content"]
        self.heard.append(Heard(at=at, prompt=prompt, body=body, headers=dict(request.headers)))
        times = self._times[model, prompt]
        self._times[model, prompt] += 1
        self._open += 1
        self.most_open = max(self.most_open, self._open)
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            self._open -= 1
        script = self.by_model.get(model, self.scripted)
        return script(times, prompt) or completion(reply_to(prompt))


@asynccontextmanager
async def started(endpoint: FakeEndpoint) -> AsyncIterator[str]:
    """The endpoint in the test's own loop, as its base URL."""
    runner = web.AppRunner(endpoint.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@contextmanager
def serving(endpoint: FakeEndpoint) -> Iterator[str]:
    """The endpoint in a thread of its own, for tests that start the command."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    in_thread = started(endpoint)
    try:
        yield asyncio.run_coroutine_threadsafe(in_thread.__aenter__(), loop).result(10)
    finally:
        done = in_thread.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(done, loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
