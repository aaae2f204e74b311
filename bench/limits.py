"""How well a server's limits are used: 3,000 requests a minute not told, 2,000,000 tokens told.

    python bench/limits.py

1,500 cells, 64 in flight, latency 0.3 to 0.7 s. The steady part leaves out the first two seconds
and the last; the simulated endpoint counts what it let in, second by second.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from rig import ASKING, experiment, measure, probe, report, simulated, sql, stats

CELLS = 1_500
LATENCY = "uniform:0.3-0.7"


def asked(flag: str, limit: int, told: str) -> dict[str, Any]:
    """Run against one limit; how much of it was used."""
    with tempfile.TemporaryDirectory() as name, simulated("--latency", LATENCY, flag, limit) as url:
        folder = Path(name)
        model = f"max_in_flight = 64\n{told}"
        # Every cell of its own key: the names stay, each prompt is asked five times.
        file = experiment(
            folder, url, items=CELLS // 15, samples=5, model=model, names='["original"]'
        )
        done = measure(probe("run", file, "--store", folder / "store"), log=folder / "log")
        if done.returncode:
            raise SystemExit(done.stderr)
        counts, found = stats(url), sql(folder / "store", ASKING)[0]
        replies = sql(folder / "store", "SELECT count(*) AS n FROM replies")[0]["n"]
        later = """
            SELECT count(*) FILTER (status = 429) AS refused, count(*) AS requests FROM attempts
            WHERE started_at > (SELECT min(started_at + to_microseconds((latency_s * 1e6)::BIGINT))
                                FROM attempts)"""
        known = sql(folder / "store", later)[0]
    accepted = list(counts["accepted_by_second"].values())
    steady = accepted[2:-1]
    each = 1.0
    if flag == "--tpm":
        each = (counts["tokens"]["prompt"] + counts["tokens"]["reply"]) / sum(accepted)
    return {
        "replies": replies,
        "requests": found["requests"],
        "refused": found["refused"],
        "refused once headers were known": known["refused"] / known["requests"],
        "of the limit, steady": sum(steady) / len(steady) * 60 * each / limit,
    }


def main() -> None:
    """Measure and report."""
    report(
        "limits",
        {
            "3,000 requests a minute, not told": asked("--rpm", 3_000, ""),
            "2,000,000 tokens a minute, told": asked(
                "--tpm", 2_000_000, "tokens_per_min = 2_000_000"
            ),
        },
    )


if __name__ == "__main__":
    main()
