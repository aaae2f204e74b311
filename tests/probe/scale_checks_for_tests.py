"""Runs that were measured (`bench/results/`), beside what the model and its simulation say of them.

The first is the run that the time of a process was taken from: it shows what the writer adds to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from probe.scale.figures import costs
from probe.scale.model import Endpoint, Experiment, Machines, outlook
from tests.probe.scale_results_for_tests import result, writing
from tests.probe.scale_simulation_for_tests import Simulated, as_fewer

_MOST: Final = 2_500
"""Requests that are simulated of a run (count)."""
_PROMPT_TOKENS, _REPLY_TOKENS = 560.0, 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One measured run.

    Attributes:
        measured: Requests a second; likewise `model` and `simulated`.
        file: The result it is in.
    """

    what: str
    file: str
    measured: float
    model: float
    simulated: float


def asked(cells: int) -> Experiment:
    """An experiment of the benchmarks, of so many requests."""
    return Experiment(
        cells=cells,
        cells_of_prompt=1,
        prompt_tokens=_PROMPT_TOKENS,
        reply_tokens=_REPLY_TOKENS,
        prompt_chars=2262,
        body_chars=335,
    )


def _check(what: str, file: str, measured: float, cells: int, **told: Any) -> Check:  # noqa: ANN401 - see Endpoint
    workers = told.pop("workers", 0)
    endpoint, machines = Endpoint(**told), Machines(workers=workers)
    found = outlook(asked(cells), endpoint, machines, costs())
    few, own, times = as_fewer(asked(cells), costs(), min(cells, _MOST))
    run = Simulated(experiment=few, endpoint=endpoint, machines=machines, costs=own).run()
    return Check(
        what=what,
        file=file,
        measured=measured,
        model=cells / found.asking_s,
        simulated=cells / times / run.env.now,
    )


def _chaos(name: str) -> tuple[float, int]:
    """Attempts a second of a bad day's run, and how many (count)."""
    said = next(line for line in result("faults")[name]["said"] if "attempts by error" in line)
    found = re.search(r"in ([\d.]+) s", said)
    assert found, said
    attempts = sum(int(each) for each in re.findall(r"', (\d+)\)", said))
    return attempts / float(found[1]), attempts


@cache
def checks() -> tuple[Check, ...]:
    """Every one; simulating them takes some seconds."""
    short, limits, workers = (
        result("fan_out")["probe run"],
        result("limits"),
        result("workers"),
    )
    rpm, tpm = "3,000 requests a minute, not told", "2,000,000 tokens a minute, told"
    per_s = 2e6 / 60 / (_PROMPT_TOKENS + _REPLY_TOKENS)
    known = {"latency_s": workers["latency (s)"]}
    cells, steady = 3_582, "steady requests/s"
    chaos, adaptive = _chaos("chaos, 64 in flight"), _chaos("chaos, adaptive ceiling")
    million = result("million")["planning and asking"]
    return (
        _check(
            "a million cells, no latency", "million", million["requests per s"],
            million["requests"], latency_s=0.0, in_flight=24,  # more wait for the process only
        ),
        _check(
            "512 in flight, 50 ms, as fast as it goes", "fan_out", short["requests_per_s"],
            int(short["requests"]), latency_s=0.05, in_flight=512,
        ),
        _check(
            "3,000 requests a minute", "limits", 50 * limits[rpm]["of the limit, steady"],
            limits[rpm]["requests"], latency_s=0.5, in_flight=64, requests_per_min=3_000,
        ),
        _check(
            "2,000,000 tokens a minute", "limits", per_s * limits[tpm]["of the limit, steady"],
            limits[tpm]["requests"], latency_s=0.5, in_flight=64, tokens_per_min=2e6,
        ),
        _check(
            "a run, 32 in flight, 300 ms", "workers", workers["run, 32 in flight"][steady],
            cells, in_flight=32, **known,
        ),
        _check(
            "a run, 64 in flight, 300 ms", "workers", workers["run, 64 in flight"][steady],
            cells, in_flight=64, **known,
        ),
        _check(
            "a worker at a hub, 32 in flight, 300 ms", "workers", workers["1 at a hub"][steady],
            cells, in_flight=32, workers=1, **known,
        ),
        _check(
            "two workers at a hub, 32 in flight each", "workers", workers["2 at a hub"][steady],
            cells, in_flight=64, workers=2, **known,
        ),
        _check(
            "a bad day, 64 in flight, 0.3–1.5 s", "faults", chaos[0],
            chaos[1], latency_s=0.9, in_flight=64,
        ),
        _check(
            "a bad day, the ceiling adapting (16 open)", "faults", adaptive[0],
            adaptive[1], latency_s=0.9, in_flight=16,
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Far:
    """The writer's time for a reply in a store larger than the model's constants are from (s)."""

    cells: int
    measured: float
    model: float


def far() -> tuple[Far, ...]:
    """Those that were drawn, the largest last."""
    return tuple(
        Far(
            cells=own["cells"],
            measured=writing(own),
            model=costs().write_s + costs().growth_s * own["cells"],
        )
        for own in sorted(result("scale")["far"].values(), key=lambda each: each["cells"])
    )
