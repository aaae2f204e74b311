"""What an endpoint can do beside replying, found out by a tiny real request for each way of asking.

Documentation and version numbers do not tell: servers take parameters and ignore them. What comes
back decides how all later requests are put.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import orjson

from probe.errors import ProviderDown
from probe.model_spec import ModelSpec
from probe.providers.base import Answered, Reply
from probe.providers.likelihood_replies import Shape
from probe.retry import MISFIT, REFUSED, Trouble, Verdict, fix_for, verdict, wait_s

PROBED: Final = "One two three four"
"""What endpoints are asked about: ASCII, and more than one token for any model."""
_TRIES: Final = 3
_LONGEST_WAIT_S: Final = 10.0
_CANNOT: Final = frozenset({400, 404, 405, 415, 422, 500, 501})
_UNKNOWN_MODEL: Final = ("model_not_found", "does not exist", "no such model", "unknown model")

Try: TypeAlias = Callable[[bytes], Awaitable[Answered]]
"""One attempt at /v1/completions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """How an endpoint is asked how likely a text is.

    Attributes:
        shape: Of its answer.
        written: Tokens it must write to answer at all (count).
        opens: Whether it puts a token of its own before the text; None where it does not tell.
    """

    shape: Shape
    written: int
    opens: bool | None = None


WAYS: Final = (
    Likely(shape="prompt_logprobs", written=1),
    Likely(shape="echo", written=0),
    Likely(shape="echo", written=1),
)
"""From the one that tells most."""


def likelihood_body(model: ModelSpec, way: Likely, text: str) -> bytes:
    """A request for how likely a text is: it has nothing of the model's sampling parameters."""
    body: dict[str, object] = {
        "model": model.model,
        "prompt": text,
        "max_tokens": way.written,
        "temperature": 0.0,
    }
    if way.shape == "prompt_logprobs":
        body |= {"prompt_logprobs": model.likeliest, "return_token_ids": True}
    else:
        body |= {"echo": True, "logprobs": model.likeliest}
    return orjson.dumps(body)


async def find_likelihood(attempt: Callable[[Likely], Try], model: ModelSpec) -> Likely | str:
    """How the endpoint tells how likely a text is, or the reason why it does not.

    Args:
        attempt: What makes one attempt, its answer read as that way of asking would have it.
        model: The model asked.

    Raises:
        ProviderDown: It could not be asked.
    """
    reasons = []
    for way in WAYS:
        found = await _tried(attempt(way), likelihood_body(model, way, PROBED), model)
        if isinstance(found, Reply) and found.likelihood is not None:
            count = found.prompt_tokens
            opens = None if count is None else count > len(found.likelihood)
            return Likely(shape=way.shape, written=way.written, opens=opens)
        if isinstance(found, Trouble):
            reasons.append((way, found))
    return _reason(reasons)


def _reason(reasons: list[tuple[Likely, Trouble]]) -> str:
    last = reasons[-1][1]
    if all(trouble.status in {404, 405, 501} for _, trouble in reasons):
        return f"the endpoint has no /completions for this model ({last.kind}: {last.message})"
    told = [trouble for _, trouble in reasons if trouble.status == 200]
    if told and all(trouble.kind != MISFIT for trouble in told):
        return (
            "the endpoint gives no log-probabilities of the prompt: it takes neither"
            f" `prompt_logprobs` nor `echo` ({told[-1].message})"
        )
    said = "; ".join(f"{way.shape}: {trouble.message}" for way, trouble in reasons[:2])
    return f"the endpoint gives no log-probabilities of the prompt ({said})"


async def find_continuation(attempt: Try, model: ModelSpec) -> str | None:
    """The reason why an endpoint does not continue a text; None where it does.

    Raises:
        ProviderDown: It could not be asked.
    """
    body = {"model": model.model, "prompt": PROBED, "max_tokens": 1, "temperature": 0.0}
    found = await _tried(attempt, orjson.dumps(body), model)
    if isinstance(found, Trouble):
        return f"the endpoint does not continue a text ({found.kind}: {found.message})"
    return None


async def _tried(attempt: Try, body: bytes, model: ModelSpec) -> Reply | Trouble:
    """The answer, or a trouble that says that the endpoint cannot do it."""
    tries = 0
    while True:
        tries += 1
        result = (await attempt(body)).result
        if isinstance(result, Reply) or result.status == 200 or _cannot(result, tries):
            return result
        if tries == _TRIES or verdict(result) is Verdict.STOP or result.kind == REFUSED:
            found = f"asked what it can do, it gave {result.kind} ({result.message})"
            raise ProviderDown(model.name, found, fix_for(result, model.api_key_env))
        await asyncio.sleep(min(wait_s(result, tries), _LONGEST_WAIT_S))


def _cannot(trouble: Trouble, tries: int) -> bool:
    """Whether a trouble is about what was asked for, and not about the server or the model."""
    said = trouble.message.lower()
    if trouble.status not in _CANNOT or any(word in said for word in _UNKNOWN_MODEL):
        return False
    return trouble.status != 500 or tries == _TRIES
