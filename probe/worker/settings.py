"""How a worker works."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a worker works.

    Attributes:
        name: As others are shown it.
        models: Those it asks; None for all of the hub's.
        most_in_flight: Requests of one model open at once at most (count); None for its share.
        state: The folder it keeps its journals and logs in.
        patience_s: How long the hub may be away before the worker gives up (seconds).
    """

    name: str
    state: Path
    models: tuple[str, ...] | None = None
    most_in_flight: int | None = None
    patience_s: float = 3600.0
