"""How much memory the owner's database may use, and how a served query gets more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store.database import Database
from store.errors import StoreBroken
from store.memory import ask_for_more
from store.read import Connection, ask
from tests.probe.experiments_for_tests import probe

LARGE = "SELECT len(list(n)) AS n FROM range(15_000_000) AS r(n)"
"""A list of 120 MB, which DuckDB cannot put into a file."""


@contextmanager
def tended(path: Path) -> Iterator[Database]:
    """A served store whose owner looks now and then whether more memory is asked for."""
    over = threading.Event()
    with Database(path, serve=True) as database:

        def tend() -> None:
            while not over.wait(0.1):
                database.tend()

        thread = threading.Thread(target=tend)
        thread.start()
        try:
            yield database
        finally:
            over.set()
            thread.join()


def limit(connection: Connection) -> str:
    return str(ask(connection, "SELECT current_setting('memory_limit')").rows[0][0])


def test_the_owners_own_queries_have_little(tmp_path: Path) -> None:
    with Database(tmp_path) as database:
        usual = database.call(limit)
        whole = database.call_for_all(limit)
        after = database.call(limit)
        with pytest.raises(StoreBroken, match="failed to allocate"):
            database.call(lambda owner: owner.execute(LARGE).fetchall() and None)

    assert usual == after == "95.3 MiB"
    assert whole == "123.9 MiB"


def test_more_is_given_for_the_asking_and_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Database(tmp_path) as database:
        database.tend()
        before = database.call(limit)
        ask_for_more(tmp_path)
        database.tend()
        given = database.call(limit)
        monkeypatch.setattr("store.memory.time.monotonic", lambda: 1e12)
        database.tend()
        after = database.call(limit)

    assert (before, given, after) == ("95.3 MiB", "953.6 MiB", "95.3 MiB")


def test_a_served_query_that_needs_more_gets_it(tmp_path: Path) -> None:
    """Without a word from whoever asks: it is tried again when there is more."""
    with tended(tmp_path):
        done = probe("sql", LARGE, "--store", tmp_path, "--format", "csv")

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["n", "15000000"]


def test_a_request_that_a_dead_owner_left_is_forgotten(tmp_path: Path) -> None:
    with Database(tmp_path):
        pass
    ask_for_more(tmp_path)

    with Database(tmp_path) as database:
        database.tend()

        assert database.call(limit) == "95.3 MiB"
