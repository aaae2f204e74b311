"""A fake at the wire that tells how likely prompts are, in the ways that servers differ.

Its model is as simple as can be: tokens are words with the space before them, and the
log-probability of a token is minus its length in code points, of the first in a prompt unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

Kind = Literal["vllm", "echo", "echo that writes", "ignores echo", "refuses", "chat only"]


def tokens_of(text: str) -> list[str]:
    """A prompt's tokens under that model."""
    return re.findall(r"\s*\S+|\s+$", text)


@dataclass(slots=True, kw_only=True)
class Teller:
    """The endpoint's state.

    Attributes:
        kind: How it tells.
        first: Answers, by status and body, that come before all others.
        opens: A token it puts before every prompt.
        shown: What is shown for tokens in place of their text.
        heard: Paths and bodies, as they came.
    """

    kind: Kind
    first: list[tuple[int, str]] = field(default_factory=list)
    opens: str = ""
    shown: Mapping[str, str] = field(default_factory=dict)
    heard: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def app(self) -> web.Application:
        """The endpoint as an application."""
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/version", self._version)
        if self.kind != "chat only":
            app.router.add_post("/v1/completions", self._completions)
        return app

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "fake", "max_model_len": 512}]})

    async def _version(self, _: web.Request) -> web.Response:
        return web.json_response({"version": "9.8.7"})

    async def _chat(self, request: web.Request) -> web.Response:
        self.heard.append((request.path, await request.json()))
        message = {"role": "assistant", "content": "a reply"}
        return web.json_response({"model": "fake", "choices": [{"message": message}]})

    async def _completions(self, request: web.Request) -> web.Response:
        asks = await request.json()
        self.heard.append((request.path, asks))
        if self.first:
            status, said = self.first.pop(0)
            return web.Response(status=status, text=said)
        if self.kind == "refuses" and ("prompt_logprobs" in asks or asks.get("logprobs")):
            error = {"error": {"message": "logprobs are not supported with this model"}}
            return web.json_response(error, status=400)
        if self.kind == "echo that writes" and not asks["max_tokens"]:
            error = {"error": {"message": "max_tokens must be at least 1"}}
            return web.json_response(error, status=400)
        return web.Response(text=json.dumps(self._answer(asks)), content_type="application/json")

    def _answer(self, asks: Mapping[str, Any]) -> dict[str, Any]:
        prompt = [self.opens] * bool(self.opens) + tokens_of(asks["prompt"])
        written = [" and"] * asks["max_tokens"]
        choice: dict[str, Any] = {"index": 0, "text": "".join(written), "finish_reason": "length"}
        if self.kind == "vllm" and "prompt_logprobs" in asks:
            choice |= self._by_id(prompt)
        if "logprobs" in asks:
            echoed = asks.get("echo") and self.kind != "ignores echo"
            choice["logprobs"] = self._lists([*prompt, *written] if echoed else written)
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(written)}
        return {"model": "fake", "choices": [choice], "usage": usage}

    def _by_id(self, prompt: list[str]) -> dict[str, Any]:
        ids = [100 + at for at in range(len(prompt))]
        places = [
            None
            if not at
            else {
                str(ids[at]): {
                    "logprob": -float(len(token)),
                    "rank": len(token),
                    "decoded_token": self.shown.get(token, token),
                },
                "7": {"logprob": -0.5, "rank": 1, "decoded_token": " the"},
            }
            for at, token in enumerate(prompt)
        ]
        return {"prompt_logprobs": places, "prompt_token_ids": ids}

    def _lists(self, tokens: list[str]) -> dict[str, Any]:
        return {
            "tokens": tokens,
            "token_logprobs": [
                -float(len(token)) if at else None for at, token in enumerate(tokens)
            ],
            "top_logprobs": None,
        }


@asynccontextmanager
async def telling(teller: Teller) -> AsyncIterator[str]:
    """The endpoint in the test's own loop, as its base URL."""
    runner = web.AppRunner(teller.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
