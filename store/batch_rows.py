"""Row types of batches: requests that were handed to a provider many at a time.

Rows are only ever added. A batch counts from its own row on, which is written after its lines and
before anything is sent; what has become of it since stands in its events.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """A batch that is going to be handed over, or has been."""

    TABLE: ClassVar[str] = "batches"
    batch_id: str
    run_id: str
    experiment_id: str
    model: str
    provider: str
    server: str
    intended_at: datetime
    requests: int
    size_bytes: int
    tokens: int
    file_sha256: str
    usd_at_most: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLineRow:
    """One key of a line of a batch; a line that brings several samples has several."""

    TABLE: ClassVar[str] = "batch_lines"
    batch_id: str
    custom_id: str
    key: str
    choice: int
    attempt: int
    usd_at_most: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchEventRow:
    """What became of a batch."""

    TABLE: ClassVar[str] = "batch_events"
    batch_id: str
    run_id: str
    happened_at: datetime
    event: str
    provider_id: str | None = None
    status: str | None = None
    detail: str | None = None


BatchRows: TypeAlias = BatchRow | BatchLineRow | BatchEventRow
