"""The two long trials: a run killed fifty times, and a host on a bad day; both at full size.

    python bench/faults.py

They are the tests `test_kill_random.py` and `test_chaos.py` with larger numbers: 5,000 cells with
64 in flight and 50 kills at random moments (the seed is shown); 2,000 cells against 10 % 429,
5 % 500, 2 % resets, 2 % truncated and 1 % malformed answers and 0.5 % hangs at 0.3 to 1.5 s
latency, with 64 in flight and with what the adaptive ceiling makes of it. What they assert is said
in the tests.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

from rig import PYTHON, report

ROOT = Path(__file__).parents[1]


def trial(test: str, **settings: str) -> dict[str, Any]:
    """Run one test at full size; what it printed, and how long it took."""
    began = time.perf_counter()
    done = subprocess.run(
        [PYTHON, "-m", "pytest", "-q", "-s", f"tests/probe/{test}"],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stdout)
    said = [line.lstrip(".") for line in done.stdout.splitlines()]
    return {
        "settings": settings,
        "said": [line for line in said if line and not line.startswith(("[", "=", "-"))],
        "wall (s)": time.perf_counter() - began,
    }


def main() -> None:
    """Run all three and report."""
    chaos = {"GISTPROBE_CHAOS_CELLS": "2000", "GISTPROBE_CHAOS_LATENCY": "uniform:0.3-1.5"}
    report(
        "faults",
        {
            "killed": trial(
                "test_kill_random.py",
                GISTPROBE_KILLS="50",
                GISTPROBE_KILL_CELLS="5000",
                GISTPROBE_KILL_IN_FLIGHT="64",
            ),
            "chaos, 64 in flight": trial("test_chaos.py", **chaos, GISTPROBE_CHAOS_IN_FLIGHT="64"),
            "chaos, adaptive ceiling": trial(
                "test_chaos.py", **chaos, GISTPROBE_CHAOS_IN_FLIGHT="0"
            ),
        },
    )


if __name__ == "__main__":
    main()
