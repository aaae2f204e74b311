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
from store.read import DATABASE, JOURNAL, open_read
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
        database.put(journal.append(row), row)
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
def test_a_later_duckdbs_file_is_refused_and_left_as_it_is(
    tmp_path: Path, opening: Opening
) -> None:
    """It is sound, so it is not taken for damaged; a later gistprobe opens it."""
    file = made(tmp_path)
    data = bytearray(file.read_bytes())
    data[12] = 200  # the version of the format; the header's checksum stands at its start
    file.write_bytes(data)
    with pytest.raises(duckdb.Error, match="computed checksum") as caught:
        duckdb.connect(str(file), read_only=True)
    computed = re.search(r"computed checksum (\d+)", str(caught.value))
    assert computed is not None
    data[:8] = int(computed[1]).to_bytes(8, "little")
    file.write_bytes(data)

    with pytest.raises(StoreBroken, match=r"(?s)version number 200.*; upgrade gistprobe"):
        opening(tmp_path)

    assert file.read_bytes() == data
    assert sorted(each.name for each in tmp_path.iterdir()) == [JOURNAL, DATABASE]


@OPENERS
def test_a_folder_in_the_databases_place_is_refused(tmp_path: Path, opening: Opening) -> None:
    """Whatever it is, it is nothing of ours; moved away as the message says, all comes back."""
    file = made(tmp_path)
    file.unlink()
    file.mkdir()
    (file / "something").touch()

    with pytest.raises(StoreBroken, match=r"Is a directory\); move probe\.duckdb .* away"):
        opening(tmp_path)

    assert [each.name for each in file.iterdir()] == ["something"]
    file.rename(tmp_path / "moved")
    with Database(tmp_path) as database:
        assert database.recovered == 1


def test_a_journal_that_is_broken_is_named_at_opening(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / JOURNAL / "other.jsonl").write_text("5\n", encoding="utf-8")

    with pytest.raises(StoreBroken, match=r"other\.jsonl: a line that is no event"):
        Database(tmp_path)
