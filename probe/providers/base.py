"""What a provider is: it turns a prompt into bytes once, and makes one attempt at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from probe.limits import Observed
from probe.model_spec import ModelSpec
from probe.retry import Trouble
from prompts.likelihood import Likelihood
from prompts.tasks.base import Asks, Decoding
from store.rows import Outcome

REPLIES: Final[frozenset[Asks]] = frozenset({"reply"})
"""What most experiments ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a model.

    Attributes:
        text: The prompt; for a continuation or a likelihood the bare passage.
        sample: Which of its replies, from 0.
        schema: JSON schema of an answer, for a model that takes one.
        reply_tokens: Tokens the reply may take, whatever the model's parameters say (count).
        decoding: Of a continuation.
    """

    text: str
    sample: int = 0
    schema: str | None = None
    asks: Asks = "reply"
    reply_tokens: int | None = None
    decoding: Decoding = "told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back for one attempt.

    Attributes:
        raw: The response body as it came.
        reasoning: What the model thought first, where the server shows it.
        reasoning_tokens: Of the reply's tokens, those spent on it.
        cached_tokens: Of the prompt's tokens, those the server had cached.
        likelihood: Of the text that was sent, where that was asked for; then there is no `text`,
            and `raw` is the body without its lists.
        more: Further replies of the same attempt, where it asked for several; their tokens are
            counted with the first.
    """

    outcome: Outcome
    text: str | None
    finish_reason: str | None
    served_model: str | None
    fingerprint: str | None
    prompt_tokens: int | None
    reply_tokens: int | None
    raw: str
    status: int = 200
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    likelihood: Likelihood | None = None
    more: tuple[Reply, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The end of one attempt.

    Attributes:
        limits: What the server said of its rate limits.
        request_id: The server's own name for the request.
    """

    result: Reply | Trouble
    limits: tuple[Observed, ...] = ()
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What answers for a model.

    Attributes:
        facts: For the record.
        unavailable: What is asked for and the endpoint cannot do, with the reason.
    """

    facts: Mapping[str, object] = field(default_factory=dict)
    unavailable: Mapping[Asks, str] = field(default_factory=dict)


class Provider(Protocol):
    """Asks one model. Opened and closed by the run; holds no limits of its own."""

    async def open(self, asks: Collection[Asks] = REPLIES) -> Served:
        """Get ready to be asked; say what will answer.

        Args:
            asks: All that will be asked for, so that what cannot be done is found out before.

        Raises:
            ProviderDown: It cannot be used, with what to do.
        """
        ...

    def body(self, request: Request) -> bytes:
        """The bytes to send, the same in every attempt; after `open`."""
        ...

    async def ask(self, body: bytes, asks: Asks = "reply") -> Answered:
        """One attempt. Failures are values; an exception is a bug."""
        ...

    async def close(self) -> None:
        """Give everything back. May be called more than once."""
        ...


def response_format(schema: Mapping[str, object]) -> dict[str, object]:
    """How a request asks for an answer that fits a JSON schema, as OpenAI's API has it."""
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


DRAWN_AT: Final = 0.8
"""Temperature of samples that must be drawn where the file says 0 or nothing."""
_CHAT_ONLY: Final = frozenset(
    {
        "chat_template_kwargs",
        "logprobs",
        "max_completion_tokens",
        "messages",
        "reasoning",
        "reasoning_effort",
        "response_format",
        "tool_choice",
        "tools",
        "top_logprobs",
        "verbosity",
    }
)


def continuation_params(
    model: ModelSpec, reply_tokens: int | None, decoding: Decoding
) -> dict[str, object]:
    """A model's parameters where a passage is sent alone to be continued.

    Decoding is greedy unless the file or the task says otherwise; what only a chat takes is left
    out.
    """
    own = {name: value for name, value in model.body_params.items() if name not in _CHAT_ONLY}
    temperature = own.pop("temperature", 0.0)
    if decoding == "greedy":
        temperature = 0.0
    elif decoding == "drawn":
        temperature = temperature or DRAWN_AT
    return {"temperature": temperature, **own, "max_tokens": reply_tokens or model.reply_tokens}
