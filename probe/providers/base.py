"""What a provider is: it turns a cell into bytes once, and makes one attempt at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from probe.plan import Cell
from probe.retry import Trouble
from store.rows import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back for one attempt.

    Attributes:
        raw: The response body as it came.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What answers for a model, for the record."""

    facts: Mapping[str, object] = field(default_factory=dict)


class Provider(Protocol):
    """Asks one model. Opened and closed by the run; holds no limits of its own."""

    async def open(self) -> Served:
        """Get ready to be asked; say what will answer.

        Raises:
            ProviderDown: It cannot be used, with what to do.
        """
        ...

    def body(self, cell: Cell) -> bytes:
        """The bytes to send for a cell: the same in every attempt."""
        ...

    async def ask(self, body: bytes) -> Reply | Trouble:
        """One attempt. Failures are values; an exception is a bug."""
        ...

    async def close(self) -> None:
        """Give everything back. May be called more than once."""
        ...
