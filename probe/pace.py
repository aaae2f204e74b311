"""Limits on how hard one model is asked.

Pure values: nothing here sleeps or opens a socket. `probe.gate` acts on them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import psutil

from probe.limits import Kind
from probe.model_spec import ModelSpec

_FIRST_WINDOW: Final = 16
_WIDEST_WINDOW: Final = 256
_TOGETHER: Final = 32
"""Requests that transformers is sent at once: it puts them together in batches."""
_COMPUTING_S: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How hard one model may be asked, as far as the experiment file tells.

    Attributes:
        in_flight: Requests open at once at most (count, at least 1).
        window: Requests open at once to begin with; it moves between 1 and `in_flight` by what
            the server bears, unless the two are equal.
        per_min: Units a minute, by kind of limit; what is not told is learned from headers.
    """

    in_flight: int
    window: int
    per_min: Mapping[Kind, float] = field(default_factory=dict)


def local_slots(model: ModelSpec) -> int:
    """Requests the embedded server works on at once: as told, or one, so that replies repeat."""
    return model.max_in_flight or 1


def in_flight(model: ModelSpec) -> int | None:
    """Requests open at once, as told or as the provider is best asked; None: as it bears."""
    if model.provider == "local":
        return local_slots(model)
    own = _TOGETHER if model.provider == "transformers" else None
    return model.max_in_flight or own


def attempt_s(model: ModelSpec) -> float:
    """Time of one attempt (seconds): as told, or an hour where a child of ours computes.

    That is no server that hangs: a request waits there for all that were sent before it.
    """
    told = model.provider != "transformers" or "timeout_s" in model.model_fields_set
    return model.timeout_s if told else _COMPUTING_S


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
    told = in_flight(model)
    limits: dict[Kind, float | None] = {
        "requests": model.requests_per_min,
        "tokens": model.tokens_per_min,
        "input_tokens": model.input_tokens_per_min,
        "output_tokens": model.output_tokens_per_min,
    }
    return Pace(
        in_flight=told or _WIDEST_WINDOW,
        window=told or _FIRST_WINDOW,
        per_min={kind: value for kind, value in limits.items() if value is not None},
    )
