"""A lake holds one reply a key and one row of what there is one of, whoever writes it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from store.address import Lake, parse_place
from store.errors import NoStore, StoreBroken, StoreTooNew
from store.journal import Journal
from store.lake.attach import attach
from store.lake.claims import Claims
from store.lake.database import LakeDatabase
from store.opening import open_write
from store.read import JOURNAL, ask, open_read
from tests.store.postgres_for_tests import Postgres
from tests.store.rows_for_tests import attempt_row, experiment_row, model_row, reply_row


@pytest.fixture(autouse=True, scope="module")
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def lake_at(text: str) -> Lake:
    place = parse_place(text)
    assert isinstance(place, Lake)
    return place


@pytest.fixture(scope="module", params=["postgres" if shutil.which("initdb") else "sqlite"])
def writer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LakeDatabase]:
    """A lake that is open; tests that share it use keys and plans of their own.

    Its catalogue is in SQLite only where there is no PostgreSQL: both would take twice the time.
    """
    folder = tmp_path_factory.mktemp("lake")
    address = f"ducklake:sqlite:{folder / 'lake.sqlite'}"
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        address = server.address(folder / "files")
    with LakeDatabase(lake_at(address)) as database:
        yield database


def count(database: LakeDatabase, query: str) -> int:
    rows = database.call(lambda owner: ask(owner, query).rows)
    return int(str(rows[0][0]))


def test_of_two_who_write_the_same_reply_at_once_one_does(writer: LakeDatabase) -> None:
    """Commits of one fall among those of the other; what each has looked up still holds."""
    keys = [f"raced-{number}" for number in range(12)]
    start = threading.Barrier(2)

    def write(database: LakeDatabase, run: str) -> None:
        journal = Journal(database.path / JOURNAL, run)
        start.wait()
        for key in keys:
            event = replace(reply_row(key), run_id=run)
            database.put(journal.append(event), event)
            database.catch_up()  # a commit each
        journal.close()

    with LakeDatabase(writer.lake) as other:
        threads = [
            threading.Thread(target=write, args=(each, run))
            for each, run in ((writer, "run-1"), (other, "run-2"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert count(writer, "SELECT count(*) FROM replies WHERE key LIKE 'raced%'") == 12
    assert count(writer, "SELECT count(DISTINCT segment) FROM journal_positions") == 2


def test_a_commit_is_of_the_snapshot_after_the_one_it_has_read(writer: LakeDatabase) -> None:
    """Else two could look, find nothing, and both write: DuckLake itself lets inserts through."""
    one, two = attach(writer.lake, write=True), attach(writer.lake, write=True)
    for each in (one, two):
        each.execute("BEGIN")
        each.execute("SELECT count(*) FROM run_ends").fetchall()
        each.execute("INSERT INTO run_ends VALUES ('r', now(), 'done', 1, 0)")
    one.execute("COMMIT")

    with pytest.raises(Exception, match="Failed to commit"):
        two.execute("COMMIT")

    assert count(writer, "SELECT count(*) FROM run_ends") == 1
    one.close()
    two.close()


def test_what_several_runs_say_of_one_plan_is_said_once(writer: LakeDatabase) -> None:
    for run in ("said 1", "said 2"):
        journal = Journal(writer.path / JOURNAL, run)
        events = experiment_row(), model_row("m"), model_row("n")
        writer.put(journal.append(*events), *events)
        writer.catch_up()
        journal.close()

    assert count(writer, "SELECT count(*) FROM experiments") == 1
    assert count(writer, "SELECT count(*) FROM models") == 2


def test_a_stretch_is_claimed_by_one_of_many(writer: LakeDatabase) -> None:
    writers = [Claims(writer.lake, lease_s=30) for _ in range(3)]
    got: list[int] = []
    start = threading.Barrier(3)

    def claim(claims: Claims) -> None:
        start.wait()
        for first in range(0, 45, 3):
            got.extend(claims.take("plan", "m", range(first, first + 3)))

    threads = [threading.Thread(target=claim, args=(each,)) for each in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(got) == list(range(45))
    assert writers[0].take("plan", "another model", [1]) == [1]
    for each in writers:
        each.close()


def test_a_claim_comes_free_when_its_writer_is_heard_of_no_more(writer: LakeDatabase) -> None:
    """And the writer itself counts its lease as over before that, and learns what it lost."""
    one, two = Claims(writer.lake, lease_s=1.2), Claims(writer.lake, lease_s=30)
    one.take("plan", "leased", [1, 2])
    one.release("plan", "leased", [2])
    before = two.take("plan", "leased", [1, 2])
    one._ended.set()  # its renewals stop, as where its process is stopped
    one._thread.join()
    while not two.take("plan", "leased", [1]):
        assert one.lost is False
    safe = one.in_time
    one.renew()

    assert before == [2]
    assert safe is False
    assert one.lost is True
    one.close()
    two.close()


def test_what_a_killed_writer_had_in_its_journal_comes_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; and what another live process of this machine has in its journal is left to it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    lake = lake_at(f"ducklake:sqlite:{tmp_path / 'lake.sqlite'}")
    with LakeDatabase(lake) as dead:
        folder = dead.path
    journal = Journal(folder / JOURNAL, "killed")
    journal.append(reply_row("a"), attempt_row("a"))
    journal.append(reply_row("b"), attempt_row("b"))
    journal.close()
    torn = (folder / JOURNAL / "killed.jsonl").read_bytes()
    (folder / JOURNAL / "killed.jsonl").write_bytes(torn[:-5])

    with LakeDatabase(lake) as alive:
        own = Journal(alive.path / JOURNAL, "alive")
        own.append(reply_row("c"))
        with LakeDatabase(lake) as beside:
            recovered = alive.recovered, beside.recovered
            keys = count(beside, "SELECT count(*) FROM replies")
        own.close()
    with LakeDatabase(lake) as later:
        attempts = count(later, "SELECT count(*) FROM attempts")

    assert recovered == (2, 0)
    assert keys == 2
    assert (later.recovered, attempts) == (1, 1)


def test_where_its_work_was_taken_over_a_writer_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with LakeDatabase(lake_at(f"ducklake:sqlite:{tmp_path / 'lake.sqlite'}")) as database:
        database.claims.take("plan", "m", [1])
        database.claims._forget(database.claims.writer)  # as if by another, the lease being over
        database.claims.renew()

        assert database.backlog > 10**9  # nobody asks meanwhile
        with pytest.raises(StoreBroken, match="another writer took over"):
            database.catch_up()
        database.call(
            lambda owner: owner.execute("INSERT INTO schema_migrations VALUES (9999, 'x', now())")
        )

    for opened in (open_read, open_write):
        with pytest.raises(StoreTooNew, match="has schema 9999"):
            opened(database.lake)


def test_what_is_no_lake_has_no_store(postgres: Postgres, tmp_path: Path) -> None:
    bare = lake_at(postgres.address())

    with pytest.raises(NoStore):
        open_read(bare)
    with pytest.raises(StoreBroken, match=r"no lake yet; say where its files go, by data=FOLDER"):
        open_write(bare)
    with pytest.raises(NoStore):
        open_read(lake_at(f"ducklake:sqlite:{tmp_path / 'none'}"))


def test_the_files_of_a_lake_are_where_they_were_first(writer: LakeDatabase) -> None:
    with pytest.raises(StoreBroken, match=r"has its files elsewhere.*leave data=… out"):
        open_write(replace(writer.lake, data="/somewhere/else"))
