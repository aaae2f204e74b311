"""A model served by vLLM: started here and ended with the run, or running already and attached to.

vLLM may stand in an environment of its own: it is started by its own python, and nothing of it is
imported here. It is asked like any other endpoint; what it prints goes to the model's log.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp

from probe.model_spec import ModelSpec
from probe.providers.base import REPLIES, Answered, Request, Served
from probe.providers.child import Child, Program
from probe.providers.openai_chat import OpenAIChat
from probe.providers.vllm_log import ENDED, telling
from probe.retry import REFUSED, Trouble
from prompts.tasks.base import Asks

_SLACK_S: Final = 180.0
_VERSION_S: Final = 5.0
_TAIL: Final = 1 << 16
_QUIET: Final = {
    # No report of use leaves the machine, and the working folder's own packages stay out of it.
    "VLLM_NO_USAGE_STATS": "1",
    "PYTHONSAFEPATH": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What is served.

    Attributes:
        path: A folder, a GGUF file, or the id of a model that vLLM fetches.
        unpack: Whether it is a GGUF file, which is made a folder of safetensors first.
        cache: Where that is kept.
        chat_template: The model's own, a file or its text.
    """

    path: str
    unpack: bool
    cache: Path
    chat_template: str | None = None


def command(model: ModelSpec, weights: str, port: int, chat_template: str | None) -> list[str]:
    """What is started: vLLM's server with all its arguments; the key goes by the environment."""
    serve = model.serve_here
    told: dict[str, object] = {
        "--model": weights,
        "--served-model-name": model.model,
        "--host": "127.0.0.1",
        "--port": port,
        "--max-model-len": model.context_tokens,
        "--dtype": serve.dtype,
        "--tensor-parallel-size": serve.tensor_parallel,
        "--revision": serve.revision,
        "--chat-template": chat_template,
        "--gpu-memory-utilization": serve.gpu_memory_utilization,
    }
    names = {word.partition("=")[0] for word in serve.args}
    if "--generation-config" not in names:
        # Else penalties and temperatures of the model's own file are applied to what leaves them
        # unsaid, and a continuation is no longer the likeliest one.
        told["--generation-config"] = "vllm"
    words = [str(word) for pair in told.items() if pair[1] is not None for word in pair]
    return [_python(model), "-m", "vllm.entrypoints.openai.api_server", *words, *serve.args]


def _python(model: ModelSpec) -> str:
    told = model.serve_here.python
    return str(Path(told).expanduser()) if told else sys.executable


class Vllm:
    """One model and its server."""

    def __init__(self, model: ModelSpec, weights: Weights | None, log: Path) -> None:
        """Ready to be opened.

        Args:
            model: The model of the experiment file.
            weights: What is served; None where a server runs already.
            log: Where vLLM's own output goes.
        """
        self._model = model
        self._weights = weights
        self._log = log
        self._child: Child | None = None
        self._chat: OpenAIChat | None = None

    async def open(self, asks: Collection[Asks] = REPLIES) -> Served:
        """Start the server and wait until it answers a real request; or attach to the one there."""
        if self._weights is None:
            return await self._attach(asks)
        facts, key = await self._start(self._weights)
        self._chat = OpenAIChat(self._model, str(facts.pop("url")), api_key=key)
        served = await self._chat.open(asks)
        serve = self._model.serve_here
        own = {
            "server": "vllm",
            "revision": serve.revision,
            "dtype": serve.dtype,
            "tensor_parallel": serve.tensor_parallel,
            "args": serve.args,
            "context_tokens": self._model.context_tokens,
        }
        return Served(facts={**served.facts, **own, **facts}, unavailable=served.unavailable)

    async def _attach(self, asks: Collection[Asks]) -> Served:
        base = self._model.base_url or ""
        self._chat = OpenAIChat(self._model, base)
        served = await self._chat.open(asks)
        version = await _version(base)
        facts = {"server": "vllm", "version": version} if version else {}
        return Served(facts={**served.facts, **facts}, unavailable=served.unavailable)

    async def _start(self, weights: Weights) -> tuple[dict[str, object], str]:
        serve = self._model.serve_here
        path = await self._unpacked(weights) if weights.unpack else weights.path
        port = serve.port or _free_port()
        key = secrets.token_urlsafe(24)
        settings = {
            "command": command(self._model, path, port, weights.chat_template),
            "environment": {**_QUIET, **serve.env, "VLLM_API_KEY": key},
            "key": key,
            "model": self._model.model,
            "port": port,
            "log": str(self._log),
            "start_s": serve.start_s,
            "facts": {
                "python": _python(self._model),
                "port": str(port),
                "context": str(self._model.context_tokens),
                "model": self._model.model,
            },
        }
        program = Program(
            module="probe.providers.vllm_server", what="vLLM", within_s=serve.start_s + _SLACK_S
        )
        self._child = Child(program, self._model.name, self._log)
        return await self._child.start(settings, Path(path).name), key

    async def _unpacked(self, weights: Weights) -> str:
        """The folder made of a GGUF file, by a process of its own that loads torch and ends."""
        program = Program(
            module="probe.providers.vllm_unpack",
            what="the unpacking of the weights",
            within_s=self._model.serve_here.start_s,
        )
        self._child = Child(program, self._model.name, self._log)
        settings = {"path": weights.path, "cache": str(weights.cache)}
        said = await self._child.start(settings, Path(weights.path).name)
        await self._child.close()
        return str(said["folder"])

    def body(self, request: Request) -> bytes:
        """The bytes to send for a prompt, or for a bare passage."""
        return self._opened().body(request)

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        """One attempt at the server; where it has died since, why."""
        answered = await self._opened().ask(body, asks)
        trouble = answered.result
        if self._child is None or not isinstance(trouble, Trouble) or trouble.kind != REFUSED:
            return answered
        why = await asyncio.to_thread(self._why_dead)
        return Answered(Trouble(kind=REFUSED, message=why)) if why else answered

    def _opened(self) -> OpenAIChat:
        if self._chat is None:
            raise RuntimeError("open() comes first")
        return self._chat

    def _why_dead(self) -> str | None:
        """What the log says of its end; None where it has not ended."""
        with self._log.open("rb") as file:
            file.seek(max(0, self._log.stat().st_size - _TAIL))
            lines = file.read().decode(errors="replace").splitlines()
        ended = next((line for line in reversed(lines) if line.startswith(ENDED)), None)
        if ended is None:
            return None
        return f"{ended.removeprefix('gistprobe: ')} ({telling(lines)}); see {self._log}"

    async def close(self) -> None:
        """Close the session, and end the server where it was started here."""
        if self._chat is not None:
            await self._chat.close()
        if self._child is not None:
            await self._child.close()


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
    return port


async def _version(base_url: str) -> str | None:
    """VLLM's version, as a running server tells it; None where it does not."""
    root = base_url.rstrip("/").removesuffix("/v1")
    timeout = aiohttp.ClientTimeout(total=_VERSION_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(f"{root}/version") as answer,
        ):
            told = json.loads(await answer.read())
    except (aiohttp.ClientError, TimeoutError, ValueError):
        return None
    version = told.get("version") if isinstance(told, dict) else None
    return version if isinstance(version, str) else None
