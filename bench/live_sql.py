"""What `probe sql` from another process costs while a run is on, and how soon it answers.

    python bench/live_sql.py

A hundred counts in a row, a process each, during a run of 10,000 cells with 512 in flight: at 250
and at 2,000 requests a second, and as fast as it goes. There the run and the simulated endpoint
already keep two cores busy, and processes that ask one after the other take their share of them.
Against the same runs without questions.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rig import ASKING, experiment, measure, probe, report, simulated, sql

ITEMS = 900
QUERIES = 100
QUERY = "SELECT count(*) AS n FROM replies"


@dataclass(slots=True)
class Asker:
    """Asks the same count over and over, from a process each."""

    store: Path
    took_s: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Wait for the run to begin, then ask."""
        while not (self.store / "running.json").exists():
            time.sleep(0.05)
        while len(self.took_s) < QUERIES and (self.store / "running.json").exists():
            began = time.perf_counter()
            done = subprocess.run(
                probe("sql", QUERY, "--store", self.store, "--format", "csv"),
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                self.refused.append(done.stderr.strip())
                continue
            self.took_s.append(time.perf_counter() - began)
            self.counts.append(int(done.stdout.split()[1]))


def run(url: str, model: str, *, asked: bool) -> tuple[dict[str, float], Asker]:
    """One run, with or without questions."""
    with tempfile.TemporaryDirectory() as name:
        folder, store = Path(name), Path(name) / "store"
        file = experiment(folder, url, items=ITEMS, model=f"max_in_flight = 512\n{model}")
        asker = Asker(store)
        thread = threading.Thread(target=asker.run, daemon=True)
        if asked:
            thread.start()
        done = measure(probe("run", file, "--store", store), log=folder / "log")
        if asked:
            thread.join()
        if done.returncode:
            raise SystemExit(done.stderr)
        found = sql(store, ASKING)[0]
    return {
        "requests per s": found["requests"] / (found["last_ended"] - found["first_sent"]),
        "CPU per 1000 requests (s)": 1000 * done.cpu_s / found["requests"],
    }, asker


def compared(url: str, model: str) -> dict[str, Any]:
    """The same run without and with questions, three times in turns."""
    plain, asked, askers = [], [], []
    for _ in range(3):
        plain.append(run(url, model, asked=False)[0])
        with_questions, asker = run(url, model, asked=True)
        asked.append(with_questions)
        askers.append(asker)
    took = sorted(second for asker in askers for second in asker.took_s)
    return {
        "queries": len(took),
        "refused": [text for asker in askers for text in asker.refused],
        "median answer (s)": took[len(took) // 2],
        "slowest answer (s)": took[-1],
        "counts never go down": all(a.counts == sorted(a.counts) for a in askers),
        "throughput with over without": _over(asked, plain, "requests per s"),
        "owner's CPU with over without": _over(asked, plain, "CPU per 1000 requests (s)"),
    }


def _over(a: list[dict[str, float]], b: list[dict[str, float]], name: str) -> float:
    middle = len(a) // 2
    return sorted(each[name] for each in a)[middle] / sorted(each[name] for each in b)[middle]


def main() -> None:
    """Measure and report."""
    with simulated("--latency", "0.05") as url:
        report(
            "live_sql",
            {
                "250 requests a second": compared(url, "requests_per_min = 15_000"),
                "2,000 requests a second": compared(url, "requests_per_min = 120_000"),
                "as fast as it goes": compared(url, ""),
            },
        )


if __name__ == "__main__":
    main()
