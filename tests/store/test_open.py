"""Opening a store, or saying why not: which store, what was found, what to do."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from store.database import Database
from store.errors import NoStore, StoreBroken, StoreBusy, StoreTooNew
from store.journal import Journal
from store.migrate import migrate, schema_version
from store.read import DATABASE, JOURNAL, Connection, open_read
from store.schema import migrations
from tests.store.rows_for_tests import reply_row

OWNER = """
import sys
from pathlib import Path
from store.database import Database

with Database(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""
OPENERS = pytest.mark.parametrize("opening", [Database, open_read], ids=["owner", "reader"])
Opening = Callable[[Path], object]


@contextmanager
def owned(path: Path) -> Iterator[int]:
    """A store while another process owns it; gives that process's id."""
    command = [sys.executable, "-c", OWNER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        yield owner.pid
        owner.communicate()


def made(path: Path) -> Path:
    """A store with one reply; its database's path."""
    with Database(path) as database:
        journal = Journal(path / JOURNAL, "run")
        row = reply_row()
        database.put(row, journal.append(row))
        journal.close()
    return path / DATABASE


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@OPENERS
def test_a_store_with_an_owner_is_busy(tmp_path: Path, opening: Opening) -> None:
    """The message names the process to wait for."""
    with owned(tmp_path) as pid, pytest.raises(StoreBusy, match=f"in use by process {pid};"):
        opening(tmp_path)


def test_a_store_is_free_once_its_owner_has_gone(tmp_path: Path) -> None:
    with owned(tmp_path):
        pass

    with Database(tmp_path) as database:
        assert database.recovered == 0


@OPENERS
def test_a_newer_store_is_refused_and_left_as_it_is(tmp_path: Path, opening: Opening) -> None:
    file = made(tmp_path)
    newer = migrations()[-1].version + 1
    with duckdb.connect(str(file)) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (?, 'later', now())", [newer])
    before = sha256(file)

    with pytest.raises(StoreTooNew, match=f"has schema {newer}, .*knows up to {newer - 1}"):
        opening(tmp_path)

    assert sha256(file) == before
    assert not (tmp_path / f"{DATABASE}.wal").exists()


@pytest.mark.parametrize("place", ["", "nowhere", "file", "file/below"])
def test_where_there_is_no_store_a_reader_is_told(tmp_path: Path, place: str) -> None:
    """And nothing is made there."""
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(NoStore, match=re.escape(f"no store at {tmp_path / place};")):
        open_read(tmp_path / place)

    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_where_no_store_can_be_an_owner_is_told(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(
        StoreBroken, match=r"cannot be made \(Not a directory\); name another --store"
    ):
        Database(tmp_path / place)


@OPENERS
@pytest.mark.parametrize("damage", ["garbage", "cut", "scrambled", "folder"])
def test_a_corrupt_database_comes_with_the_fix(
    tmp_path: Path, opening: Opening, damage: str
) -> None:
    file = made(tmp_path)
    whole = file.read_bytes()
    file.unlink()
    if damage == "folder":
        file.mkdir()
    else:
        scrambled = whole[: 3 * 4096] + bytes(byte ^ 0x55 for byte in whole[3 * 4096 :])
        file.write_bytes(
            {"garbage": b"garbage", "cut": whole[:20_000], "scrambled": scrambled}[damage]
        )

    with pytest.raises(StoreBroken, match=r"does not open .*; move probe\.duckdb .* away"):
        opening(tmp_path)

    assert file.exists()


def test_the_fix_for_a_corrupt_database_works(tmp_path: Path) -> None:
    """Moved away as the message says, its replies come back from the journal."""
    file = made(tmp_path)
    file.write_bytes(b"garbage")
    file.rename(tmp_path / "moved")

    with Database(tmp_path) as database:
        assert database.recovered == 1


def test_a_journal_that_is_broken_is_named_at_opening(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / JOURNAL / "other.jsonl").write_text("5\n", encoding="utf-8")

    with pytest.raises(StoreBroken, match=r"other\.jsonl: a line that is no event"):
        Database(tmp_path)


def tables(connection: Connection) -> set[str]:
    return {row[0] for row in connection.execute("SHOW TABLES").fetchall()}


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """Its tables and its record share one transaction: all of it or nothing.

    The first migration makes `journal_positions` last; a database that has a table of that name
    makes it fail after all its other work.
    """
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute("CREATE TABLE journal_positions (strange INTEGER)")

    with pytest.raises(StoreBroken, match=r"cannot be brought up to date .*journal_positions"):
        Database(tmp_path)

    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        assert tables(connection) == {"journal_positions", "schema_migrations"}
        assert schema_version(connection) == 0


def test_migrations_are_applied_once(tmp_path: Path) -> None:
    """Each is recorded by number and name; opening again changes nothing but the views."""
    made(tmp_path)
    with Database(tmp_path) as database:
        database.call(lambda connection: migrate(connection, tmp_path))

    connection = open_read(tmp_path)
    recorded = connection.execute("SELECT version, name FROM schema_migrations").fetchall()

    assert recorded == [(step.version, step.name) for step in migrations()]
    assert [step.version for step in migrations()] == list(range(1, len(migrations()) + 1))
    assert connection.execute("SELECT count(*) FROM replies").fetchone() == (1,)


def test_an_empty_database_has_version_0() -> None:
    assert schema_version(duckdb.connect(":memory:")) == 0
