"""What requests of one model use: estimated before sending, learned from what servers count.

An estimate paces; a worst case is reserved from a budget. Neither ever changes what is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from probe.limits import Kind
from probe.model_spec import ModelSpec
from probe.prices import price_of
from probe.providers.base import Reply
from probe.retry import Trouble

_CHARS_PER_TOKEN: Final = 4
"""A common rule of thumb for English text; the server's own counts replace it."""
_PROMPT_OVERHEAD: Final = 8
_UNTOLD_REPLY_TOKENS: Final = 256
_LIMITS: Final = ("max_completion_tokens", "max_tokens")
_SMOOTH: Final = 0.05


def estimate_tokens(text: str) -> int:
    """Tokens of a text, roughly (count)."""
    return len(text) // _CHARS_PER_TOKEN + _PROMPT_OVERHEAD


def reply_limit(model: ModelSpec) -> int | None:
    """The longest reply a model's parameters allow (tokens); None where they set no limit."""
    found = [model.body_params.get(name) for name in _LIMITS]
    return next((value for value in found if isinstance(value, int)), None)


def most_reply_tokens(model: ModelSpec) -> int:
    """The longest reply, or a length assumed for forecasts where none is set (tokens)."""
    limit = reply_limit(model)
    return _UNTOLD_REPLY_TOKENS if limit is None else limit


@dataclass(slots=True)
class Usage:
    """Estimates for one model's requests.

    Attributes:
        input_tokens: Prompt tokens that servers counted so far.
        output_tokens: Reply tokens that servers counted so far.
        reply_tokens: Of one reply, as replies have been of late; None before the first.
    """

    model: ModelSpec
    input_tokens: int = 0
    output_tokens: int = 0
    reply_tokens: float | None = None
    _ratio: float = 1.0
    _most_reply_tokens: int = field(init=False)
    _usd_in: float = field(init=False)
    _usd_out: float = field(init=False)
    _usd_cached: float = field(init=False)
    priced: bool = field(init=False)

    def __post_init__(self) -> None:
        self._most_reply_tokens = most_reply_tokens(self.model) * self.model.request_samples
        price = price_of(self.model)
        self.priced = price is not None
        self._usd_in = price.input_usd_per_m / 1e6 if price else 0.0
        self._usd_out = price.output_usd_per_m / 1e6 if price else 0.0
        cached = price.cached_input_usd_per_m if price else None
        self._usd_cached = self._usd_in if cached is None else cached / 1e6

    def expected(self, input_tokens: float) -> dict[Kind, float]:
        """What a request will about use, by kind of limit.

        Args:
            input_tokens: Of its prompt, by `estimate_tokens`.
        """
        sent = input_tokens * self._ratio
        back = self.reply_tokens
        if back is None:
            back = float(self._most_reply_tokens)
        return {"requests": 1, "input_tokens": sent, "output_tokens": back, "tokens": sent + back}

    def most_usd(self, body: bytes) -> float:
        """The most one attempt can cost (US dollars): no token is shorter than a byte."""
        return len(body) * self._usd_in + self._most_reply_tokens * self._usd_out

    def learn(self, reply: Reply, input_tokens: float) -> Mapping[Kind, float]:
        """Take in what a server counted; return it by kind of limit, as far as it did."""
        sent, back = reply.prompt_tokens, reply.reply_tokens
        if sent is None or back is None:
            return {}
        self.input_tokens += sent
        self.output_tokens += back
        if input_tokens > 0:
            self._ratio += _SMOOTH * (sent / input_tokens - self._ratio)
        before = float(back) if self.reply_tokens is None else self.reply_tokens
        self.reply_tokens = before + _SMOOTH * (back - before)
        return {"input_tokens": sent, "output_tokens": back, "tokens": sent + back}

    def bill(self, result: Reply | Trouble, most_usd: float) -> tuple[float | None, float | None]:
        """What an attempt cost, and what it cost at most where that is not known (US dollars).

        Args:
            result: What came of it.
            most_usd: The most it can have cost.
        """
        usd = self.usd(result) if isinstance(result, Reply) else None
        # A filter that answers with an error bills nothing.
        perhaps = result.status == 200 if isinstance(result, Reply) else result.perhaps_billed
        return usd, most_usd if usd is None and perhaps and self.priced else None

    def usd(self, reply: Reply) -> float | None:
        """What a reply cost by the server's counts (US dollars); None without price or counts."""
        if not self.priced or reply.prompt_tokens is None or reply.reply_tokens is None:
            return None
        cached = min(reply.cached_tokens or 0, reply.prompt_tokens)
        fresh = reply.prompt_tokens - cached
        return fresh * self._usd_in + cached * self._usd_cached + reply.reply_tokens * self._usd_out
