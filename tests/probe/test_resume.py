"""Runs that are killed, interrupted or changed half-way, as separate processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.probe.experiments_for_tests import probe, rows, write_excerpts, write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, serving

IN_FLIGHT = 4
CELLS = 3 * 20 * 2 * 2


@contextmanager
def endpoint_process(record: Path, latency_s: float) -> Iterator[str]:
    """The fake endpoint in a process of its own, so that it outlives the client."""
    command = [sys.executable, "-m", "tests.probe.fake_endpoint", str(record), str(latency_s)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def start_run(experiment: Path, store: Path) -> subprocess.Popen[str]:
    """`probe run` in the background, in a session of its own as a terminal would give it."""
    return subprocess.Popen(
        [sys.executable, "-m", "probe", "run", str(experiment), "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for something another process does."""
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until, "what the test waits for did not happen"
        time.sleep(0.005)


def asked(record: Path) -> Counter[str]:
    """How often each prompt was asked, as the endpoint wrote it down."""
    lines = record.read_text().splitlines() if record.exists() else []
    return Counter(line.split()[1] for line in lines if line.startswith("asked"))


def large_experiment(folder: Path, url: str) -> Path:
    experiment = write_experiment(folder, url, extra=f"max_in_flight = {IN_FLIGHT}")
    write_excerpts(folder / "excerpts.jsonl", a_work=20)
    return experiment


def test_killed_three_times_nothing_is_missing_and_only_what_was_in_flight_is_asked_twice(
    tmp_path: Path,
) -> None:
    """`kill -9` in the middle, then the same command."""
    record, store = tmp_path / "record", tmp_path / "store"
    kills = [CELLS // 8, CELLS // 2, 3 * CELLS // 4]
    with endpoint_process(record, latency_s=0.02) as url:
        experiment = large_experiment(tmp_path, url)
        for enough in kills:
            with start_run(experiment, store) as run:
                wait_until(lambda enough=enough: asked(record).total() >= enough)  # type: ignore[misc]
                run.kill()
        done = probe("run", experiment, "--store", store)

    again = sum(count - 1 for count in asked(record).values())
    assert done.returncode == 0, done.stderr
    assert len(asked(record)) == CELLS
    assert max(asked(record).values()) <= 1 + len(kills)
    assert again <= IN_FLIGHT * len(kills)
    outcomes = rows(
        store, "SELECT outcome, count(*) AS n, count(DISTINCT key) AS k FROM results GROUP BY ALL"
    )
    assert outcomes == [{"outcome": "ok", "n": CELLS, "k": CELLS}]
    assert rows(store, "SELECT count(*) AS n FROM replies") == [{"n": CELLS}]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_finishes_what_is_in_flight_and_the_same_command_goes_on(
    tmp_path: Path, how: signal.Signals
) -> None:
    record, store = tmp_path / "record", tmp_path / "store"
    with endpoint_process(record, latency_s=0.05) as url:
        experiment = large_experiment(tmp_path, url)
        with start_run(experiment, store) as run:
            wait_until(lambda: asked(record).total() >= CELLS // 4)
            run.send_signal(how)
            _, said = run.communicate(timeout=60)
        at_stop = asked(record).total()
        held = rows(store, "SELECT count(*) AS n FROM replies")
        ended = rows(store, "SELECT how FROM run_ends")
        done = probe("run", experiment, "--store", store)

    assert run.returncode == 130
    assert "resume with: probe run" in said
    assert held == [{"n": at_stop}]  # nothing was in flight any more
    assert ended == [{"how": "interrupted"}]
    assert done.returncode == 0, done.stderr
    assert set(asked(record).values()) == {1}
    assert len(asked(record)) == CELLS


def test_two_interrupts_stop_at_once(tmp_path: Path) -> None:
    record, store = tmp_path / "record", tmp_path / "store"
    with endpoint_process(record, latency_s=50) as url:
        experiment = large_experiment(tmp_path, url)
        with start_run(experiment, store) as run:
            wait_until(lambda: asked(record).total() >= IN_FLIGHT)
            run.send_signal(signal.SIGINT)
            time.sleep(0.5)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=30)

    assert run.returncode == 130
    assert rows(store, "SELECT DISTINCT outcome FROM results") == [{"outcome": "pending"}]


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
        items = rows(store, "SELECT count(*) AS n, count(DISTINCT cell_id) AS c FROM results")
        experiment.write_text(spec)
        back = run()
        shown = rows(store, "SELECT count(*) AS n FROM results")

    assert first == (24, 0)
    assert edited == (4, 20)
    assert condition == (12, 24)
    assert model == (36, 36)
    assert items == [{"n": 72, "c": 72}]  # the edited item's old cells are no longer shown
    assert back == (0, 24)
    assert shown == [{"n": 24}]  # the file as it was is the current plan again


def test_a_second_run_on_the_same_store_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    record, store = tmp_path / "record", tmp_path / "store"
    with endpoint_process(record, latency_s=0.1) as url:
        experiment = large_experiment(tmp_path, url)
        with start_run(experiment, store) as run:
            wait_until(lambda: asked(record).total() >= IN_FLIGHT)
            second = probe("run", experiment, "--store", store)
            status = probe("status", "--store", store)
            planned = probe("plan", experiment, "--store", store)
            counts = [rows(store, "SELECT count(*) AS n FROM replies")[0]["n"] for _ in range(3)]
            run.communicate(timeout=90)

    assert run.returncode == 0
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert f"in use by process {run.pid}" in second.stderr
    for answered in (status, planned):
        assert (answered.returncode, answered.stderr) == (0, "")
    assert [int(str(each)) for each in counts] == sorted(int(str(each)) for each in counts)
    assert 0 < int(str(counts[-1])) < CELLS


def running(pattern: str) -> list[int]:
    """Processes whose command line holds a text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # it ended while we looked
            if pattern in command and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found
