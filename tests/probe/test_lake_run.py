"""Runs on one lake share an experiment: every cell one reply, none bought twice, nothing lost."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from store.address import Lake, Place, parse_place
from store.lake.claims import Claims
from store.read import ask, open_read
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, serving
from tests.probe.runs import wait_until
from tests.probe.warm_for_tests import Running, warm
from tests.store.postgres_for_tests import Postgres

IN_FLIGHT = 8
LIMIT = f"max_in_flight = {IN_FLIGHT}"


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def address(postgres: Postgres, tmp_path: Path) -> str:
    return postgres.address(tmp_path / "files")


def start(experiment: Path, address: str) -> Running:
    return Running(("run", experiment, "--store", address))


def rows(address: str, query: str) -> list[tuple[object, ...]]:
    reader = open_read(parse_place(address))
    try:
        return ask(reader, query).rows
    finally:
        reader.close()


def one_reply_a_cell(address: str, cells: int) -> None:
    counts = rows(
        address,
        "SELECT (SELECT count(*) FROM cells), (SELECT count(DISTINCT ordinal) FROM cells),"
        " count(*), count(DISTINCT key), (SELECT count(*) FROM scores),"
        " (SELECT count(*) FROM experiments) FROM replies",
    )
    assert counts == [(cells, cells, cells, cells, cells, 1)]


def test_two_runs_at_once_share_the_cells_and_none_is_bought_twice(
    address: str, tmp_path: Path
) -> None:
    """Both make the lake, record the plan, ask and score, and both see the whole in the end."""
    endpoint = FakeEndpoint(latency_s=0.1)
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=LIMIT, a_work=25)
        with start(experiment, address) as one, start(experiment, address) as other:
            runs = one, other
            ended = [run.communicate(100) for run in runs]

    assert [run.returncode for run in runs] == [0, 0], ended
    assert set(endpoint.asked.values()) == {1}
    assert len(endpoint.heard) == 300
    one_reply_a_cell(address, 300)
    shares = rows(address, "SELECT run_id, count(*) FROM replies GROUP BY 1")
    assert len(shares) == 2
    assert all("300 replies to 300 cells" in out for out, _ in ended)


def test_a_run_killed_is_taken_up_where_it_was(address: str, tmp_path: Path) -> None:
    """At once on the same machine: only what was in flight is asked again."""
    endpoint = FakeEndpoint(latency_s=0.05)
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=LIMIT, a_work=10)
        with start(experiment, address) as killed:
            wait_until(lambda: len(endpoint.heard) > 40)
            killed.kill()
        with start(experiment, address) as again:
            out, err = again.communicate(100)

    assert again.returncode == 0, err
    assert "recovered from the journal" in err or "already held" in err
    assert max(endpoint.asked.values()) <= 2
    assert len(endpoint.heard) <= 120 + IN_FLIGHT
    assert "120 replies to 120 cells" in out
    one_reply_a_cell(address, 120)


def test_a_run_waits_for_a_catalogue_that_is_gone_and_loses_nothing(
    address: str, tmp_path: Path, postgres: Postgres
) -> None:
    endpoint = FakeEndpoint(latency_s=0.1)
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=LIMIT, a_work=15)
        with start(experiment, address) as run:
            wait_until(lambda: len(endpoint.heard) > 20)
            postgres.stop()
            try:
                time.sleep(3)
            finally:
                postgres.start()
            out, err = run.communicate(100)

    assert run.returncode == 0, err
    assert err.count("the catalogue cannot be reached") == 1
    assert err.count("waiting for it") == 1
    assert "the store can be written again; the run goes on" in err
    assert set(endpoint.asked.values()) == {1}
    assert "180 replies to 180 cells" in out
    one_reply_a_cell(address, 180)
    assert rows(address, "SELECT count(*), count(DISTINCT key) FROM attempts") == [(180, 180)]


def test_what_a_dead_machine_had_claimed_is_asked_by_others_once_its_lease_is_over(
    address: str, tmp_path: Path
) -> None:
    """A run waits for that, and ends the plan by itself."""
    endpoint = FakeEndpoint(latency_s=0.02)
    with serving(endpoint) as url:
        experiment = write_experiment(tmp_path, url, extra=LIMIT, a_work=3)
        stopped = warm(("run", experiment, "--store", address, "--max-requests", 5))
        place: Place = parse_place(address)
        assert isinstance(place, Lake)
        plan = str(rows(address, "SELECT experiment_id FROM experiments")[0][0])
        dead = Claims(place, lease_s=6)
        dead._ended.set()  # it is heard of no more
        claimed = dead.take(plan, "fake", range(5))
        done = warm(("run", experiment, "--store", address))
        dead.renew()

    assert (stopped.returncode, done.returncode) == (3, 0), done.stderr
    assert claimed == [0, 1, 2, 3, 4]
    assert dead.lost
    assert set(endpoint.asked.values()) == {1}
    one_reply_a_cell(address, 36)
    dead.close()


def test_what_is_wrong_with_an_address_is_told_in_a_line_without_a_password(
    address: str, tmp_path: Path, postgres: Postgres
) -> None:
    """No command asks for a password, shows one, or leaves a traceback."""
    hba = postgres.folder / "data" / "pg_hba.conf"
    before = hba.read_text(encoding="utf-8")
    query = ("sql", "SELECT 1", "--store")
    told = [
        warm((*query, f"{address} password=s3cret")).stderr,
        warm((*query, address)).stderr,
        warm((*query, address.replace("dbname=postgres", "dbname=none"))).stderr,
        warm((*query, address.replace(str(postgres.folder), str(tmp_path)))).stderr,
    ]
    hba.write_text("local all all scram-sha-256\n", encoding="utf-8")
    postgres.stop()
    postgres.start()
    try:
        secret = {"PGPASSWORD": "s3cret"}
        told.append(warm((*query, address), environment=secret).stderr)
        told.append(warm((*query, address), environment={"PGPASSFILE": "/none"}).stderr)
    finally:
        hba.write_text(before, encoding="utf-8")
        postgres.stop()
        postgres.start()

    assert all(line.startswith("probe: ") and line.count("\n") == 1 for line in told), told
    assert not any("s3cret" in line for line in told)
    assert "it holds a password; take it out and give it in PGPASSWORD" in told[0]
    assert "no store at ducklake:postgres:" in told[1]
    assert 'database "none" does not exist' in told[2]
    assert "the catalogue cannot be reached (No such file" in told[3]
    assert "give the password in PGPASSWORD or ~/.pgpass" in told[4]
    assert "give the password in PGPASSWORD or ~/.pgpass" in told[5]


def test_a_lake_without_its_extra_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb_extension_ducklake", None)
    (tmp_path / "lake.sqlite").touch()

    with pytest.raises(Exception, match=r"not installed; pip install 'gistprobe\[lake\]'"):
        open_read(parse_place(f"ducklake:sqlite:{tmp_path / 'lake.sqlite'}"))
