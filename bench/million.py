"""A million cells: memory over time, how soon sending begins, and how soon after 999,000 are held.

    python bench/million.py

Excerpts of the plays under twelve conditions, thirty samples each, against the simulated endpoint
without latency, 256 in flight. Takes some ten minutes and five gigabytes of disk.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from rig import ASKING, Measured, experiment, measure, probe, report, simulated, sql

CELLS = 1_000_000
SAMPLES = 40
LEFT = 1_000


def summary(done: Measured, store: Path) -> dict[str, Any]:
    """What one start came to."""
    if done.returncode not in {0, 3}:
        raise SystemExit(done.stderr)
    found = sql(store, ASKING)[0]
    ended = found["last_ended"] - done.began
    asking = [mb for at, mb in done.memory_mb if at <= ended]
    half = len(asking) // 2
    return {
        "requests": found["requests"],
        "first sent after (s)": found["first_sent"] - done.began,
        "requests per s": found["requests"] / (found["last_ended"] - found["first_sent"]),
        "wall (s)": done.wall_s,
        "CPU per 1000 requests (s)": 1000 * done.cpu_s / found["requests"],
        "peak memory (MB)": done.peak_mb * 1.048576,
        "peak memory, first half of asking (MB)": max(asking[:half], default=0.0),
        "peak memory, second half of asking (MB)": max(asking[half:], default=0.0),
        "mean memory, third and fourth quarter (MB)": [
            _mean(asking[half : half + half // 2]),
            _mean(asking[half + half // 2 :]),
        ],
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    """Measure and report."""
    with tempfile.TemporaryDirectory() as name, simulated("--latency", "0") as url:
        folder, store = Path(name), Path(name) / "store"
        file = experiment(
            folder,
            url,
            items=CELLS // (12 * SAMPLES) + 1,
            samples=SAMPLES,
            model="max_in_flight = 256",
        )
        planned = measure(probe("plan", file, "--format", "json"), log=folder / "plan")
        requests = json.loads(planned.stdout)[0]["requests"]
        run = probe("run", file, "--store", store)
        most = ["--max-requests", str(requests - LEFT)]
        first = summary(measure([*run, *most], log=folder / "first"), store)
        again = measure(run, log=folder / "again")
        replies = "SELECT count(*) AS n, count(DISTINCT key) AS keys FROM replies"
        found = {
            "cells": sql(store, "SELECT count(*) AS n FROM cells")[0]["n"],
            "planning and asking": first,
            "restart": summary(again, store),
            "replies": sql(store, replies)[0],
        }
    report("million", found)


if __name__ == "__main__":
    main()
