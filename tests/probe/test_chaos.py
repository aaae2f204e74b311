"""A host on a bad day: refusals, errors, resets, cut and garbled answers, and silence.

GISTPROBE_CHAOS_CELLS and GISTPROBE_CHAOS_LATENCY (as `probe simulate --latency` takes it) make it a
long one; GISTPROBE_CHAOS_IN_FLIGHT is `max_in_flight`, 0 to leave it to what the host bears.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.probe.experiments_for_tests import probe, write_experiment
from tests.probe.runs import query
from tests.probe.simulated import digest, recorded, simulated

CELLS = -(-int(os.environ.get("GISTPROBE_CHAOS_CELLS", "300")) // 12) * 12
LATENCY = os.environ.get("GISTPROBE_CHAOS_LATENCY", "uniform:0.03-0.15")
IN_FLIGHT = int(os.environ.get("GISTPROBE_CHAOS_IN_FLIGHT", "32"))
SLOWEST_S = float(LATENCY.replace(":", "-").split("-")[-1])
FAULTS = {
    "429": 0.10,
    "500": 0.05,
    "reset": 0.02,
    "truncated": 0.02,
    "malformed": 0.01,
    "hang": 0.005,
}


@pytest.mark.timeout(120 + CELLS)
def test_every_cell_ends_with_its_own_reply_or_a_recorded_failure(tmp_path: Path) -> None:
    """No reply is bought twice, whatever befell the attempts before it."""
    record, store = tmp_path / "record", tmp_path / "store"
    flags: list[object] = [
        word for fault, rate in FAULTS.items() for word in (f"--rate-{fault}", rate)
    ]
    flags += ["--replies", "echo", "--latency", LATENCY, "--record", record, "--seed", 3]
    with simulated(*flags) as url:
        extra = f"first_byte_s = {SLOWEST_S + 1}\ntimeout_s = {SLOWEST_S + 2}\n"
        extra += f"max_in_flight = {IN_FLIGHT}" if IN_FLIGHT else ""
        experiment = write_experiment(tmp_path, url, extra=extra, a_work=CELLS // 12)
        began = time.monotonic()
        done = probe("run", experiment, "--store", store, within_s=60 + CELLS / 2)
        took_s = time.monotonic() - began
        with urlopen(f"{url}/stats") as answer:  # noqa: S310 - our own, on loopback
            stats = json.load(answer)

    kinds = query(store, "SELECT coalesce(error_kind, 'none'), count(*) FROM attempts GROUP BY ALL")
    print(f"{CELLS} cells in {took_s:.1f} s; attempts by error {kinds}")  # noqa: T201
    print(f"most open {stats['most_open']}, faults {stats['by_fault']}")  # noqa: T201
    rows = query(store, "SELECT prompt_text, outcome, reply, key FROM results")
    failed = {key for _, outcome, _, key in rows if outcome == "failed"}
    assert done.returncode == (1 if failed else 0), done.stderr
    assert len(rows) == CELLS
    for text, outcome, reply, _ in rows:
        assert outcome == "failed" or (outcome, reply) == ("ok", f"echo {digest(str(text))}")
    assert {key for (key,) in query(store, "SELECT key FROM failures")} == failed
    assert set(stats["by_fault"]) >= {"429", "500"}
    bought = Counter(
        event["prompt"]
        for event in recorded(record)
        if event.get("status") == 200 and event["fault"] is None
    )
    assert set(bought.values()) == {1}
    assert len(bought) == CELLS - len(failed)
