"""What to do after a failed attempt: again, give the cell up, or stop asking the model. Pure.

`Trouble` says what went wrong, `verdict` what follows from it; the waits are tenacity's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from tenacity import RetryCallState, wait_random_exponential


class Verdict(Enum):
    """What follows from a trouble."""

    AGAIN = "again"
    """Transient: try again after a wait."""
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
    """

    kind: str
    message: str
    status: int | None = None
    retry_after_s: float | None = None


_STOP_STATUS: Final = frozenset({401, 403, 404})
# 200 is a trouble where the body is no completion: cut off, or a proxy's page.
_AGAIN_STATUS: Final = frozenset({200, 408, 409, 425, 429})
_STOP_WORDS: Final = ("insufficient_quota", "exceeded your current quota", "credit balance")
_MOST_WAIT_S: Final = 60.0

REFUSED: Final = "refused connection"


def verdict(trouble: Trouble) -> Verdict:
    """What follows from a trouble."""
    if any(word in trouble.message for word in _STOP_WORDS):
        return Verdict.STOP
    if trouble.status is None or trouble.status in _AGAIN_STATUS or trouble.status >= 500:
        return Verdict.AGAIN
    return Verdict.STOP if trouble.status in _STOP_STATUS else Verdict.GIVE_UP


def exhausted(trouble: Trouble) -> Verdict:
    """What follows when a transient trouble has outlived every attempt."""
    return Verdict.STOP if trouble.kind == REFUSED else Verdict.GIVE_UP


_backoff = wait_random_exponential(multiplier=0.5, max=_MOST_WAIT_S)


def wait_s(state: RetryCallState) -> float:
    """The wait before the next attempt: what the server asks for, or exponential with jitter."""
    result = state.outcome.result() if state.outcome and not state.outcome.failed else None
    asked = result.retry_after_s if isinstance(result, Trouble) else None
    return min(asked, _MOST_WAIT_S) if asked is not None else _backoff(state)


def fix_for(trouble: Trouble, api_key_env: str | None) -> str:
    """What a user can do about a trouble that stops a model."""
    if trouble.status in {401, 403}:
        named = f"the key in ${api_key_env}" if api_key_env else "api_key_env (none is set)"
        return f"check {named}, then run again"
    if trouble.status == 404:
        return "check `model` and `base_url`, then run again"
    if trouble.kind == REFUSED:
        return "start the server or check `base_url`, then run again"
    return "mend it, then run again: what is held is not asked twice"
