"""A damaged database: moved aside, and made anew from the journal; never without need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Final

import pytest

from store.damage import MOVE_AWAY, is_damage
from store.database import Database
from store.errors import StoreBroken
from store.insert import insert
from store.journal import Journal
from store.read import DATABASE, JOURNAL, open_read
from store.rows import COLUMNS, Event
from tests.store.rows_for_tests import (
    attempt_row,
    cell_row,
    experiment_row,
    failure_row,
    later,
    model_row,
    prompt_row,
    reply_row,
    run_end_row,
    run_row,
)

ROOT = Path(__file__).parents[2]
TABLES = ("attempts", "experiments", "failures", "models", "replies", "run_ends", "runs")
NAMING = ("key", "run_id", "model", "text")
HEADERS: Final = 3 * 4096
RUNS: Final = 3


def events_of(run: int, count: int) -> list[Event]:
    """All that one run journals."""
    name = f"run-{run}"
    rows: list[Event] = [run_row("plan-1", later(run), run_id=name)]
    if run == 0:
        rows = [experiment_row(), model_row("m"), model_row("other"), *rows]
    for number in range(count):
        key = f"{name} {number}"
        rows.append(attempt_row(key, run_id=name))
        # Not compressible: the database has to have many blocks.
        text = f"{Random(key).getrandbits(800):x}"
        rows.append(reply_row(key, text=text) if number % 5 else failure_row(key))
    return [*rows, run_end_row(name)]


def journalled(path: Path, run: int, count: int) -> list[Event]:
    rows = events_of(run, count)
    journal = Journal(path / JOURNAL, f"run-{run}")
    for start in range(0, len(rows), 7):
        journal.append(*rows[start : start + 7])
    journal.close()
    return rows


def make(path: Path) -> None:
    """A store of several runs, and a plan; the last run's events stand in the database's log."""
    (path / JOURNAL).mkdir(parents=True)
    for run in range(RUNS):
        journalled(path, run, 500)
        with Database(path) as database:
            database.call(lambda c: insert(c, [prompt_row(), cell_row(prompt_row())]))
    leave_log = (
        "import os, sys; from pathlib import Path; from store.database import Database\n"
        "Database(Path(sys.argv[1])); os._exit(0)"
    )
    journalled(path, RUNS, 50)
    subprocess.run([sys.executable, "-c", leave_log, str(path)], check=True, cwd=ROOT)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "store"
    make(path)
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    """A copy of the store, to be damaged."""
    shutil.copytree(sound, tmp_path / "store")
    return tmp_path / "store"


def expected(more: Iterable[Event] = ()) -> dict[str, Counter[str]]:
    """Every row that was journalled, by table."""
    rows = [row for run in range(RUNS) for row in events_of(run, 500)]
    return by_table([*rows, *events_of(RUNS, 50), *more])


def by_table(rows: Iterable[Event]) -> dict[str, Counter[str]]:
    """How often each row is there, by what tells it from others."""
    found = {table: Counter[str]() for table in TABLES}
    for row in rows:
        names = [name for name in NAMING if name in COLUMNS[type(row)]]
        found[row.TABLE][str([getattr(row, name) for name in names])] += 1
    return found


def held(path: Path) -> dict[str, Counter[str]]:
    """Every row of those tables, read from the file."""
    found = {}
    reader = open_read(path)
    for table in TABLES:
        answered = reader.answer(f"FROM {table}")
        names = [name for name in NAMING if name in answered.columns]
        found[table] = Counter(
            str([record[name] for name in names]) for record in answered.records()
        )
    reader.close()
    return found


def garbage(path: Path) -> None:
    (path / DATABASE).write_bytes(b"garbage")


def cut(path: Path) -> None:
    os.truncate(path / DATABASE, 20_000)


def scrambled(path: Path) -> None:
    data = (path / DATABASE).read_bytes()
    (path / DATABASE).write_bytes(data[:HEADERS] + bytes(b ^ 0x55 for b in data[HEADERS:]))


def headless(path: Path) -> None:
    data = (path / DATABASE).read_bytes()
    (path / DATABASE).write_bytes(bytes(HEADERS) + data[HEADERS:])


def garbled_log(path: Path) -> None:
    data = bytearray((path / f"{DATABASE}.wal").read_bytes())
    data[500:600] = bytes(100)
    (path / f"{DATABASE}.wal").write_bytes(data)


DAMAGES: list[Callable[[Path], None]] = [garbage, cut, scrambled, headless, garbled_log]
damaged = pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))


@damaged
def test_a_damaged_database_is_moved_aside_and_made_anew(
    path: Path, damage: Callable[[Path], None]
) -> None:
    """From all segments, each event once; the damaged files stay as they were."""
    damage(path)
    files = {end: (path / f"{DATABASE}{end}").read_bytes() for end in ("", ".wal")}

    with Database(path) as database:
        aside, recovered = database.set_aside, database.recovered
    with Database(path) as again:
        pass

    assert aside is not None
    assert aside.name.startswith(f"{DATABASE}.damaged-2")
    assert {end: Path(f"{aside}{end}").read_bytes() for end in ("", ".wal")} == files
    assert held(path) == expected()
    assert recovered == expected()["replies"].total()
    assert (again.set_aside, again.recovered) == (None, 0)
    assert sorted(each.name for each in path.iterdir()) == sorted(
        [JOURNAL, DATABASE, aside.name, f"{aside.name}.wal"]
    )


@damaged
def test_a_reader_of_a_damaged_database_is_told_who_mends_it(
    path: Path, damage: Callable[[Path], None]
) -> None:
    """And changes nothing."""
    damage(path)
    before = {each: each.read_bytes() for each in path.rglob("*") if each.is_file()}

    with pytest.raises(
        StoreBroken, match=r"(?s)does not open .*; `probe run` keeps it aside and makes a new one"
    ):
        open_read(path)

    assert {each: each.read_bytes() for each in path.rglob("*") if each.is_file()} == before


@pytest.mark.parametrize("seed", range(12))
def test_damage_anywhere_costs_no_reply(path: Path, seed: int) -> None:
    """Found when the file opens, when it is brought up to date, or later; then moved by hand.

    Where a byte does not matter nothing is moved.
    """
    rng = Random(seed)
    file = path / f"{DATABASE}{rng.choice(['', '.wal'])}"
    data = bytearray(file.read_bytes())
    at = rng.randrange(len(data))
    data[at : at + 64] = rng.randbytes(len(data[at : at + 64]))
    file.write_bytes(data)

    try:
        found = replies(path)
    except StoreBroken as error:
        fix = error.fix
        file.rename(path / "moved")
        (path / DATABASE).unlink(missing_ok=True)
        found = replies(path)
    else:
        fix = ""

    assert fix in {"", MOVE_AWAY}
    assert found == expected()["replies"]


def replies(path: Path) -> Counter[str]:
    with Database(path) as database:
        found = database.call(
            lambda c: c.execute("SELECT key, run_id, text FROM replies").fetchall()
        )
    return Counter(str(list(row)) for row in found)


def test_damage_that_is_found_while_catching_up_is_mended_too(path: Path) -> None:
    """The file opens; what it holds of the replies is read only to see which ones are new."""
    Database(path).close()
    new = journalled(path, 9, 5)
    data = (path / DATABASE).read_bytes()
    late = 0
    for block in range(HEADERS, len(data), 262_144):
        copy = path.parent / f"copy-{block}"
        shutil.copytree(path, copy)
        broken = bytearray(data)
        broken[block + 5_000] ^= 0xFF
        (copy / DATABASE).write_bytes(broken)
        opens = _opens(copy)

        with Database(copy) as database:
            anew = database.set_aside is not None

        if opens and anew:
            late += 1
            assert held(copy) == expected(new)
            assert database.recovered == expected(new)["replies"].total()
            break
    assert late == 1


def _opens(path: Path) -> bool:
    try:
        open_read(path).close()
    except StoreBroken:
        return False
    return True


REBUILDS = """
import sys
from pathlib import Path
from store.database import Database
with Database(Path(sys.argv[1])) as database:
    print("rebuilt", flush=True)
