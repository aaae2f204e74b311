"""A run that is killed at random moments, over and over: nothing is lost, nothing bought twice.

The sizes are settings of the environment, so that the same test also serves as a long one:
GISTPROBE_KILLS, GISTPROBE_KILL_CELLS, GISTPROBE_KILL_IN_FLIGHT, and GISTPROBE_KILL_SEED, by which a
failure's moments are had again (as nearly as a scheduler allows).
"""

from __future__ import annotations

import json
import os
import random
import secrets
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.probe.experiments_for_tests import probe, write_experiment
from tests.probe.runs import count, query, start_warm, wait_until
from tests.probe.simulated import digest, recorded, simulated
from tests.probe.warm_for_tests import Running

KILLS = int(os.environ.get("GISTPROBE_KILLS", "12"))
CELLS = -(-int(os.environ.get("GISTPROBE_KILL_CELLS", "600")) // 12) * 12
IN_FLIGHT = int(os.environ.get("GISTPROBE_KILL_IN_FLIGHT", "16"))
SEED = int(os.environ.get("GISTPROBE_KILL_SEED", secrets.randbelow(2**32)))
LATENCY_S = 0.05


def journalled(store: Path) -> dict[str, str]:
    """The replies of whole lines in the journal, by key."""
    found: dict[str, str] = {}
    for path in sorted((store / "journal").glob("*.jsonl")):
        for line in path.read_bytes().splitlines(keepends=True):
            if line.startswith(b'{"kind":"reply"') and line.endswith(b"\n"):
                row = json.loads(line)["row"]
                assert row["key"] not in found
                found[row["key"]] = row["text"]
    return found


def begun(run: Running, store: Path) -> bool:
    """Whether a run asks by now, or has found nothing to ask any more."""
    return (store / "running.json").exists() or run.poll() is not None


@pytest.mark.timeout(120 + 10 * KILLS + CELLS // 20)
def test_a_run_killed_at_random_moments_loses_nothing_and_buys_only_what_was_in_flight_twice(
    tmp_path: Path,
) -> None:
    """From before the store exists to shortly before the end; the same command goes on."""
    print(f"GISTPROBE_KILL_SEED={SEED}")  # noqa: T201 - shown where the test fails
    rng = random.Random(SEED)
    record, store = tmp_path / "record", tmp_path / "store"
    alive_s = 1.5 * max(CELLS * LATENCY_S / IN_FLIGHT / KILLS, 0.15)
    flags = ("--replies", "echo", "--latency", f"uniform:0-{2 * LATENCY_S}")
    held: list[int] = []
    with simulated("--record", record, *flags) as url:
        extra = f"max_in_flight = {IN_FLIGHT}"
        experiment = write_experiment(tmp_path, url, extra=extra, a_work=CELLS // 12)
        for _ in range(KILLS):
            with start_warm(experiment, store) as run:
                if rng.random() < 0.9:  # else it may not even have begun
                    wait_until(lambda run=run: begun(run, store))  # type: ignore[misc]
                time.sleep(rng.uniform(0, alive_s))
                run.kill()
            (store / "running.json").unlink(missing_ok=True)
            held.append(len(journalled(store)))
        done = probe("run", experiment, "--store", store)
        again = probe("run", experiment, "--store", store)

    events = recorded(record)
    asked = Counter(event["prompt"] for event in events if event["event"] == "asked")
    twice = sum(asked.values()) - CELLS
    print(f"{KILLS} kills, held after each {held}; {twice} asked again")  # noqa: T201
    assert done.returncode == 0, done.stderr
    assert f"asked 0, already held {CELLS}" in again.stderr
    assert held == sorted(held)
    assert len(asked) == CELLS
    assert twice <= IN_FLIGHT * KILLS
    rows = query(store, "SELECT prompt_text, reply, outcome, key FROM results")
    assert len(rows) == len({key for *_, key in rows}) == CELLS
    for text, reply, outcome, _ in rows:
        assert (outcome, reply) == ("ok", f"echo {digest(str(text))}")
    assert count(store, "SELECT count(*) FROM replies") == CELLS
    stored = {str(key): str(reply) for key, reply in query(store, "SELECT key, text FROM replies")}
    assert stored == journalled(store)
