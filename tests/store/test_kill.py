"""A reply that reached the journal is in the database exactly once, whatever is killed when."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from store.database import Database
from store.errors import NoStore
from store.read import DATABASE, JOURNAL, open_read

ROOT = Path(__file__).parents[2]
TABLES = {"attempt": "attempts", "failure": "failures", "reply": "replies"}


def journalled(path: Path) -> dict[str, Counter[str]]:
    """Keys of the journal's whole lines, by table; read without the code under test."""
    keys = {table: Counter[str]() for table in TABLES.values()}
    for segment in (path / JOURNAL).glob("*"):
        for line in segment.read_bytes().split(b"\n")[:-1]:
            record = json.loads(line)
            keys[TABLES[record["kind"]]][record["row"]["key"]] += 1
    return keys


def held(path: Path) -> dict[str, Counter[str]]:
    """Keys the database holds, by table."""
    connection = open_read(path)
    found = {
        table: Counter(row[0] for row in connection.execute(f"SELECT key FROM {table}").fetchall())
        for table in TABLES.values()
    }
    connection.close()
    return found


def replies_held(path: Path) -> int:
    """Replies in the database; 0 where it has not come to be."""
    try:
        return held(path)["replies"].total()
    except NoStore:
        return 0


def size(path: Path) -> int:
    """Bytes in the journal."""
    return sum(segment.stat().st_size for segment in (path / JOURNAL).glob("*"))


def kill_at(path: Path, run_id: str, journal_bytes: int) -> None:
    """Start a writer and kill it once the journal has grown by that much."""
    command = [sys.executable, "-m", "tests.store.writer_for_tests", str(path), run_id]
    began = size(path)
    with subprocess.Popen(command, cwd=ROOT) as writer:
        until = time.monotonic() + 30
        while size(path) - began < journal_bytes and time.monotonic() < until:
            assert writer.poll() is None
            time.sleep(0.001)
        writer.kill()

    assert size(path) - began >= journal_bytes


def test_every_line_of_the_journal_is_held_exactly_once(tmp_path: Path) -> None:
    """Several kills of one store: right at the start, before and amid commits."""
    for number, journal_bytes in enumerate([1, 300_000, 2_000_000, 5_000_000, 1]):
        kill_at(tmp_path, f"run-{number}", journal_bytes)
        before = replies_held(tmp_path)
        expected = journalled(tmp_path)

        with Database(tmp_path) as database:
            recovered = database.recovered
        again = Database(tmp_path)
        again.close()

        assert held(tmp_path) == expected
        assert set(expected["replies"].values()) <= {1}
        assert recovered == expected["replies"].total() - before
        assert again.recovered == 0

    assert expected["replies"].total() > 10_000


def test_replies_come_back_from_the_journal_alone(tmp_path: Path) -> None:
    """The database file is lost, with or without its log, after a kill."""
    kill_at(tmp_path, "run-0", 500_000)
    expected = journalled(tmp_path)
    for suffixes in (["", ".wal"], [""]):
        for suffix in suffixes:
            (tmp_path / f"{DATABASE}{suffix}").unlink(missing_ok=True)

        with Database(tmp_path) as database:
            recovered = database.recovered

        assert recovered == expected["replies"].total() > 0
        assert held(tmp_path) == expected


def test_a_log_whose_database_is_lost_hides_no_reply(tmp_path: Path) -> None:
    """What the log says of the journal does not count once the database it belongs to is gone."""
    kill_at(tmp_path, "run-0", 100_000)
    Database(tmp_path).close()
    kill_at(tmp_path, "run-1", 4_000_000)
    expected = journalled(tmp_path)
    assert (tmp_path / f"{DATABASE}.wal").stat().st_size > 0
    (tmp_path / DATABASE).unlink()

    with Database(tmp_path) as database:
        recovered = database.recovered

    assert recovered == expected["replies"].total()
    assert held(tmp_path) == expected


@pytest.mark.parametrize("kept_bytes", [0, 4096, 8192])
def test_a_store_killed_as_it_came_to_be_opens(tmp_path: Path, kept_bytes: int) -> None:
    """Less than the database's headers holds nothing, so nothing has to be moved away."""
    kill_at(tmp_path, "run-0", 1)
    expected = journalled(tmp_path)
    (tmp_path / f"{DATABASE}.wal").unlink(missing_ok=True)
    whole = (tmp_path / DATABASE).read_bytes()
    (tmp_path / DATABASE).write_bytes(whole[:kept_bytes])

    with Database(tmp_path) as database:
        recovered = database.recovered

    assert len(whole) > kept_bytes
    assert recovered == expected["replies"].total()
    assert held(tmp_path) == expected
