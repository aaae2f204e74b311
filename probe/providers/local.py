"""The embedded default: a llama.cpp server as a child process, asked like any other endpoint.

The child listens on a free loopback port with a random key, in a session of its own so that Ctrl-C
reaches the run alone, and ends when its standard input does: with the run, also if that is killed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import secrets
import sys
from pathlib import Path
from typing import Final

from probe.errors import ProviderDown
from probe.model_spec import ModelSpec
from probe.pace import idle_cores, local_slots
from probe.providers.base import Answered, Served
from probe.providers.openai_chat import OpenAIChat, request_body, structured_params

_START_S: Final = 180.0
_STOP_S: Final = 10.0


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
        self._log = log
        self._child: asyncio.subprocess.Process | None = None
        self._chat: OpenAIChat | None = None

    async def open(self) -> Served:
        """Start the server and wait for its address."""
        if importlib.util.find_spec("xllamacpp") is None:
            fix = "pip install 'gistprobe[local]'"
            raise ProviderDown(self._model.name, "the embedded server is not installed", fix)
        key = secrets.token_urlsafe(24)
        threads = await asyncio.to_thread(idle_cores)  # before the child itself is busy loading
        self._child = await self._start()
        url = await self._address(self._child, key, threads)
        self._chat = OpenAIChat(self._model, f"{url}/v1", api_key=key)
        served = await self._chat.open()
        return Served(facts={**served.facts, "file": self._path.name, "threads": threads})

    async def _start(self) -> asyncio.subprocess.Process:
        with await asyncio.to_thread(self._log.open, "ab") as log:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "probe.providers.llama_server",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    async def _address(self, child: asyncio.subprocess.Process, key: str, threads: int) -> str:
        settings = {
            "path": str(self._path),
            "alias": self._model.model,
            "key": key,
            "slots": local_slots(self._model),
            "context_tokens": self._model.context_tokens,
            "threads": threads,
        }
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("the child was started without pipes")
        child.stdin.write((json.dumps(settings) + "\n").encode())
        try:
            async with asyncio.timeout(_START_S):
                await child.stdin.drain()
                line = await child.stdout.readline()
            return str(json.loads(line)["url"])
        except (TimeoutError, ValueError, KeyError, ConnectionError):
            await self.close()
            last = await asyncio.to_thread(self._last_lines)
            found = f"the embedded server did not start with {self._path.name} ({last})"
            raise ProviderDown(self._model.name, found, f"see {self._log}") from None

    def _last_lines(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        wrong = [line for line in lines if "error" in line.lower() or "fail" in line.lower()]
        return " ".join((wrong or lines or ["it said nothing"])[-1].split())[-200:]

    def body(self, text: str, sample: int, schema: str | None = None) -> bytes:
        """The bytes to send for a prompt; without a seed of the user's, the sample is the seed."""
        params = {"seed": 0, **structured_params(self._model, schema)}
        return request_body(self._model, params, text, sample)

    async def ask(self, body: bytes) -> Answered:
        """One attempt at the child."""
        if self._chat is None:
            raise RuntimeError("open() comes before ask()")
        return await self._chat.ask(body)

    async def close(self) -> None:
        """Stop the server."""
        if self._chat is not None:
            await self._chat.close()
        child, self._child = self._child, None
        if child is None:
            return
        if child.stdin is not None:
            child.stdin.close()
        try:
            async with asyncio.timeout(_STOP_S):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()
