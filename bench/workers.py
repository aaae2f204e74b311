"""Workers at a hub: what a second one adds, and a long trial with kills.

    python bench/workers.py

Throughput is that of an endpoint that answers after 300 ms, asked with 32 requests in flight per
worker, by one worker and by two; for comparison by `probe run` alone with 32 and with 64. The trial
is the test `test_hub_killed.py` with 20,000 cells: one worker and then the hub are killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from faults import trial
from rig import ASKING, experiment, measure, probe, report, simulated, sql

LATENCY_S = 0.3
IN_FLIGHT = 32
ITEMS = 300
PORT = 9595
_ALL_RUNS = ASKING.split("WHERE", 1)[0]


def rate(store: Path) -> dict[str, float]:
    """Requests a second, of all runs of a store together."""
    row = sql(store, _ALL_RUNS)[0]
    took = row["last_ended"] - row["first_sent"]
    return {"requests": row["requests"], "requests/s": row["requests"] / took}


def alone(folder: Path, in_flight: int) -> dict[str, float]:
    """`probe run`."""
    folder.mkdir()
    with simulated("--replies", "echo", "--latency", LATENCY_S) as url:
        spec = experiment(folder, url, items=ITEMS, model=f"max_in_flight = {in_flight}")
        done = measure(probe("run", spec, "--store", folder / "store"), log=folder / "run")
    return rate(folder / "store") | {"CPU (s)": done.cpu_s}


def at_a_hub(folder: Path, workers: int) -> dict[str, float]:
    """`probe serve` and some `probe work`."""
    folder.mkdir()
    store = folder / "store"
    with simulated("--replies", "echo", "--latency", LATENCY_S) as url:
        spec = experiment(folder, url, items=ITEMS, model=f"max_in_flight = {workers * IN_FLIGHT}")
        token = subprocess.run(
            probe("token", "work", "--store", store), capture_output=True, text=True, check=True
        ).stdout.strip()
        listening = ("--store", store, "--listen", f"localhost:{PORT}")
        hub = subprocess.Popen(probe("serve", spec, *listening), stderr=subprocess.DEVNULL)
        started = [
            subprocess.Popen(
                probe(
                    *("work", "--hub", f"quack:localhost:{PORT}", "--state", folder / str(number)),
                    *("--in-flight", str(IN_FLIGHT), "--name", str(number)),
                ),
                env=os.environ | {"GISTPROBE_TOKEN": token},
                stderr=subprocess.DEVNULL,
            )
            for number in range(workers)
        ]
        spent = {}
        for name, process in [*((f"worker {n}", p) for n, p in enumerate(started)), ("hub", hub)]:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            spent[f"CPU of {name} (s)"] = usage.ru_utime + usage.ru_stime
            if process.returncode not in {0, -signal.SIGTERM}:
                raise SystemExit(f"{name} ended with {process.returncode}")
    joined = sql(store, "SELECT count(DISTINCT run_id) AS runs FROM replies")[0]["runs"]
    return rate(store) | {"workers that asked": joined} | spent


def steady(store: Path) -> float:
    """Requests a second while all are at work: between the first and last tenth of the replies."""
    query = """
        SELECT (count(*) * 0.8) / (epoch(quantile_cont(received_at, 0.9))
               - epoch(quantile_cont(received_at, 0.1))) AS rate FROM replies"""
    return float(sql(store, query)[0]["rate"])


def main() -> None:
    """Measure and report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: dict[str, Any] = {"latency (s)": LATENCY_S, "in flight per worker": IN_FLIGHT}
        for count in (1, 2):
            own = folder / f"hub{count}"
            at = at_a_hub(own, count)
            found[f"{count} at a hub"] = at | {"steady requests/s": steady(own / "store")}
        for in_flight in (IN_FLIGHT, 2 * IN_FLIGHT):
            own = folder / f"run{in_flight}"
            at = alone(own, in_flight)
            found[f"run, {in_flight} in flight"] = at | {"steady requests/s": steady(own / "store")}
    for which in ("requests/s", "steady requests/s"):
        ratio = found["2 at a hub"][which] / found["1 at a hub"][which]
        found[f"two workers to one, {which}"] = ratio
    began = time.perf_counter()
    found["killed"] = trial("test_hub_killed.py", GISTPROBE_HUB_CELLS="20000")
    found["killed"]["wall (s)"] = time.perf_counter() - began
    report("workers", found)


if __name__ == "__main__":
    main()
