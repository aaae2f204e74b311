"""A store that may not be written or read: that is said, and it is left as it is.

The superuser may do everything, so a process of another user tries.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from store.database import Database
from store.journal import Journal
from store.read import DATABASE, JOURNAL
from tests.store.rows_for_tests import reply_row

if sys.platform == "win32":
    pytest.skip("needs POSIX permissions", allow_module_level=True)

TRIES = """
import os, sys
from pathlib import Path
from store.database import Database
from store.errors import StoreError
from store.journal import Journal
from store.read import JOURNAL, open_read
from store.schema import migrations, views

path, what = Path(sys.argv[1]), sys.argv[2]
migrations(), views()  # while the program's own files can be read
if os.getuid() == 0:
    os.setuid(65534)
try:
    if what == "owner":
        with Database(path) as database:
            print("open", database.set_aside)
    elif what == "journal":
        Journal(path / JOURNAL, "run-2").close()
    else:
        print("open", open_read(path).execute("SELECT count(*) FROM replies").fetchone()[0])
except StoreError as error:
    print(error)
"""


def tried(path: Path, what: str) -> str:
    """What someone is told who may do no more than the permissions say."""
    done = subprocess.run(
        [sys.executable, "-c", TRIES, str(path), what],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def path() -> Iterator[Path]:
    """A store that everyone may read and write; not below a folder of one user's."""
    with TemporaryDirectory() as name:
        path = Path(name) / "store"
        with Database(path) as database:
            journal = Journal(path / JOURNAL, "run")
            row = reply_row()
            database.put(journal.append(row), row)
            journal.close()
        for each in (Path(name), path, *path.rglob("*")):
            each.chmod(0o777)
        yield path
        for each in (path, path / JOURNAL):
            each.chmod(0o700)


def state(path: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()
    }


@pytest.mark.parametrize(
    ("closed", "mode", "what", "said"),
    [
        (DATABASE, 0o444, "owner", r"does not open .*Permission denied.*; mend that and try again"),
        (DATABASE, 0o000, "reader", r"does not open .*Permission denied.*; mend that"),
        (JOURNAL, 0o555, "journal", r"cannot write here (Permission denied); free some space or"),
        (f"{JOURNAL}/run.jsonl", 0o000, "owner", "run.jsonl: cannot be read (Permission denied)"),
    ],
)
def test_what_may_not_be_used_is_named_and_left_as_it_is(
    path: Path, closed: str, mode: int, what: str, said: str
) -> None:
    """Nothing is set aside, and once the permission is mended everything is there."""
    if closed.endswith("jsonl"):  # else the database holds all of it, and it is not read
        (path / DATABASE).unlink()
    before = state(path)
    (path / closed).chmod(mode)

    found = tried(path, what)

    (path / closed).chmod(0o777)
    parts = said.split(".*")
    assert all(part in found for part in parts), found
    assert str(path) in found
    assert "Traceback" not in found
    assert {name: data for name, data in state(path).items() if name in before} == before
    assert not list(path.glob(f"{DATABASE}.damaged*"))
    with Database(path) as database:
        assert database.set_aside is None


def test_a_store_in_a_folder_that_may_not_be_written_can_be_read(path: Path) -> None:
    """One's own archive, or a colleague's."""
    path.chmod(0o555)

    assert tried(path, "reader") == "open 1"


def test_where_no_folder_may_be_made_an_owner_is_told(path: Path) -> None:
    path.chmod(0o555)

    found = tried(path / "new", "owner")

    assert found == f"store {path}/new: cannot be made (Permission denied); name another --store"
    assert not (path / "new").exists()


def test_a_damaged_database_that_may_not_be_moved_is_left(path: Path) -> None:
    """What is wrong and what to do are both said; with the permission it is rebuilt."""
    (path / DATABASE).write_bytes(b"garbage")
    path.chmod(0o555)

    found = tried(path, "owner")

    path.chmod(0o777)
    assert "is damaged and cannot be moved aside (Permission denied); mend the folder's" in found
    assert (path / DATABASE).read_bytes() == b"garbage"
    if os.getuid() == 0:  # the other user's try left no file that this one may not write
        assert tried(path, "owner").startswith("open /")
