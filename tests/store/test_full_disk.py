"""A full disk: what cannot be written is told, and nothing that was is lost."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from store.database import Database
from store.journal import read_events
from store.read import DATABASE, JOURNAL, open_read
from tests.store.rows_for_tests import attempt_row, failure_row, reply_row

if sys.platform == "win32":
    pytest.skip("needs a limit on the size of files", allow_module_level=True)

from tests.store.filling_for_tests import lines_of

FILLS_UP = """
    journal = Journal(path, "run")
    end = journal.append(reply_row("before")).end
    for room in numbers:
        full_beyond(end + room)
        try:
            journal.append(attempt_row("lost"), reply_row("lost"), failure_row("lost"))
        except DiskFull as error:
            print(error)
    full_beyond(None)
    print(journal.append(attempt_row("after"), failure_row("after")).end)
    journal.close()
"""


@pytest.mark.parametrize("room", [[0], [1], [40], [400], [0, 40, 0, 400]])
def test_a_disk_that_fills_up_in_mid_write_leaves_no_part(tmp_path: Path, room: list[int]) -> None:
    """All of a write or nothing, not even its first event; the next stands on its own."""
    *said, end = lines_of(FILLS_UP, tmp_path, *room)

    assert len(said) == len(room)
    assert all("run.jsonl: the disk is full; free some space" in each for each in said)
    assert int(end) == (tmp_path / "run.jsonl").stat().st_size
    assert [entry.event for entry in read_events(tmp_path, {})] == [
        reply_row("before"),
        attempt_row("after"),
        failure_row("after"),
    ]


DATABASE_FULL = """
    database = Database(path)
    journal = Journal(path / JOURNAL, "run")
    big = "x" * 10_000

    def put(key):
        rows = (attempt_row(key), reply_row(key, raw=big))
        return database.put(journal.append(*rows), *rows)

    print(all([put(f"before {n}") for n in range(100)]))
    database.catch_up()
    # The journal has room for some; the log of the database has none.
    full_beyond((path / f"{DATABASE}.wal").stat().st_size + 100_000)
    journal.close()
    journal = Journal(path / JOURNAL, "run-2")
    written = 0
    while True:
        try:
            put(f"after {written}")
        except DiskFull:
            break
        written += 1
    database.catch_up()
    print(database.put(Position("other.jsonl", 1)))
    try:
        database.call(lambda connection: 1)
    except StoreBroken as error:
        print(error)
    full_beyond(None)
    print(put(f"after {written}"))  # the journal goes on
    journal.close()
    try:
        database.close()
    except StoreBroken as error:
        print(error)
    print(written + 1)
"""


def test_a_database_without_room_takes_no_more_and_loses_nothing(tmp_path: Path) -> None:
    """It says so to whoever puts, calls or closes; the journal goes on, and the next open has all.

    The database is sound, so it is not set aside.
    """
    said = lines_of(DATABASE_FULL, tmp_path)
    with Database(tmp_path) as database:
        pass

    connection = open_read(tmp_path)
    found = connection.execute(
        "SELECT count(*), count(DISTINCT key), sum(length(raw)) FROM replies"
    ).fetchone()
    attempts = connection.execute("SELECT count(DISTINCT key), count(*) FROM attempts").fetchone()

    taken, after, called, at_last, closed, written = said
    replies = 100 + int(written)
    assert (taken, after, at_last) == ("True", "False", "False")
    assert int(written) > 5
    for each in (called, closed):
        assert "cannot be written" in each
        assert "File too large" in each
        assert "free some space or mend it, then run again: the journal holds every reply" in each
    assert database.set_aside is None
    assert database.recovered == int(written)
    assert found == (replies, replies, replies * 10_000)
    assert attempts == (replies, replies)


OPENED_FULL = """
    import os
    database = Database(path)
    journal = Journal(path / JOURNAL, "run")
    rows = [reply_row(f"{n}", raw="x" * 1_000) for n in range(1_000)]
    database.put(journal.append(*rows), *rows)
    database.catch_up()
    rows = [reply_row(f"more {n}", raw="x" * 1_000) for n in range(1_000)]
    journal.append(*rows)
    os._exit(0)
"""
OPENS_FULL = """
    full_beyond(numbers[0])
    try:
        with Database(path) as database:
            print("open", database.set_aside)
    except StoreBroken as error:
        print(error)
"""


@pytest.mark.parametrize("size_bytes", [0, 12_288, 300_000, 1_200_000])
def test_a_full_disk_at_opening_is_no_damage(tmp_path: Path, size_bytes: int) -> None:
    """However full it is: nothing is set aside, and with room it opens and all is there."""
    lines_of(OPENED_FULL, tmp_path)

    said = lines_of(OPENS_FULL, tmp_path, size_bytes)
    with Database(tmp_path) as database:
        found = database.call(
            lambda c: c.execute("SELECT count(*), count(DISTINCT key) FROM replies").fetchone()
        )

    assert "File too large" in said[0]
    assert "journal" in said[0] or "nothing is lost" in said[0]
    assert database.set_aside is None
    assert not list(tmp_path.glob(f"{DATABASE}.damaged*"))
    assert found == (2_000, 2_000)


def test_a_new_store_needs_room(tmp_path: Path) -> None:
    """Without it that is said, and nothing has to be cleared away afterwards."""
    said = lines_of(OPENS_FULL, tmp_path / "store", 4_096)
    with Database(tmp_path / "store") as database:
        pass

    assert "File too large" in said[0]
    assert "move probe.duckdb" not in said[0]
    assert database.set_aside is None
    assert (tmp_path / "store" / JOURNAL).is_dir()
