"""What is done with new replies: each is handed on once, on the writer's thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from store.database import Database
from store.errors import StoreBroken
from store.journal import Journal, Position
from store.read import JOURNAL, Connection, open_read
from store.rows import Event
from tests.store.rows_for_tests import attempt_row, failure_row, reply_row


def put_all(database: Database, *rows: Event) -> None:
    """Journal and put rows, all with one write."""
    journal = Journal(database.path / JOURNAL, "run-2")
    database.put(journal.append(*rows), *rows)
    journal.close()


def left_by_a_killed_run(path: Path, *rows: Event) -> None:
    (path / JOURNAL).mkdir()
    journal = Journal(path / JOURNAL, "run-1")
    journal.append(*rows)
    journal.close()


def held(connection: Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT key FROM replies").fetchall()}


class Kept:
    """A hook that notes what it was handed, and on which thread."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.threads: set[str] = set()
        self.uncommitted: set[str] = set()

    def __call__(self, connection: Connection, keys: Sequence[str]) -> None:
        """Take keys."""
        connection.execute("BEGIN")  # it may use transactions of its own
        self.uncommitted |= set(keys) - held(connection)
        connection.execute("ROLLBACK")
        self.calls.append(list(keys))
        self.threads.add(threading.current_thread().name)

    @property
    def keys(self) -> list[str]:
        return [key for call in self.calls for key in call]

    def wait(self, count: int) -> None:
        """Wait until that many keys have come."""
        until = time.monotonic() + 30
        while len(self.keys) < count and time.monotonic() < until:
            time.sleep(0.01)


def test_committed_replies_are_handed_on_once(tmp_path: Path) -> None:
    """On the writer's thread, after their commit; recovered ones too, and nothing but replies."""
    kept = Kept()
    expected = [f"{number}" for number in range(3_000)]
    left_by_a_killed_run(tmp_path, reply_row("recovered"))
    with Database(tmp_path, after_replies=kept) as database:
        put_all(database, attempt_row("a"), *map(reply_row, expected[:2_000]), failure_row("f"))
        for key in expected[2_000:]:
            database.put(Position("run-3.jsonl", int(key)), reply_row(key))

    assert kept.keys == ["recovered", *expected]
    assert kept.threads == {"store-writer"}
    assert kept.uncommitted == set()


def test_keys_are_handed_on_while_a_run_is_on(tmp_path: Path) -> None:
    """Without anyone closing or calling, also those that came while a hand-over was not due."""
    kept = Kept()
    with Database(tmp_path, after_replies=kept) as database:
        for number in range(3):
            database.put(Position("run.jsonl", number + 1), reply_row(f"{number}"))
            kept.wait(number + 1)
        while_open = list(kept.keys)

    assert while_open == ["0", "1", "2"]
    assert kept.keys == while_open


def test_keys_that_are_not_due_yet_need_no_further_event(tmp_path: Path) -> None:
    """A run may wait for long between two replies; the tables it shows do not."""
    kept = Kept()

    def slow(connection: Connection, keys: Sequence[str]) -> None:
        kept(connection, keys)
        time.sleep(0.02)

    with Database(tmp_path, after_replies=slow) as database:
        database.put(Position("run.jsonl", 1), reply_row("first"))
        kept.wait(1)
        database.put(Position("run.jsonl", 2), reply_row("second"))
        database.catch_up()
        kept.wait(2)
        while_open = list(kept.calls)

    assert while_open == [["first"], ["second"]]


def test_many_keys_are_handed_on_in_parts(tmp_path: Path) -> None:
    """Each once and in order, also those of parts that only closing makes due."""
    kept = Kept()
    expected = [f"{number}" for number in range(45_000)]
    with Database(tmp_path, after_replies=kept) as database:
        database.put(Position("run.jsonl", 1), *map(reply_row, expected))

    assert kept.keys == expected
    assert len(kept.calls) > 1


def test_the_last_keys_are_handed_on_before_closing(tmp_path: Path) -> None:
    """Even when none would be due for long, since the hook is slow."""
    kept = Kept()

    def slow(connection: Connection, keys: Sequence[str]) -> None:
        kept(connection, keys)
        time.sleep(0.5)

    began = time.monotonic()
    with Database(tmp_path, after_replies=slow) as database:
        database.put(Position("run.jsonl", 1), reply_row("first"))
        kept.wait(1)
        database.put(Position("run.jsonl", 2), reply_row("second"))
        database.catch_up()
        database.put(Position("run.jsonl", 3), reply_row("third"))

    assert kept.calls == [["first"], ["second", "third"]]
    assert time.monotonic() - began < 10  # it is due 12 s after the first, were the store open


def test_a_slow_hook_is_called_seldom(tmp_path: Path) -> None:
    """It goes through whole tables, and commits wait for it."""
    kept = Kept()

    def slow(connection: Connection, keys: Sequence[str]) -> None:
        kept(connection, keys)
        time.sleep(0.1)

    with Database(tmp_path, after_replies=slow) as database:
        for number in range(100):
            database.put(Position("run.jsonl", number + 1), reply_row(f"{number}"))
            database.catch_up()
        calls = len(kept.calls)

    assert calls <= 3
    assert kept.keys == [f"{number}" for number in range(100)]


def raising(_: Connection, new: Sequence[str]) -> None:
    raise LookupError(f"cannot score {new}")


def test_a_bug_on_the_writers_thread_is_raised_not_swallowed(tmp_path: Path) -> None:
    """Whatever it is: nobody waits for a thread that has gone, and nothing is lost."""
    database = Database(tmp_path, after_replies=raising)
    put_all(database, reply_row())
    journal = Journal(tmp_path / JOURNAL, "run-3")
    taken, number = True, 0
    while taken:
        row = reply_row(f"{number}")
        taken, number = database.put(journal.append(row), row), number + 1
    journal.close()

    database.catch_up()
    with pytest.raises(LookupError, match=r"cannot score \['k'"):
        database.call(held)
    with pytest.raises(LookupError, match=r"cannot score \['k'"):
        database.close()

    with Database(tmp_path) as again:
        found = again.call(held)
    assert found == {"k", *(f"{each}" for each in range(number))}


def test_a_bug_that_recovered_replies_meet_is_raised_at_close(tmp_path: Path) -> None:
    left_by_a_killed_run(tmp_path, reply_row())

    database = Database(tmp_path, after_replies=raising)

    with pytest.raises(LookupError, match=r"cannot score \['k'\]"):
        database.close()
    assert held(open_read(tmp_path)._connection) == {"k"}


def test_trouble_with_the_file_that_a_hook_meets_is_said_in_our_words(tmp_path: Path) -> None:
    def full(_: Connection, keys: Sequence[str]) -> None:
        raise duckdb.IOException(f"IO Error: {keys}: No space left on device")

    database = Database(tmp_path, after_replies=full)
    put_all(database, reply_row())

    with pytest.raises(StoreBroken, match=r"No space left .*; free some space"):
        database.close()
