"""What a provider that takes batches is: it is handed a file of lines, and gives results later.

Nothing here waits or tries again: every call is one request of the provider's SDK, whose own
retries are off, so that whoever calls knows what has been sent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from probe.providers.base import Answered, Provider
from probe.retry import Trouble

MAY_LIE_APART: Final = timedelta(hours=1)
"""How far a provider's clock and ours may differ, where a batch is looked for by its time."""


class BatchTrouble(Exception):
    """A call that failed. Where `trouble.perhaps_billed` is set, it may have been carried out."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble)
        self.trouble = trouble

    def __str__(self) -> str:
        return f"{self.trouble.kind}: {self.trouble.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchForm:
    """What a batch's file looks like, and what it may hold, as the provider publishes it.

    Attributes:
        requests: Lines (count).
        size_bytes: Of the file (bytes).
        head: What stands before the first line; `between` between two, `tail` after the last.
    """

    requests: int
    size_bytes: int
    head: bytes = b""
    between: bytes = b"\n"
    tail: bytes = b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """A batch as its provider tells it.

    Attributes:
        ended: Whether nothing of it will run any more.
        status: In the provider's words.
        unanswered: What lines that have no result met with, once it has ended.
        problem: Why none of its lines was run at all.
        results: Where results lie, in the provider's words.
    """

    provider_id: str
    ended: bool
    status: str
    unanswered: Trouble
    problem: Trouble | None = None
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A batch whose creation was asked for, and of which no answer came.

    Attributes:
        batch_id: Our name for it.
        sent_at: When.
        file_id: Of the file that was sent before.
        known: The provider's names of batches that are others.
    """

    batch_id: str
    requests: int
    sent_at: datetime
    file_id: str | None
    known: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a provider has that may be the batch that is sought.

    Attributes:
        certain: The one that is.
        perhaps: Those that may be, as far as the provider tells.
    """

    certain: BatchState | None = None
    perhaps: tuple[BatchState, ...] = ()


@dataclass(frozen=True, slots=True)
class LineResult:
    """What came of one line."""

    custom_id: str
    answered: Answered


@runtime_checkable
class TakesBatches(Provider, Protocol):
    """A provider that takes batches too. Every call may raise BatchTrouble."""

    @property
    def form(self) -> BatchForm:
        """Of its batches' files."""
        ...

    def line(self, custom_id: str, body: bytes) -> bytes:
        """A line of a batch's file: a live request's bytes, with the line's name around them."""
        ...

    async def send_file(self, file: Path) -> str | None:
        """Send a file ahead, where the provider wants that; its name there. Costs nothing."""
        ...

    async def create(self, batch_id: str, file: Path, file_id: str | None) -> BatchState:
        """Create a batch. From here on its lines are bought."""
        ...

    async def look(self, provider_id: str) -> BatchState:
        """How a batch is."""
        ...

    async def find(self, sought: Sought) -> Found:
        """Look for a batch of which it is not known whether it was created."""
        ...

    def results(self, state: BatchState) -> AsyncGenerator[LineResult, None]:
        """The results of a batch that has ended, in any order."""
        ...
