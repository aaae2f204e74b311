"""A run's cells, shared with workers: who may join, what each may do, how each leaves."""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel

from probe.hub.wire import PROTOCOL, Hello, Report, version
from probe.worker.errors import HubRefuses, NotKnown
from tests.probe.experiments_for_tests import write_experiment
from tests.probe.fake_endpoint import FakeEndpoint, serving
from tests.probe.hub_for_tests import Place
from tests.probe.runs import query, wait_until
from tests.probe.simulated import recorded, simulated

CELLS = 240
PRICED = "price = { input_usd_per_m = 1000.0, output_usd_per_m = 1000.0 }"


@contextmanager
def place(
    folder: Path, extra: str = "", *, latency: float = 0.1, lease_s: float = 30.0
) -> Iterator[tuple[Place, Path]]:
    """An experiment over a simulated endpoint that writes down what it is asked."""
    record = folder / "record"
    with simulated("--record", record, "--replies", "echo", "--latency", latency) as url:
        experiment = write_experiment(folder, url, extra=extra, a_work=CELLS // 12)
        with Place(store=folder / "store", experiment=experiment, lease_s=lease_s) as made:
            yield made, record


def asked(record: Path) -> int:
    """Requests that the endpoint has heard."""
    return sum(event["event"] == "asked" for event in recorded(record)) if record.exists() else 0


def replies(store: Path) -> object:
    """Replies, and of how many cells."""
    return query(store, "SELECT count(*), count(DISTINCT key) FROM replies")[0]


def test_a_run_that_asks_itself_shares_its_cells_and_its_limit(tmp_path: Path) -> None:
    """Together they never have more requests open than the file allows."""
    with place(tmp_path, "max_in_flight = 6", latency=0.2) as (here, record):
        hub = here.hub(command="run")
        worker = here.worker("afar")
        for each in (worker, hub):
            each.communicate(60)
        said, told = hub.communicate()[1], worker.communicate()[1]

    assert (hub.returncode, worker.returncode) == (0, 0), said + told
    assert replies(here.store) == (CELLS, CELLS)
    assert asked(record) == CELLS
    runs = query(here.store, "SELECT count(DISTINCT run_id) FROM replies")
    assert runs == [(2,)], "both have asked"
    assert most_open(record) <= 6
    assert "worker afar has left" in said
    assert f"asked {CELLS}, already held 0" in said


def most_open(record: Path) -> int:
    """The most requests that were open at once, as the endpoint saw it."""
    now = most = 0
    for event in recorded(record):
        now += 1 if event["event"] == "asked" else -1
        most = max(most, now)
    return most


@pytest.mark.parametrize("flags", [("--max-requests", 60), ("--max-usd", 5)])
def test_ceilings_are_the_runs(tmp_path: Path, flags: tuple[object, ...]) -> None:
    """Two workers share them out to the last request, and never pass them."""
    extra = f"max_in_flight = 8\nparams = {{ max_tokens = 5 }}\n{PRICED}"
    with place(tmp_path, extra, latency=0.02) as (here, record):
        hub = here.hub(*flags)
        workers = [here.worker(name) for name in "ab"]
        for each in (*workers, hub):
            each.communicate(60)
        said = hub.communicate()[1]

    assert [each.returncode for each in (hub, *workers)] == [3, 0, 0], said
    spent = query(here.store, "SELECT count(*), sum(usd) FROM attempts")[0]
    if flags[0] == "--max-requests":
        assert asked(record) == spent[0] == 60
    else:
        assert isinstance(spent[1], float)
        assert 4 <= spent[1] <= 5, "the worst case of one request is below a dollar"
    assert "ceiling reached" in said


def test_a_worker_that_is_stopped_gives_its_cells_back(tmp_path: Path) -> None:
    """At once: nobody waits for its lease. What was in flight is finished and kept."""
    with place(tmp_path, "max_in_flight = 8", lease_s=300) as (here, record):
        hub, first = here.hub(), here.worker("first")
        wait_until(lambda: asked(record) > 20)
        first.send_signal(signal.SIGINT)
        first.communicate(30)
        second = here.worker("second")
        for each in (second, hub):
            each.communicate(60)

    assert (first.returncode, second.returncode, hub.returncode) == (130, 0, 0)
    assert replies(here.store) == (CELLS, CELLS)
    assert asked(record) == CELLS


def test_a_hub_that_is_stopped_sends_its_workers_home(tmp_path: Path) -> None:
    """The same commands go on, and ask nothing twice."""
    with place(tmp_path, "max_in_flight = 8") as (here, record):
        hub, worker = here.hub(), here.worker("one")
        wait_until(lambda: asked(record) > 20)
        hub.send_signal(signal.SIGINT)
        for each in (hub, worker):
            each.communicate(30)
        some = asked(record)
        again, back = here.hub(), here.worker("one")
        for each in (back, again):
            each.communicate(60)

    assert (hub.returncode, worker.returncode) == (130, 0)
    assert (again.returncode, back.returncode) == (0, 0)
    assert 20 < some < CELLS
    assert replies(here.store) == (CELLS, CELLS)
    assert asked(record) == CELLS


def test_a_slow_worker_that_comes_back_late_changes_nothing_twice(tmp_path: Path) -> None:
    """It stands still for longer than its lease; others have asked what it held."""
    with place(tmp_path, "max_in_flight = 8", lease_s=1.5) as (here, record):
        hub, slow = here.hub(), here.worker("slow")
        wait_until(lambda: asked(record) > 20)
        slow.send_signal(signal.SIGSTOP)
        other = here.worker("other")
        wait_until(lambda: asked(record) > 60)
        slow.send_signal(signal.SIGCONT)
        for each in (slow, other, hub):
            each.communicate(60)
        said, told = hub.communicate()[1], slow.communicate()[1]

    assert [each.returncode for each in (hub, slow, other)] == [0, 0, 0], said + told
    assert "worker slow has not been heard of for 2 s; its" in said
    assert "worker slow is back" in said
    assert "gave this worker up for a while; going on" in told
    assert replies(here.store) == (CELLS, CELLS)
    # What it had open when it stood still, and what it had not handed over of a quarter second.
    assert asked(record) - CELLS <= 4 * 8


def test_a_wrong_token_is_one_line(tmp_path: Path) -> None:
    with place(tmp_path) as (here, _):
        here.hub()
        worker = here.worker("one", token="x" * 8)
        out, said = worker.communicate(30)

    assert (worker.returncode, out) == (2, "")
    assert said == (
        f"probe: hub {here.address}: the hub does not take this token for this (work);"
        " `probe token work` there prints the right one\n"
    )


def test_a_hub_that_never_answers_is_one_line(tmp_path: Path) -> None:
    """After the patience that was asked for."""
    here = Place(store=tmp_path / "store", experiment=tmp_path / "x.toml")
    with here:
        worker = here.worker("one", "--patience", 0.5)
        _, said = worker.communicate(30)

    assert worker.returncode == 1
    assert said.splitlines()[-1].startswith(f"probe: hub {here.address} does not answer (")


async def test_another_version_is_refused_by_name(tmp_path: Path) -> None:
    with place(tmp_path) as (here, _):
        here.hub()
        async with here.link() as link:
            for other in ({"version": "9.9"}, {"protocol": PROTOCOL + 1}):
                hello = Hello(protocol=PROTOCOL, version=version(), worker=WORKER, name="x")
                with pytest.raises(HubRefuses) as caught:
                    await link.hello(hello.model_copy(update=other))
                assert f"the hub runs gistprobe {version()} (protocol {PROTOCOL})" in str(
                    caught.value
                )
                assert "install the same on both" in str(caught.value)


async def test_a_worker_that_is_not_known_is_told_so(tmp_path: Path) -> None:
    """And a message that is none, and a model that is none."""
    with place(tmp_path) as (here, _):
        here.hub()
        async with here.link() as link:
            with pytest.raises(NotKnown, match="say hello again"):
                await link.report(Report(worker=WORKER, hub="another"))
            hello = Hello(
                protocol=PROTOCOL, version=version(), worker=WORKER, name="x", models=["none"]
            )
            with pytest.raises(HubRefuses, match="no model none to be asked here; fake are"):
                await link.hello(hello)
            with pytest.raises(HubRefuses, match="no Hello: version: Field required"):
                await link.hello(_Part(protocol=PROTOCOL))  # type: ignore[arg-type]


class _Part(BaseModel):
    """What lacks most of a hello."""

    protocol: int


WORKER = "20261130T120000-0123abcd"


async def test_rows_of_anothers_run_are_refused(tmp_path: Path) -> None:
    """Nothing of such a piece is written."""
    row = {"run_id": "other", "model": "m", "opened_at": "2026-11-30T00:00:00Z"}
    line = json.dumps({"kind": "served", "row": row | {"facts": "{}", "unavailable": "{}"}})
    with place(tmp_path) as (here, _):
        here.hub()
        async with here.link() as link:
            with pytest.raises(HubRefuses, match="a ServedRow that is not its worker's"):
                await link.piece(f"{WORKER}.jsonl", 0, line.encode() + b"\n")
            with pytest.raises(HubRefuses, match="a line that is no event"):
                await link.piece(f"{WORKER}.jsonl", 0, b"{}\n")

    assert (here.store / "journal" / f"{WORKER}.jsonl").read_bytes() == b""


def test_a_full_disk_on_a_worker_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    """What it had been answered is held until there is room; the hub shows why it stands still."""
    with serving(FakeEndpoint()) as url:
        experiment = write_experiment(tmp_path, url, a_work=20)
        with Place(store=tmp_path / "store", experiment=experiment) as here:
            hub, worker = here.hub(), here.worker("one")
            limit = (20_000, resource.RLIM_INFINITY)
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, limit)
            wait_until(lambda: "the disk is full" in state(here.store))
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            for each in (worker, hub):
                each.communicate(60)

    assert (worker.returncode, hub.returncode) == (0, 0)
    assert replies(here.store) == (240, 240)


def state(store: Path) -> str:
    """What other terminals are told of the run."""
    file = store / "running.json"
    return file.read_text() if file.exists() else ""
