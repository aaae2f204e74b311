"""The child's HTTP side: OpenAI's completions and chat completions, on a loopback port.

Beside OpenAI's `logprobs`, a choice of an echo holds `gistprobe`: exact numbers for each token.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal, TypeAlias

import orjson
from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from probe.providers.scoring.engine import Engine
from probe.providers.scoring.errors import Refused, ScoringError
from probe.providers.scoring.places import Places
from probe.providers.scoring.tokens import Tokens
from probe.providers.scoring.worker import Worker
from probe.providers.scoring.write import Wish, Written

_REPLY_TOKENS: Final = 256
_MOST_BYTES: Final = 1 << 24
_Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Asked(BaseModel):
    """What both kinds of request may hold; what is not listed is refused, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    temperature: float = Field(default=1.0, ge=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    seed: int = Field(default=0, ge=0, lt=2**63)
    stop: str | list[str] | None = None
    n: Literal[1] = 1
    stream: Literal[False] = False

    @property
    def stops(self) -> tuple[str, ...]:
        """Texts that end a reply."""
        each = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return tuple(stop for stop in each if stop)

    def wish(self, tokens: Tokens, max_tokens: int) -> Wish:
        """As the writer takes it."""
        return Wish(
            ids=tokens.ids,
            max_tokens=max_tokens,
            temperature=self.temperature,
            top_p=self.top_p,
            seed=self.seed,
            stop=self.stops,
        )


class _Completion(_Asked):
    """A request to /v1/completions."""

    prompt: str
    max_tokens: int = Field(default=16, ge=0)
    echo: bool = False
    logprobs: Literal[0] | None = None


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["system", "user", "assistant"]
    content: str


class _Chat(_Asked):
    """A request to /v1/chat/completions."""

    messages: list[_Message] = Field(min_length=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)


class Server:
    """Answers for one engine."""

    def __init__(self, engine: Engine, key: str) -> None:
        self._engine = engine
        self._worker = Worker(engine)
        self._key = f"Bearer {key}".encode()

    def application(self) -> web.Application:
        """As aiohttp serves it."""
        made = web.Application(middlewares=[self._guarded], client_max_size=_MOST_BYTES)
        made.router.add_get("/v1/models", self._models)
        made.router.add_post("/v1/completions", self._completion)
        made.router.add_post("/v1/chat/completions", self._chat)
        return made

    @web.middleware
    async def _guarded(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(given, self._key):
            return _error("Unauthorized", 401)
        try:
            return await handler(request)
        except Refused as refused:
            return _error(str(refused), refused.status)
        except ValidationError as error:
            return _error("; ".join(map(_problem, error.errors())), 400)
        except (ScoringError, RuntimeError, MemoryError) as error:
            return _error(str(error) or type(error).__name__, 500)

    async def _models(self, request: web.Request) -> web.Response:
        del request
        engine = self._engine
        listed = {"id": engine.alias, "object": "model", "owned_by": "gistprobe", **engine.facts}
        return _json({"object": "list", "data": [listed]})

    async def _completion(self, request: web.Request) -> web.Response:
        asked = _Completion.model_validate_json(await request.read())
        self._check(asked)
        if not asked.echo:
            if asked.logprobs is not None or not asked.max_tokens:
                raise Refused("Without `echo`, `max_tokens` is at least 1 and `logprobs` left out.")
            tokens = self._engine.tokens(asked.prompt, asked.max_tokens)
            written = await self._write(asked.wish(tokens, asked.max_tokens))
            return self._answer("text_completion", tokens, written, {"text": written.text})
        if asked.max_tokens:
            raise Refused("With `echo`, `max_tokens` is 0: a text is scored or continued.")
        tokens = self._engine.tokens(asked.prompt)
        places = await self._worker.score(tokens.ids)
        choice: dict[str, object] = {"text": asked.prompt, "gistprobe": _lists(tokens, places)}
        if asked.logprobs is not None:
            choice["logprobs"] = _logprobs(asked.prompt, tokens, places)
        return self._answer("text_completion", tokens, None, choice)

    async def _chat(self, request: web.Request) -> web.Response:
        asked = _Chat.model_validate_json(await request.read())
        self._check(asked)
        most = asked.max_completion_tokens or asked.max_tokens or _REPLY_TOKENS
        messages = [message.model_dump() for message in asked.messages]
        tokens = self._engine.conversation(messages, most)
        written = await self._write(asked.wish(tokens, most))
        said = {"role": "assistant", "content": written.text}
        return self._answer("chat.completion", tokens, written, {"message": said})

    async def _write(self, wish: Wish) -> Written:
        if not self._engine.continues:
            raise Refused("transformers keeps no cache for this model, so it writes nothing.")
        return await self._worker.write(wish)

    def _check(self, asked: _Asked) -> None:
        if asked.model != self._engine.alias:
            raise Refused(f"The model `{asked.model}` does not exist.", 404)

    def _answer(
        self, kind: str, tokens: Tokens, written: Written | None, choice: dict[str, object]
    ) -> web.Response:
        count = len(written.ids) if written else 0
        finish = written.finish_reason if written else "stop"
        return _json(
            {
                "object": kind,
                "created": int(time.time()),
                "model": self._engine.alias,
                "system_fingerprint": self._engine.fingerprint,
                "choices": [{"index": 0, **choice, "finish_reason": finish}],
                "usage": {
                    "prompt_tokens": len(tokens.ids),
                    "completion_tokens": count,
                    "total_tokens": len(tokens.ids) + count,
                },
            }
        )


async def serve(engine: Engine, key: str, listening: Callable[[str], None]) -> None:
    """Serve until the process ends.

    Args:
        engine: Answers.
        key: The bearer key that is asked for.
        listening: Told the address once it answers there.
    """
    application = Server(engine, key).application()
    runner = web.AppRunner(application, access_log=None, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    listening(f"http://127.0.0.1:{runner.addresses[0][1]}")
    await asyncio.Event().wait()


def _lists(tokens: Tokens, places: Places) -> dict[str, object]:
    """All that is known of each token; the first has nothing before it, so nothing is known."""
    return {
        "token_ids": tokens.ids,
        "offsets": tokens.offsets,
        "logprobs": [None, *places.logprobs[1:]],
        "ranks": [None, *places.ranks[1:].tolist()],
        "means": [None, *places.means[1:]],
        "variances": [None, *places.variances[1:]],
    }


def _logprobs(text: str, tokens: Tokens, places: Places) -> dict[str, object]:
    """As OpenAI's older API has it; the alternatives to a token are not told."""
    ends = (*tokens.offsets[1:], len(text))
    return {
        "tokens": [text[start:end] for start, end in zip(tokens.offsets, ends, strict=True)],
        "token_logprobs": [None, *places.logprobs[1:]],
        "top_logprobs": None,
        "text_offset": tokens.offsets,
    }


def _json(value: object, status: int = 200) -> web.Response:
    body = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    return web.Response(body=body, status=status, content_type="application/json")


def _error(said: str, status: int) -> web.Response:
    kinds = {401: "AuthenticationError", 404: "NotFoundError", 500: "InternalServerError"}
    kind = kinds.get(status, "BadRequestError")
    return _json({"error": {"message": said, "type": kind, "code": status}}, status)


def _problem(error: Any) -> str:  # noqa: ANN401 - a dictionary of pydantic's
    where = ".".join(map(str, error["loc"])) or "the body"
    return f"{where}: {error['msg']}"
