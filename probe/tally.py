"""What has happened to one model's requests, and what a single one of them was."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True, kw_only=True)
class Tally:
    """What has happened to one model's requests (counts).

    Attributes:
        replies: Cells that got one.
        failed: Cells given up.
        unavailable: Cells that the model has no answer to.
        repeats: Sentinels asked again.
        repeats_unlike: Of them, those that got another reply than they had.
        drifted: Of them, those that another model or build answered, as the server says.
        requests: Attempts that have ended.
        troubles: Attempts that failed, by kind.
        failures: Cells given up, by kind.
        retries: Attempts after a job's first.
    """

    replies: int = 0
    failed: int = 0
    unavailable: int = 0
    repeats: int = 0
    repeats_unlike: int = 0
    drifted: int = 0
    requests: int = 0
    retries: int = 0
    troubles: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A request that has ended.

    Attributes:
        key: Of its cell, the first where it has several.
        number: Which of the cell's attempts it was, from 1 (count).
        at: When it was sent.
        latency_s: Until it ended (seconds).
        most_usd: What was reserved for it in the budget (US dollars).
    """

    key: str
    number: int
    at: datetime
    latency_s: float
    most_usd: float
