"""Limits on how hard one model is asked.

Pure values: nothing here sleeps or opens a socket. `probe.gate` acts on them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

import psutil

from probe.spec import ModelSpec

DEFAULT_IN_FLIGHT: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How hard one model may be asked.

    Attributes:
        in_flight: Requests open at once (count, at least 1).
        requests_per_min: Requests started a minute; None for no limit.
        tokens_per_min: Prompt and longest reply tokens a minute; None for no limit.
    """

    in_flight: int
    requests_per_min: float | None = None
    tokens_per_min: float | None = None


def local_slots(model: ModelSpec) -> int:
    """Requests the embedded server works on at once: as told, or one, so that replies repeat."""
    return model.max_in_flight or 1


def free_cores() -> int:
    """Cores this process may use (count)."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def idle_cores(over_s: float = 0.3) -> int:
    """Cores that nothing else keeps busy, at least 1 (count), measured over a moment.

    The embedded server's threads wait for each other at every step: one more thread than there are
    idle cores makes it some twenty times slower, one fewer only a little.
    """
    busy = psutil.cpu_percent(interval=over_s, percpu=True)
    idle = sum(100 - percent for percent in busy) / 100
    return max(1, min(free_cores(), round(idle)))


def pace_of(model: ModelSpec) -> Pace:
    """The limits an experiment file sets for a model."""
    local = model.provider == "local"
    return Pace(
        in_flight=local_slots(model) if local else model.max_in_flight or DEFAULT_IN_FLIGHT,
        requests_per_min=model.requests_per_min,
        tokens_per_min=model.tokens_per_min,
    )
