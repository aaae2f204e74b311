"""How long `probe --help` takes, against a floor: the bare interpreter, in the same run.

    python bench/help.py

Prints medians of 15 starts each and their ratio; needs an installed gistprobe.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import time

STARTS = 15


def median_s(command: list[str]) -> float:
    """Median wall time of a command over several starts (seconds)."""
    times = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    """Measure and print."""
    probe = shutil.which("probe")
    if probe is None:
        sys.exit("bench/help.py: probe is not on the path; pip install -e .")
    help_s, floor_s = median_s([probe, "--help"]), median_s([sys.executable, "-c", "pass"])
    result = {"help_s": help_s, "python_s": floor_s, "ratio": help_s / floor_s}
    sys.stdout.write(json.dumps({name: round(value, 3) for name, value in result.items()}) + "\n")


if __name__ == "__main__":
    main()
