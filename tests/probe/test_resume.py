"""Runs that are killed, interrupted or changed half-way, as separate processes."""

from __future__ import annotations

import json
import re
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from probe.snapshot import read_state
from tests.probe.experiments_for_tests import probe, rows, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, serving
from tests.probe.runs import count, query, start_warm, wait_until
from tests.probe.simulated import recorded, simulated

IN_FLIGHT = 4
CELLS = 3 * 10 * 2 * 2


def asked(record: Path) -> Counter[str]:
    """How often each prompt was asked, as the endpoint wrote it down."""
    events = recorded(record) if record.exists() else []
    return Counter(event["prompt"] for event in events if event["event"] == "asked")


def large_experiment(folder: Path, url: str) -> Path:
    return write_experiment(folder, url, extra=f"max_in_flight = {IN_FLIGHT}", a_work=10)


def test_killed_three_times_nothing_is_missing_and_only_what_was_in_flight_is_asked_twice(
    tmp_path: Path,
) -> None:
    """`kill -9` in the middle, then the same command."""
    record, store = tmp_path / "record", tmp_path / "store"
    kills = [CELLS // 8, CELLS // 2, 3 * CELLS // 4]
    with simulated("--record", record, "--latency", 0.02) as url:
        experiment = large_experiment(tmp_path, url)
        for enough in kills:
            with start_warm(experiment, store) as run:
                wait_until(lambda enough=enough: asked(record).total() >= enough)  # type: ignore[misc]
                run.kill()
        done = probe("run", experiment, "--store", store)

    again = sum(count - 1 for count in asked(record).values())
    assert done.returncode == 0, done.stderr
    assert len(asked(record)) == CELLS
    assert max(asked(record).values()) <= 1 + len(kills)
    assert again <= IN_FLIGHT * len(kills)
    outcomes = "SELECT outcome, count(*), count(DISTINCT key) FROM results GROUP BY ALL"
    assert query(store, outcomes) == [("ok", CELLS, CELLS)]
    assert count(store, "SELECT count(*) FROM replies") == CELLS


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_finishes_what_is_in_flight_and_the_same_command_goes_on(
    tmp_path: Path, how: signal.Signals
) -> None:
    record, store = tmp_path / "record", tmp_path / "store"
    with simulated("--record", record, "--latency", 0.05) as url:
        experiment = large_experiment(tmp_path, url)
        with start_warm(experiment, store) as run:
            wait_until(lambda: asked(record).total() >= CELLS // 4)
            run.send_signal(how)
            _, said = run.communicate(timeout=60)
        at_stop = asked(record).total()
        held = count(store, "SELECT count(*) FROM replies")
        ended = query(store, "SELECT how FROM run_ends")
        done = probe("run", experiment, "--store", store)

    assert run.returncode == 130
    assert "resume with: probe run" in said
    assert held == at_stop  # nothing was in flight any more
    assert ended == [("interrupted",)]
    assert done.returncode == 0, done.stderr
    assert set(asked(record).values()) == {1}
    assert len(asked(record)) == CELLS


def test_two_interrupts_stop_at_once(tmp_path: Path) -> None:
    record, store = tmp_path / "record", tmp_path / "store"
    with simulated("--record", record, "--latency", 50) as url:
        experiment = large_experiment(tmp_path, url)
        with start_warm(experiment, store) as run:
            wait_until(lambda: asked(record).total() >= IN_FLIGHT)
            run.send_signal(signal.SIGINT)
            time.sleep(0.5)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=30)

    assert run.returncode == 130
    assert query(store, "SELECT DISTINCT outcome FROM results") == [("pending",)]


def test_editing_an_item_or_adding_a_condition_or_a_model_asks_only_for_what_is_new(
    tmp_path: Path,
) -> None:
    endpoint, store = FakeEndpoint(), tmp_path / "store"

    def run() -> tuple[int, int]:
        done = probe("run", experiment, "--store", store)
        found = re.search(r"asked (\d+), already held (\d+)", done.stderr)
        assert found, done.stderr
        return int(found[1]), int(found[2])

    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url)
        first = run()
        texts = tmp_path / "excerpts.jsonl"
        texts.write_text(texts.read_text().replace("day numbered 1", "hour numbered 1", 1))
        edited = run()
        spec = experiment.read_text()
        experiment.write_text(
            spec.replace('["baseline", "gist"]', '["baseline", "gist", "verbatim"]')
        )
        condition = run()
        more = f'[[models]]\nname = "other"\nprovider = "openai"\nmodel = "m"\nbase_url = "{url}"\n'
        experiment.write_text(experiment.read_text().replace("[[tasks]]", f"{more}[[tasks]]"))
        model = run()
        items = query(store, "SELECT count(*), count(DISTINCT cell_id) FROM results")
        experiment.write_text(spec)
        back = run()
        shown = count(store, "SELECT count(*) FROM results")

    assert first == (24, 0)
    assert edited == (4, 20)
    assert condition == (12, 24)
    assert model == (36, 36)
    assert items == [(72, 72)]  # the edited item's old cells are no longer shown
    assert back == (0, 24)
    assert shown == 24  # the file as it was is the current plan again


def test_while_a_run_is_on_others_read_and_none_may_write(tmp_path: Path) -> None:
    """A second run is refused; counts never go down; `probe status` knows what the run knows."""
    endpoint, store = FakeEndpoint(latency_s=1.5), tmp_path / "store"
    counts: list[int] = []

    def rated() -> bool:
        """Whether the run has told how fast it is."""
        state = read_state(store)
        return state is not None and any(each.requests_per_min for each in state.models)

    def seen() -> bool:
        """Whether replies came in while many looked."""
        time.sleep(0.1)
        counts.append(count(store, "SELECT count(*) FROM replies"))
        return len(counts) >= 19 and 0 < counts[0] < counts[-1]

    with serving(endpoint) as url:
        experiment = large_experiment(tmp_path, url)
        with start_warm(experiment, store) as run:
            wait_until(rated)
            second = probe("run", experiment, "--store", store)
            status = probe("status", "--store", store, "--format", "json")
            planned = probe("plan", experiment, "--store", store)
            wait_until(seen)
            counts += [int(str(rows(store, "SELECT count(*) AS n FROM replies")[0]["n"]))]
            endpoint.latency_s = 0.0  # all has been seen: the rest may come at once
            run.communicate(timeout=90)

    assert run.returncode == 0
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert f"in use by process {run.pid}" in second.stderr
    for answered in (status, planned):
        assert (answered.returncode, answered.stderr) == (0, "")
    shown = json.loads(status.stdout)[0]
    assert shown["last_run"] == "running"
    assert shown["in_flight"] == IN_FLIGHT
    assert shown["requests_per_min"] > 0
    assert shown["limited_by"] == "in flight"
    assert counts == sorted(counts)
    assert counts[-1] <= CELLS


def test_status_of_a_run_that_has_ended_shows_no_rates(tmp_path: Path) -> None:
    """Also of one that was killed, and left its last words lying about."""
    record, store = tmp_path / "record", tmp_path / "store"
    with simulated("--record", record, "--latency", 0.1) as url:
        experiment = large_experiment(tmp_path, url)
        with start_warm(experiment, store) as run:
            wait_until(lambda: (store / "running.json").exists() and asked(record).total() > 0)
            run.kill()

    shown = json.loads(probe("status", "--store", store, "--format", "json").stdout)[0]
    assert (shown["last_run"], shown["in_flight"]) == ("killed", None)
    assert (store / "running.json").exists()