"""


def test_a_kill_in_the_middle_of_a_rebuild_costs_nothing(tmp_path: Path) -> None:
    """However far it was; the next opening goes on, and each event is there once."""
    path = tmp_path / "store"
    (path / JOURNAL).mkdir(parents=True)
    count = 30_000
    rows = journalled(path, 0, count)
    (path / DATABASE).write_bytes(b"garbage")

    kills = 0
    for size in (1, 3_000_000, 8_000_000):
        with subprocess.Popen(
            [sys.executable, "-c", REBUILDS, str(path)], cwd=ROOT, stdout=subprocess.PIPE
        ) as process:
            until = time.monotonic() + 30
            while _log_size(path) < size and process.poll() is None and time.monotonic() < until:
                time.sleep(0.001)
            process.kill()
            assert process.stdout is not None
            kills += not process.stdout.read()
    with Database(path) as database:
        at_last = database.recovered

    replies = sum(row.TABLE == "replies" for row in rows)
    assert kills == 3
    assert 0 < at_last < replies
    assert held(path) == by_table(rows)
    assert len(list(path.glob(f"{DATABASE}.damaged*"))) == 1


def _log_size(path: Path) -> int:
    """Bytes that the new database holds so far, at least."""
    sizes = [0]
    for end in ("", ".wal"):
        file = path / f"{DATABASE}{end}"
        if file.exists() and file.read_bytes()[:7] != b"garbage":
            sizes.append(file.stat().st_size)
    return sum(sizes)


@pytest.mark.parametrize(
    "said",
    [
        'IO Error: Cannot open file "/a/probe.duckdb": Permission denied',
        'IO Error: Cannot open file "/Corrupt INTERNAL Error/probe.duckdb": No such file',
        'IO Error: Failure while replaying WAL file "/a/b": Could not read from file "/a/b": '
        "Is a directory",
        'IO Error: Failure while replaying WAL file "/a/b": Could not write file "/a/c": '
        "No space left on device",
        "Failure while replaying WAL file: Out of Memory Error: failed to allocate data of 9 GiB",
        "FATAL Error: Failed to create checkpoint: INTERNAL Error: Input/output error",
        'Binder Error: Referenced column "Corrupt" not found',
    ],
)
def test_trouble_around_a_file_is_not_damage(said: str) -> None:
    """Neither are words that stand in a path or a name."""
    assert not is_damage(said)
