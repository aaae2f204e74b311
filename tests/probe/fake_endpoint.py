"""A fake at the wire: an OpenAI-compatible endpoint on loopback that tests can script.

Not a model: every reply is made from the prompt. It counts what it is asked and keeps every body,
so that tests can say what was bought, how often, and with which bytes. Run as a module it serves
until its standard input ends, and appends each request to a file, for tests that kill the client.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

Scripted = Callable[[int, str], web.Response | None]
"""Given how often this prompt was asked before and the prompt: an answer of its own, or None."""


def reply_to(prompt: str) -> str:
    """The reply every prompt gets: 'reply' and a digest of the prompt."""
    return f"reply {hashlib.sha256(prompt.encode()).hexdigest()[:12]}"


def completion(
    text: str | None, *, finish: str = "stop", refusal: str | None = None
) -> web.Response:
    """A chat completion with that text."""
    return web.json_response(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "model": "fake-served",
            "system_fingerprint": "fp-fake",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": text, "refusal": refusal},
                }
            ],
            "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        }
    )


def refusal_of(status: int, message: str, code: str = "", **headers: str) -> web.Response:
    """An error body as OpenAI words it."""
    error = {"message": message, "type": "error", "code": code or None}
    return web.json_response({"error": error}, status=status, headers=headers)


@dataclass(slots=True)
class FakeEndpoint:
    """The endpoint's state."""

    scripted: Scripted = lambda _times, _prompt: None
    latency_s: float = 0.0
    record: Path | None = None
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    bodies: dict[str, list[bytes]] = field(default_factory=dict)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_open: int = 0
    _open: int = 0

    def app(self) -> web.Application:
        """The endpoint as an application."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        return app

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "fake", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.Response:
        body = await request.read()
        prompt = json.loads(body)["messages"][0]["content"]
        times = self.asked[prompt]
        self.asked[prompt] += 1
        self.bodies.setdefault(prompt, []).append(body)
        self.headers.append(dict(request.headers))
        self._note("asked", prompt)
        self._open += 1
        self.most_open = max(self.most_open, self._open)
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            self._open -= 1
        answer = self.scripted(times, prompt) or completion(reply_to(prompt))
        self.answered[prompt] += 1
        self._note("answered", prompt)
        return answer

    def _note(self, what: str, prompt: str) -> None:
        if self.record is not None:
            digest = hashlib.sha256(prompt.encode()).hexdigest()
            with self.record.open("a") as file:
                file.write(f"{what} {digest}\n")


async def start(endpoint: FakeEndpoint) -> tuple[web.AppRunner, str]:
    """Serve an endpoint on a free port; return what to clean up, and its base URL."""
    runner = web.AppRunner(endpoint.app(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/v1"


@contextmanager
def serving(endpoint: FakeEndpoint) -> Iterator[str]:
    """An endpoint in a thread of its own, for tests that start the command."""
    loop = asyncio.new_event_loop()
    runner, url = loop.run_until_complete(start(endpoint))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield url
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _serve(endpoint: FakeEndpoint) -> None:
    _, url = await start(endpoint)
    sys.stdout.write(url + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(FakeEndpoint(latency_s=float(sys.argv[2]), record=Path(sys.argv[1]))))
