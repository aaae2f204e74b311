"""The embedded default: a llama.cpp server as a child process, asked like any other endpoint.

The child listens on a free loopback port with a random key and ends with the run.
"""

from __future__ import annotations

import asyncio
import importlib.util
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import Final

from probe.errors import ProviderDown
from probe.model_spec import ModelSpec
from probe.pace import idle_cores, local_slots
from probe.providers.base import REPLIES, Answered, Request, Served, continuation_params
from probe.providers.child import Child, Program
from probe.providers.openai_chat import (
    OpenAIChat,
    completion_body,
    request_body,
    structured_params,
)
from prompts.tasks.base import Asks

_SERVER: Final = Program(
    module="probe.providers.llama_server", what="the embedded server", within_s=180.0
)


class Local:
    """A GGUF model, served here."""

    def __init__(self, model: ModelSpec, path: Path, log: Path) -> None:
        """Ready to be opened.

        Args:
            model: The model of the experiment file.
            path: The GGUF file.
            log: Where the server's own output goes.
        """
        self._model = model
        self._path = path
        self._child = Child(_SERVER, model.name, log)
        self._chat: OpenAIChat | None = None

    async def open(self, asks: Collection[Asks] = REPLIES) -> Served:
        """Start the server and wait for its address."""
        if importlib.util.find_spec("xllamacpp") is None:
            fix = "pip install 'gistprobe[local]'"
            raise ProviderDown(self._model.name, "the embedded server is not installed", fix)
        key = secrets.token_urlsafe(24)
        threads = await asyncio.to_thread(idle_cores)  # before the child itself is busy loading
        settings = {
            "path": str(self._path),
            "alias": self._model.model,
            "key": key,
            "slots": local_slots(self._model),
            "context_tokens": self._model.context_tokens,
            "threads": threads,
        }
        told = await self._child.start(settings, self._path.name)
        self._chat = OpenAIChat(self._model, f"{told['url']}/v1", api_key=key)
        served = await self._chat.open(asks)
        return Served(
            facts={**served.facts, "file": self._path.name, "threads": threads},
            unavailable=served.unavailable,
        )

    def body(self, request: Request) -> bytes:
        """The bytes to send for a prompt; without a seed of the user's, the sample is the seed."""
        if request.asks == "continuation":
            told = continuation_params(self._model, request.reply_tokens, request.decoding)
            own = {"seed": 0, **told}
            return completion_body(self._model, own, request.text, request.sample)
        params = {"seed": 0, **structured_params(self._model, request.schema)}
        return request_body(self._model, params, request.text, request.sample)

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        """One attempt at the child."""
        if self._chat is None:
            raise RuntimeError("open() comes before ask()")
        return await self._chat.ask(body, asks)

    async def close(self) -> None:
        """Stop the server."""
        if self._chat is not None:
            await self._chat.close()
        await self._child.close()
