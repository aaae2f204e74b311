"""Runs whose disk fails them: no room for the journal, no more writing to the database.

Both are made with a limit on the size of files, which a test sets on the running process.
"""

from __future__ import annotations

import resource
from collections import Counter
from pathlib import Path

from probe.snapshot import read_state
from tests.probe.experiments_for_tests import probe, write_experiment
from tests.probe.runs import count, query, start_warm, wait_until
from tests.probe.simulated import digest, recorded, simulated
from tests.probe.warm_for_tests import Running

IN_FLIGHT = 32
CELLS = 12 * 60


def limit_files(run: Running, most_bytes: int) -> None:
    """Let a process write no file beyond a size."""
    _, hard = resource.prlimit(run.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (most_bytes, hard))


def journal_bytes(store: Path) -> int:
    """Size of the present run's segment."""
    return max((path.stat().st_size for path in (store / "journal").glob("*.jsonl")), default=0)


def bought(record: Path) -> Counter[str]:
    """How often each prompt was answered."""
    return Counter(each["prompt"] for each in recorded(record) if each["event"] == "answered")


def none_open(record: Path) -> bool:
    """Whether all that was asked is answered."""
    events = Counter(each["event"] for each in recorded(record))
    return events["asked"] == events["answered"]


def all_held_once(store: Path, record: Path) -> None:
    """Every cell has the reply to its own prompt, and each was bought once."""
    rows = query(store, "SELECT prompt_text, reply FROM results")
    assert len(rows) == CELLS
    assert all(reply == f"echo {digest(str(prompt))}" for prompt, reply in rows)
    assert count(store, "SELECT count(*) FROM replies") == CELLS
    assert set(bought(record).values()) == {1}
    assert len(bought(record)) == CELLS


def test_a_run_waits_while_the_disk_is_full_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """It says so meanwhile, sends nothing, and neither loses nor doubles a reply."""
    record, store = tmp_path / "record", tmp_path / "store"
    with simulated("--record", record, "--latency", 0.1, "--replies", "echo") as url:
        extra = f"max_in_flight = {IN_FLIGHT}"
        experiment = write_experiment(tmp_path, url, extra=extra, a_work=CELLS // 12)
        # The plan is recorded by a run of its own: from here on the journal is the longest file.
        probe("run", experiment, "--store", store, "--max-requests", 1)
        with start_warm(experiment, store) as run:
            wait_until(lambda: journal_bytes(store) > 300_000)
            limit_files(run, journal_bytes(store) + 1_000)
            wait_until(lambda: (state := read_state(store)) is not None and bool(state.problem))
            state = read_state(store)
            wait_until(lambda: none_open(record))
            when_full = bought(record).total()
            shown = probe("status", "--store", store)
            while_full = bought(record).total()
            limit_files(run, resource.RLIM_INFINITY)
            _, said = run.communicate(timeout=60)

    assert state is not None
    assert "the disk is full; free some space" in str(state.problem)
    assert "the disk is full; free some space" in " ".join(shown.stdout.split())
    assert when_full == while_full < CELLS
    assert run.returncode == 0, said
    all_held_once(store, record)


def test_a_database_that_takes_nothing_more_ends_the_run_with_every_reply_in_the_journal(
    tmp_path: Path,
) -> None:
    """What was in flight is finished and kept; the next run goes on from there."""
    record, store = tmp_path / "record", tmp_path / "store"
    with simulated("--record", record, "--latency", 0.15, "--replies", "echo") as url:
        extra = f"max_in_flight = {IN_FLIGHT}"
        experiment = write_experiment(tmp_path, url, extra=extra, a_work=CELLS // 12)
        with start_warm(experiment, store) as run:
            # The plan has made the database's log long by now, and the journal is short.
            wait_until(lambda: record.exists() and bought(record).total() > 2 * IN_FLIGHT)
            limit_files(run, 500_000)
            out, said = run.communicate(timeout=60)
        at_end = bought(record).total()
        done = probe("run", experiment, "--store", store)

    lines = [line for line in said.splitlines() if line.startswith("probe: ")]
    assert run.returncode == 2
    assert "Traceback" not in said
    assert len(lines) == 1, said
    assert "the database cannot be written" in lines[0]
    assert "run again: the journal holds every reply" in lines[0]
    assert out == ""
    assert at_end < CELLS
    assert done.returncode == 0, done.stderr
    assert "replies recovered from the journal" in done.stderr
    all_held_once(store, record)
