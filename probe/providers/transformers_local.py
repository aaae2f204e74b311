"""A model that transformers computes in a child process: exact likelihoods, on a CPU or a GPU.

The embedded server tells no log-probabilities of a prompt, so this does; it also continues texts
and, where the model has a chat template, answers. The weights of a GGUF file are unpacked once.
"""

from __future__ import annotations

import asyncio
import importlib.util
import secrets
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import orjson

from probe.errors import ProviderDown
from probe.model_spec import ModelSpec
from probe.pace import attempt_s, idle_cores
from probe.providers.base import (
    REPLIES,
    Answered,
    Reply,
    Request,
    Served,
    continuation_params,
)
from probe.providers.child import Child, Program
from probe.providers.openai_chat import OpenAIChat, completion_body, request_body
from probe.providers.replies import loads, one_line
from probe.retry import Trouble
from prompts.likelihood import Likelihood
from prompts.tasks.base import Asks

_SERVER: Final = Program(
    module="probe.providers.scoring",
    what="transformers",
    within_s=1800.0,  # the weights of a large file are unpacked the first time
)
_NEEDED: Final = ("torch", "transformers")
_NEEDED_FOR_GGUF: Final = ("gguf", "accelerate")
_EXACTLY: Final[dict[str, object]] = {"temperature": 0.0, "seed": 0}
"""How it replies where the experiment file says nothing."""
_LISTS: Final = ("gistprobe", "logprobs")
_BROKEN: Final = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


class Transformers:
    """A model of which transformers computes everything, here."""

    def __init__(self, model: ModelSpec, path: Path, log: Path, cache: Path) -> None:
        """Ready to be opened.

        Args:
            model: The model of the experiment file.
            path: A GGUF file, or a folder as transformers saves a model.
            log: Where the child's own output goes.
            cache: Where the unpacked weights of GGUF files are kept.
        """
        self._model = model
        self._path = path
        self._cache = cache
        self._child = Child(_SERVER, model.name, log)
        self._replies: OpenAIChat | None = None
        self._completions: OpenAIChat | None = None

    async def open(self, asks: Collection[Asks] = REPLIES) -> Served:
        """Start the child and wait until the model is loaded."""
        self._check_installed()
        key = secrets.token_urlsafe(24)
        threads = await asyncio.to_thread(idle_cores)  # before the child itself is busy loading
        settings = {
            "path": str(self._path),
            "cache": str(self._cache),
            "alias": self._model.model,
            "key": key,
            "threads": threads,
            "dtype": "float32",
            "context_tokens": self._model.context_tokens,
        }
        told = await self._child.start(settings, self._path.name)
        url = f"{told['url']}/v1"
        patient = self._model.model_copy(update={"timeout_s": attempt_s(self._model)})
        completions = patient.model_copy(update={"api": "completions"})
        self._replies = OpenAIChat(patient, url, api_key=key)
        self._completions = OpenAIChat(completions, url, api_key=key)
        await self._completions.open()
        await self._replies.open()
        facts = {**told["facts"], "file": self._path.name, "threads": threads}
        return Served(facts=facts, unavailable=self._unavailable(told, asks))

    def _check_installed(self) -> None:
        needed = _NEEDED if self._path.is_dir() else (*_NEEDED, *_NEEDED_FOR_GGUF)
        missing = [name for name in needed if importlib.util.find_spec(name) is None]
        if missing:
            fix = "pip install 'gistprobe[transformers]'"
            found = f"{' and '.join(missing)} is not installed"
            raise ProviderDown(self._model.name, found, fix)

    def _unavailable(self, told: Mapping[str, Any], asks: Collection[Asks]) -> dict[Asks, str]:
        reasons: dict[Asks, str] = {}
        if not told["continues"]:
            writes = "transformers keeps no cache for this model, so it writes nothing"
            reasons = {"continuation": writes, "reply": writes}
        elif self._model.api == "chat" and not told["template"]:
            reasons["reply"] = "its tokenizer has no chat template; set api = 'completions'"
        return {asked: reason for asked, reason in reasons.items() if asked in asks}

    def body(self, request: Request) -> bytes:
        """The bytes to send: a prompt, or a bare passage to continue or to score."""
        model = self._model
        if request.asks == "likelihood":
            asked = {"max_tokens": 0, "echo": True, "logprobs": 0}
            return completion_body(model, asked, request.text, 0)
        if request.asks == "continuation":
            told = continuation_params(model, request.reply_tokens, request.decoding)
            params = {"seed": 0, **told}
            return completion_body(model, params, request.text, request.sample)
        params = {**_EXACTLY, **model.body_params}
        if "max_completion_tokens" not in params:
            params.setdefault("max_tokens", model.reply_tokens)
        return request_body(model, params, request.text, request.sample)

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        """One attempt at the child."""
        if self._replies is None or self._completions is None:
            raise RuntimeError("open() comes before ask()")
        if asks == "reply":
            return await self._replies.ask(body)
        answered = await self._completions.ask(body)
        if asks == "likelihood" and isinstance(answered.result, Reply):
            return replace(answered, result=read_scored(answered.result))
        return answered

    async def close(self) -> None:
        """Stop the child."""
        for asked in (self._replies, self._completions):
            if asked is not None:
                await asked.close()
        await self._child.close()


def read_scored(reply: Reply) -> Reply | Trouble:
    """An echo as a reply that holds its likelihood, and a body without its lists."""
    try:
        parsed = loads(reply.raw)
        choice = parsed["choices"][0]
        told = choice["gistprobe"]
        likelihood = Likelihood(
            offsets=tuple(map(int, told["offsets"])),
            logprobs=tuple(map(_number, told["logprobs"])),
            token_ids=tuple(map(int, told["token_ids"])),
            ranks=tuple(None if rank is None else int(rank) for rank in told["ranks"]),
            means=tuple(map(_number, told["means"])),
            variances=tuple(map(_number, told["variances"])),
        )
        for name in _LISTS:
            choice.pop(name, None)
    except _BROKEN as error:
        said = f"no likelihood of the text ({type(error).__name__}: {error})"
        return Trouble(kind="malformed body", message=one_line(said), status=200)
    return replace(
        reply, outcome="ok", text=None, raw=orjson.dumps(parsed).decode(), likelihood=likelihood
    )


def _number(value: Any) -> float | None:  # noqa: ANN401 - JSON
    return None if value is None else float(value)
