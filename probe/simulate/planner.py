"""How one request is treated, decided at once when it has been read. Opens no socket, never sleeps.

The order is that of a host's front door: key, body, model, room, limits; what is let in is charged
and may then meet a fault.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from probe.simulate.errors import UnknownPrompt
from probe.simulate.faults import EARLY, Drawn, Draws
from probe.simulate.ledger import Ledger
from probe.simulate.limits import Limits, Over
from probe.simulate.replies import MAKERS, Asked, Made, ReplyMaker, cut, padded
from probe.simulate.settings import Settings
from probe.simulate.wire import Refusal, completion_body

JSON: Final = "application/json"
_HTML: Final = "text/html"
_PAGE: Final = b"<!DOCTYPE html><html><head><title>Bad gateway</title></head><body></body></html>"
_SHORT_WAIT_MS: Final = 50
_WRONG_KEY: Final = Refusal(
    status=401, message="the API key is missing or wrong", code="invalid_api_key"
)
_FULL: Final = Refusal(
    status=503,
    message="too many requests are open at once; the engine is overloaded",
    kind="server_error",
    code="overloaded",
)
_FAULTS: Final = {
    "429": Refusal(
        status=429,
        message=f"rate limit reached (simulated fault); try again in {_SHORT_WAIT_MS}ms",
        kind="requests",
        code="rate_limit_exceeded",
        headers={"retry-after-ms": str(_SHORT_WAIT_MS)},
    ),
    "500": Refusal(
        status=500,
        message="the server had an error while processing the request (simulated fault)",
        kind="server_error",
    ),
    "503": Refusal(
        status=503,
        message="the engine is overloaded (simulated fault)",
        kind="server_error",
        code="overloaded",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What will be sent.

    Attributes:
        status: Of HTTP.
        body: The whole body, also where a fault will keep part of it back.
        content_type: Of the body.
        headers: Those of this response; the limits' are added when it is sent.
        fault: What befalls the request, if anything.
        latency_s: To wait before sending (seconds).
        prompt_tokens: Tokens of the prompt (count); 0 where nothing is bought.
        reply_tokens: Tokens of all replies (count); 0 where nothing is bought.
    """

    status: int
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None
    latency_s: float = 0.0
    prompt_tokens: int = 0
    reply_tokens: int = 0


def refused(refusal: Refusal, *, fault: str | None = None, latency_s: float = 0.0) -> Planned:
    """An error, to be sent after a latency."""
    return Planned(
        status=refusal.status,
        body=refusal.body(),
        headers=refusal.headers,
        fault=fault,
        latency_s=latency_s,
    )


class Planner:
    """The state that decides: the limits, and which bodies came how often."""

    def __init__(
        self, settings: Settings, limits: Limits, ledger: Ledger, maker: ReplyMaker | None
    ) -> None:
        self._settings = settings
        self._limits = limits
        self._ledger = ledger
        self._maker = maker or MAKERS[settings.replies]
        self._draws = Draws(settings)

    def wrong_key(self, authorization: str | None) -> Refusal | None:
        """Why a key is not taken; None where it is."""
        key = self._settings.key
        return None if key is None or authorization == f"Bearer {key}" else _WRONG_KEY

    def plan(self, number: int, raw: bytes, asked: Asked | Refusal) -> Planned:
        """How to treat a request.

        Args:
            number: Its number in the ledger, where it is open already.
            raw: Its body.
            asked: What the body asks for, or why it is refused.
        """
        if isinstance(asked, Refusal):
            return refused(asked)
        made = self._replies(asked)
        if isinstance(made, Refusal):
            return refused(made)
        if over := self._limits.admit(self._cost(asked, made)):
            return refused(_over_limit(asked.model, over))
        drawn = self._draws.draw(raw)
        self._ledger.accepted(drawn.fault)
        if drawn.fault in _FAULTS:
            latency_s = 0.0 if drawn.fault in EARLY else drawn.latency_s
            return refused(_FAULTS[drawn.fault], fault=drawn.fault, latency_s=latency_s)
        body = completion_body(number, int(time.time()), asked, made)
        if drawn.fault == "malformed":
            return _malformed(body, drawn)
        return Planned(
            status=200,
            body=body,
            fault=drawn.fault,
            latency_s=drawn.latency_s,
            prompt_tokens=made[0].prompt_tokens,
            reply_tokens=sum(one.reply_tokens for one in made),
        )

    def _replies(self, asked: Asked) -> list[Made] | Refusal:
        """The replies, or why there are none."""
        if refusal := self._not_served(asked):
            return refusal
        try:
            return [self._made(asked, choice) for choice in range(asked.choices)]
        except UnknownPrompt as error:
            return Refusal(status=400, message=str(error), code="unknown_prompt")

    def _not_served(self, asked: Asked) -> Refusal | None:
        models, room = self._settings.models, self._settings.max_open
        if models and asked.model not in models:
            return Refusal(
                status=404,
                message=f"the model '{asked.model}' does not exist",
                code="model_not_found",
                param="model",
            )
        return _FULL if room is not None and self._ledger.open_now > room else None

    def _made(self, asked: Asked, choice: int) -> Made:
        made = self._maker.make(asked, choice)
        if self._settings.reply_tokens is not None:
            made = padded(made, self._settings.reply_tokens)
        return cut(made, asked.max_tokens)

    def _cost(self, asked: Asked, made: list[Made]) -> int:
        """Tokens charged on admission; without max_tokens a host that reserves knows no more."""
        if self._settings.count == "reserved" and asked.max_tokens is not None:
            return made[0].prompt_tokens + asked.max_tokens * asked.choices
        return made[0].prompt_tokens + sum(one.reply_tokens for one in made)


def _malformed(body: bytes, drawn: Drawn) -> Planned:
    """Half the JSON, or the page of a proxy."""
    half = drawn.variant < 0.5
    return Planned(
        status=200,
        body=body[: len(body) // 2] if half else _PAGE,
        content_type=JSON if half else _HTML,
        fault=drawn.fault,
        latency_s=drawn.latency_s,
    )


def _over_limit(model: str, over: Over) -> Refusal:
    milliseconds = math.ceil(over.wait_s * 1000)
    return Refusal(
        status=429,
        message=(
            f"rate limit reached for {model} on {over.unit} per min: limit {over.a_min};"
            f" try again in {milliseconds}ms"
        ),
        kind=over.unit,
        code="rate_limit_exceeded",
        headers={
            "retry-after": str(math.ceil(over.wait_s)),
            "retry-after-ms": str(milliseconds),
        },
    )
