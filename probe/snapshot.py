"""Where a run stands at a moment: what the display draws and other terminals are told."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from probe.record import Standing
from probe.retry import WAIT_KINDS
from probe.run import ModelRun

_OVER_S: Final = 15.0
_FULL: Final = 0.9
FILE: Final = "running.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """One model of a run.

    Attributes:
        to_ask: Requests this run has in all (count); None while the plan is being recorded.
        done: Of them, with a reply (count).
        failed: Of them, given up (count).
        held: Cells that needed no asking (count).
        requests_per_min: As of late; likewise `tokens_per_min`.
        limits_per_min: Limits by kind, told or learned.
        window: Requests that may be open at once.
        refusals: Refusals for quota or load (count).
        failures: Cells given up, by kind.
        pause_s: What is left of a pause the server asked for (seconds).
        left_s: Time left (seconds); None where it cannot be told.
        limited_by: What holds the pace: a kind of limit, `in flight`, `pause`, or nothing.
    """

    model: str
    to_ask: int | None
    done: int
    failed: int
    held: int
    requests_per_min: float
    tokens_per_min: float
    limits_per_min: Mapping[str, float]
    in_flight: int
    window: int
    retries: int
    refusals: int
    failures: Mapping[str, int]
    pause_s: float
    pause_why: str
    left_s: float | None
    limited_by: str
    down: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """A run.

    Attributes:
        cells: Cells of the plan recorded so far (count), `design_cells` being all of them.
        usd: Spent, earlier runs included (US dollars); what is uncertain counts in full.
        most_usd: The ceiling, if there is one.
        requests: Attempts that have ended, earlier runs included (count).
        workers: Those on other machines, a line each.
    """

    pid: int
    experiment: str
    run_id: str
    elapsed_s: float
    cells: int
    design_cells: int
    usd: float
    most_usd: float | None
    requests: int
    most_requests: int | None
    problem: str | None
    models: tuple[ModelState, ...]
    workers: tuple[str, ...] = ()


@dataclass(slots=True)
class Meter:
    """Rates over the last moments, from counts that only grow."""

    seen: deque[tuple[float, int, int]] = field(default_factory=deque)

    def rates(
        self, now: float, requests: int, tokens: int, *, at_once: int = 1
    ) -> tuple[float, float]:
        """Requests and tokens a minute.

        Args:
            now: On any clock (seconds).
            requests: Ended so far (count).
            tokens: Theirs (count).
            at_once: Requests that may end at one moment, after none for long (count): rates are
                over four times as many at least.
        """
        if len(self.seen) > 1 and self.seen[-1][1:] == self.seen[-2][1:] == (requests, tokens):
            self.seen.pop()  # of a time when nothing ended, its two ends are enough
        self.seen.append((now, requests, tokens))
        while len(self.seen) > 2 and self._enough_since(self.seen[1], 4 * at_once):
            self.seen.popleft()
        then, requests_then, tokens_then = self.seen[0]
        span = now - then
        if span <= 0:
            return 0.0, 0.0
        return (requests - requests_then) * 60 / span, (tokens - tokens_then) * 60 / span

    def _enough_since(self, then: tuple[float, int, int], requests: int) -> bool:
        now = self.seen[-1]
        return now[0] - then[0] > _OVER_S and now[1] - then[1] >= requests


def model_state(run: ModelRun, meter: Meter, standing: Standing | None) -> ModelState:
    """Where one model stands; `standing` is where it stood before, once that is known."""
    to_ask, held = (standing.to_ask, standing.held) if standing else (None, 0)
    tally, usage, gate = run.tally, run.usage, run.gate
    tokens = usage.input_tokens + usage.output_tokens
    requests_per_min, tokens_per_min = meter.rates(
        run.clock.time(), tally.requests, tokens, at_once=int(gate.window)
    )
    limits = {str(kind): bucket.per_min for kind, bucket in gate.buckets.items()}
    used = {"requests": requests_per_min, "tokens": tokens_per_min}
    limited_by = next(
        (kind for kind, most in limits.items() if used.get(kind, 0.0) >= _FULL * most), ""
    )
    pause_s = run.pause.left_s
    if pause_s > 0:
        limited_by = "pause"
    elif not limited_by and gate.in_flight >= int(gate.window):
        limited_by = "in flight"
    samples = run.model.spec.request_samples
    settled = tally.replies + tally.failed + tally.unavailable
    left = None if to_ask is None else max(0, to_ask - settled) / samples
    asked = max(1, tally.requests)
    each = {
        "requests": 1.0,
        "tokens": tokens / asked,
        "input_tokens": usage.input_tokens / asked,
        "output_tokens": usage.output_tokens / asked,
    }
    return ModelState(
        model=run.model.spec.name,
        to_ask=to_ask,
        done=tally.replies,
        failed=tally.failed,
        held=held,
        requests_per_min=requests_per_min,
        tokens_per_min=tokens_per_min,
        limits_per_min=limits,
        in_flight=gate.in_flight,
        window=int(gate.window),
        retries=tally.retries,
        refusals=sum(count for kind, count in tally.troubles.items() if kind in WAIT_KINDS),
        failures=dict(tally.failures),
        pause_s=pause_s,
        pause_why=run.pause.why,
        left_s=_left_s(left, requests_per_min, limits, each),
        limited_by=limited_by,
        down=str(run.down) if run.down else None,
    )


def _left_s(
    left: float | None,
    requests_per_min: float,
    limits: Mapping[str, float],
    each: Mapping[str, float],
) -> float | None:
    """The time that what is left takes: at the present rate, and no less than limits allow.

    Args:
        left: Requests (count).
        requests_per_min: As of late.
        limits: Units a minute, by kind.
        each: What a request used so far on average, by kind.
    """
    if left is None:
        return None
    bounds = [left * each[kind] * 60 / most for kind, most in limits.items()]
    if requests_per_min > 0:
        bounds.append(left * 60 / requests_per_min)
    return max(bounds, default=None if left else 0.0)


def write_state(folder: Path, state: RunState) -> None:
    """Put a run's state where other terminals find it; a reader never sees half of it."""
    new = folder / f"{FILE}.new"
    new.write_text(json.dumps(asdict(state)), encoding="utf-8")
    new.replace(folder / FILE)


def read_state(folder: Path) -> RunState | None:
    """The state of the run that is on; None where none is, or none can be read."""
    try:
        raw = json.loads((folder / FILE).read_text(encoding="utf-8"))
        models = tuple(ModelState(**model) for model in raw.pop("models"))
        workers = tuple(raw.pop("workers"))
        state = RunState(models=models, workers=workers, **raw)
        os.kill(state.pid, 0)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return state


def remove_state(folder: Path) -> None:
    """No run is on any more."""
    (folder / FILE).unlink(missing_ok=True)
