"""A hub and two workers on loopback, one worker and then the hub killed on the way.

Its size is a setting of the environment, so that it also serves as a long one: GISTPROBE_HUB_CELLS.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.probe.experiments_for_tests import write_experiment
from tests.probe.hub_for_tests import Place
from tests.probe.runs import query, wait_until
from tests.probe.simulated import digest, recorded, simulated

CELLS = -(-int(os.environ.get("GISTPROBE_HUB_CELLS", "1200")) // 12) * 12
IN_FLIGHT = 32
LATENCY_S = 0.3


def settled(record: Path) -> int:
    """Requests that the endpoint has answered."""
    return sum(event["event"] != "asked" for event in recorded(record)) if record.exists() else 0


@pytest.mark.timeout(180 + CELLS // 20)
def test_one_worker_and_then_the_hub_are_killed_and_every_cell_has_one_reply(
    tmp_path: Path,
) -> None:
    """Asked twice may be what the dead worker had in flight, or had not handed over yet."""
    record, store = tmp_path / "record", tmp_path / "store"
    within_s = 25 + CELLS // 50
    with simulated("--record", record, "--replies", "echo", "--latency", LATENCY_S) as url:
        extra = f"max_in_flight = {2 * IN_FLIGHT}"
        experiment = write_experiment(tmp_path, url, extra=extra, a_work=CELLS // 12)
        with Place(store=store, experiment=experiment) as place:
            most = ("--in-flight", IN_FLIGHT)
            first = place.hub()
            one, two = place.worker("one", *most), place.worker("two", *most)
            wait_until(lambda: settled(record) > CELLS // 4, within_s=90)
            one.kill()
            wait_until(lambda: settled(record) > CELLS // 2, within_s=within_s)
            first.kill()
            time.sleep(1.5)
            again = place.hub()
            three = place.worker("one", *most)  # in the folder of the one that was killed
            for each in (two, three, again, one, first):
                each.communicate(within_s)
            said = again.communicate()[1]

    assert [each.returncode for each in (one, first, two, three, again)] == [-9, -9, 0, 0, 0], said
    assert "waiting for the workers of before" in said
    assert "worker two is back" in said
    rows = query(store, "SELECT prompt_text, reply, outcome, key FROM results")
    assert len(rows) == len({key for *_, key in rows}) == CELLS
    for text, reply, outcome, _ in rows:
        assert (outcome, reply) == ("ok", f"echo {digest(str(text))}")
    replies = query(store, "SELECT count(*), count(DISTINCT key) FROM replies")
    assert replies == [(CELLS, CELLS)]
    asked = Counter(event["prompt"] for event in recorded(record) if event["event"] == "asked")
    assert len(asked) == CELLS
    assert sum(asked.values()) - CELLS <= 2 * IN_FLIGHT
    assert max(asked.values()) <= 2
    print(f"{sum(asked.values()) - CELLS} asked again")  # noqa: T201 - shown by the long trial
