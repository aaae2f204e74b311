"""What to do after a failed attempt: wait, again, give the cell up, or stop the model. Pure.

`Trouble` says what went wrong, `verdict` what follows from it; the waits are tenacity's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from tenacity import RetryCallState, wait_random_exponential


class Verdict(Enum):
    """What follows from a trouble."""

    WAIT = "wait"
    """Quota or load: everyone who asks this server waits, and no try is used up."""
    AGAIN = "again"
    """Transient: try the cell again after a wait."""
    GIVE_UP = "give up"
    """Permanent for this cell."""
    STOP = "stop"
    """Permanent for the model: no cell can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One failed attempt.

    Attributes:
        kind: A short name, for grouping ("http 429", "timeout", "refused connection").
        message: What the server or the socket said; never a header or a key.
        status: HTTP status, where there was one.
        retry_after_s: The wait the server asks for (seconds).
        perhaps_billed: Whether the server may have answered, and billed, all the same.
    """

    kind: str
    message: str
    status: int | None = None
    retry_after_s: float | None = None
    perhaps_billed: bool = False


REFUSED: Final = "refused connection"
MISFIT: Final = "tokens do not add up"
"""The tokens of a likelihood are not those of the text: they will not be the next time either."""
UNAVAILABLE: Final = "unavailable"
"""What is asked for and the endpoint cannot do; put down without a request, and no failure."""
MOST_WAIT_S: Final = 120.0
"""The longest pause or wait, whatever a server asks for; then it is tried (seconds)."""

_STOP_STATUS: Final = frozenset({401, 402, 403, 404})
_WAIT_STATUS: Final = frozenset({429, 503, 529})
WAIT_KINDS: Final = frozenset(f"http {status}" for status in _WAIT_STATUS)
"""Kinds of trouble that are refusals for quota or load, unless an account has run out."""
# 200 is a trouble where the body is no completion: cut off, or a proxy's page.
_AGAIN_STATUS: Final = frozenset({200, 408, 409, 425})
_NO_CREDIT: Final = (
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credits",
    "insufficient funds",
    "exceeded your current quota",
    "credit balance",
    "credits are depleted",
    "out of credits",
    "billing_hard_limit",
    "billing hard limit",
    "billing_not_active",
    "account is not active",
    "usage limit",
    "spending limit",
    "quota exhausted",
    "quota_exhausted",
)
"""How hosts say that an account has run out, in lower case; they do so under several statuses."""
_MODEL_WORDS: Final = ("model_not_found", "invalid_api_key", "unsupported_country")


def verdict(trouble: Trouble) -> Verdict:
    """What follows from a trouble."""
    said = trouble.message.lower()
    status = trouble.status
    if trouble.kind == MISFIT:
        return Verdict.GIVE_UP
    if status is None or status == 200:
        return Verdict.AGAIN
    if any(word in said for word in _NO_CREDIT) or any(word in said for word in _MODEL_WORDS):
        return Verdict.STOP
    if status in _WAIT_STATUS:
        return Verdict.WAIT
    if status in _AGAIN_STATUS or status >= 500:
        return Verdict.AGAIN
    return Verdict.STOP if status in _STOP_STATUS else Verdict.GIVE_UP


def exhausted(trouble: Trouble) -> Verdict:
    """What follows when a transient trouble has outlived every try."""
    return Verdict.STOP if trouble.kind == REFUSED else Verdict.GIVE_UP


_backoff = wait_random_exponential(multiplier=0.5, max=MOST_WAIT_S)


def wait_s(trouble: Trouble, tries: int) -> float:
    """The wait before the next try (seconds).

    Args:
        trouble: Where it holds the wait the server asks for, that, up to `MOST_WAIT_S`.
        tries: Tries so far (count); otherwise the wait is exponential in it, with full jitter.
    """
    if trouble.retry_after_s is not None:
        return min(trouble.retry_after_s, MOST_WAIT_S)
    nothing: Any = None  # the strategy reads the number of the try alone
    state = RetryCallState(nothing, nothing, (), {})
    state.attempt_number = max(1, tries)
    return float(_backoff(state))


def fix_for(trouble: Trouble, api_key_env: str | None) -> str:
    """What a user can do about a trouble that stops a model."""
    said = trouble.message.lower()
    if trouble.status == 402 or any(word in said for word in _NO_CREDIT):
        return "add credit or raise the account's limit, then run again: what is held is kept"
    if trouble.status in {401, 403}:
        named = f"the key in ${api_key_env}" if api_key_env else "api_key_env (none is set)"
        return f"check {named}, then run again"
    if trouble.status == 404 or "model_not_found" in said:
        return "check `model` and `base_url`, then run again"
    if trouble.kind == REFUSED:
        return "start the server or check `base_url`, then run again"
    return "mend it, then run again: what is held is not asked twice"
