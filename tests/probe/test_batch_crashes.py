"""Batches through crashes: whatever is killed when, no line is bought twice and none is lost."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.batch import opened
from probe.budget import Ceiling
from probe.ended import Ended
from store.database import Database
from tests.probe.batched_for_tests import batch_experiment, batched, run, sound, store_in
from tests.probe.batches_for_tests import KEY, FakeBatches
from tests.probe.experiments_for_tests import CELLS, probe
from tests.probe.fake_endpoint import serving, started
from tests.probe.runs import conduct, count, query, start_warm, wait_until
from tests.probe.warm_for_tests import Running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATCH_KEY", KEY)


def events(store: Path) -> list[str]:
    found = query(store, "SELECT event FROM batch_events WHERE event <> 'status' ORDER BY rowid")
    return [str(row[0]) for row in found]


def journalled(store: Path) -> int:
    """Events of batches that a run put down before it was killed (count)."""
    segments = (store / "journal").glob("*.jsonl")
    return sum(each.read_text(encoding="utf-8").count('"batch_event"') for each in segments)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "openai without metadata"])
async def test_a_creation_whose_answer_is_lost_is_found_and_not_repeated(
    tmp_path: Path, provider: str
) -> None:
    """By our name for it, by its file, or by time, count and lines."""
    fake = FakeBatches(deaf=["created"], drop_metadata="without" in provider)
    batches_of_others(fake, provider)

    ended = await run(tmp_path, fake, provider.split(maxsplit=1)[0])

    assert (ended.how, ended.asked) == ("done", CELLS)
    sound(tmp_path, fake)
    assert events(tmp_path / "store") == ["submitting", "created", "taken"]


def batches_of_others(fake: FakeBatches, provider: str) -> None:
    """Batches that are none of ours, with as many lines, which have ended."""
    body = {"messages": [{"content": "of others"}]}
    line = {"custom_id": "x", "params" if provider == "anthropic" else "body": body}
    for number in range(3):
        made = fake.made([{**line, "custom_id": f"x{number}-{n}"} for n in range(CELLS)])
        made.looks = 9
    fake.bought.clear()


async def test_a_batch_that_is_known_is_not_taken_for_one_that_is_sought(tmp_path: Path) -> None:
    """One that expired had the same lines, as many of them, a moment before."""

    def cut_the_second(point: str) -> None:
        if point == "asked" and len(fake.batches) == 1:
            fake.deaf = ["created"]

    def outcome(_prompt: str, _times: int) -> str:
        return "ok" if len(fake.batches) > 1 else "expired"

    fake = FakeBatches(at=cut_the_second, outcome=outcome)

    ended = await run(tmp_path, fake, "anthropic")

    assert (ended.how, ended.asked, len(fake.batches)) == ("done", CELLS, 2)
    sound(tmp_path, fake)


async def test_what_a_batch_of_before_may_cost_is_kept_free(tmp_path: Path) -> None:
    """Further cells that would fit beside nothing wait until it has ended."""
    fake, store = FakeBatches(looks=10**9), store_in(tmp_path)
    async with started(fake) as url:
        await interrupted(batch_experiment(tmp_path, url), store, fake)
        worst = float(str(query(store, "SELECT usd_at_most FROM batches")[0][0]))
        grown = batch_experiment(tmp_path, url, a_work=3)
        fake.looks = fake.batches[0].looks + 3
        ceiling = Ceiling(usd=1.01 * worst)

        ended = await conduct(grown, store, make_provider=batched, ceiling=ceiling)

    assert (ended.how, ended.asked) == ("done", CELLS * 3 // 2)
    assert set(fake.bought.values()) == {1}
    order = query(
        store,
        """
        SELECT intended_at > (SELECT min(happened_at) FROM batch_events WHERE event = 'taken')
        FROM batches ORDER BY intended_at""",
    )
    assert order == [(False,), (True,)]


async def test_a_creation_that_did_not_happen_is_made_once_that_is_certain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as it may still be on its way, its cells wait."""
    monkeypatch.setattr(opened, "SETTLE_S", 0.3)
    fake = FakeBatches(deaf=["asked"])

    await run(tmp_path, fake)

    sound(tmp_path, fake)
    assert fake.calls["GET /vN/batches"] > 3
    assert events(tmp_path / "store") == [
        "submitting",
        "not created",
        "submitting",
        "created",
        "taken",
    ]


@pytest.fixture
def killed() -> Iterator[list[Running]]:
    """The processes of a test; none outlives it."""
    runs: list[Running] = []
    yield runs
    for each in runs:
        with each:
            each.kill()


@pytest.mark.parametrize(
    ("provider", "point"), [("openai", "created"), ("anthropic", "created"), ("openai", "uploaded")]
)
def test_a_run_that_is_killed_while_it_hands_over_buys_nothing_twice(
    tmp_path: Path, provider: str, point: str, killed: list[Running]
) -> None:
    """Between the creation of a batch and the storing of its name, and before it."""

    def kill(here: str) -> None:
        if here == point and not is_dead(killed[0].pid):
            os.kill(killed[0].pid, signal.SIGKILL)
            wait_until(lambda: is_dead(killed[0].pid))  # before it can be answered

    fake = FakeBatches(at=kill)
    store = store_in(tmp_path)
    with serving(fake) as url:
        path = batch_experiment(tmp_path, url, provider)
        killed.append(start_warm(path, store))
        wait_until(lambda: killed[0].poll() is not None)
        assert journalled(store) == {"uploaded": 0, "created": 1}[point]
        ended = again(path, store)

    assert killed[0].returncode == -signal.SIGKILL
    assert ended.how == "done"
    sound(tmp_path, fake)
    assert len(fake.batches) == 1
    assert [file for file in (store / "batches").rglob("*") if file.is_file()] == []


def is_dead(pid: int) -> bool:
    """Whether a process runs no more; only its starter may ask after its exit code."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] in {"Z", "X"}


def again(path: Path, store: Path) -> Ended:
    """The same run in this process."""
    return asyncio.run(conduct(path, store, make_provider=batched))


def test_an_interrupted_run_leaves_its_batch_and_the_next_one_takes_it_up(
    tmp_path: Path, killed: list[Running]
) -> None:
    """Meanwhile a live run of the same store asks none of its cells, and all are told of it."""
    fake = FakeBatches(looks=10**9)
    store = store_in(tmp_path)
    with serving(fake) as url:
        path = batch_experiment(tmp_path, url)
        killed.append(start_warm(path, store))
        wait_until(lambda: bool(fake.batches) and fake.batches[0].looks > 1)
        killed[0].send_signal(signal.SIGINT)
        _, interrupted = killed[0].communicate(60)
        status = probe("status", "--store", store)
        live = batch_experiment(tmp_path, url, mode="live")
        asked_live = probe("run", live, "--store", store)
        fake.looks = 1
        batch_experiment(tmp_path, url)
        ended = again(path, store)

    assert killed[0].returncode == 130
    said = "24 cells are in batches that go on at their provider; the same command takes them up"
    assert said in interrupted
    assert "24 cells are in 1 open batches, the first since" in status.stderr
    assert (asked_live.returncode, fake.heard) == (130, [])
    assert said in asked_live.stderr
    assert (ended.how, ended.asked) == ("done", CELLS)
    sound(tmp_path, fake)
    assert count(store, "SELECT count(*) FROM batches") == 1


async def test_what_was_taken_before_a_crash_is_not_taken_twice_and_the_journal_knows_all(
    tmp_path: Path,
) -> None:
    """Batches, lines and events come back from the journal; a half-taken batch goes on."""
    fake = FakeBatches()
    async with started(fake) as url:
        path = batch_experiment(tmp_path, url)
        store = store_in(tmp_path)
        await conduct(path, store, make_provider=batched)
        segment = next((store / "journal").glob("*.jsonl"))
        lines = segment.read_bytes().splitlines(keepends=True)
        replies = [at for at, line in enumerate(lines) if b'"kind":"reply"' in line]
        attempts = [at for at, line in enumerate(lines) if b'"kind":"attempt"' in line]
        # Half of the results, in pairs of a reply and its attempt, and nothing after them.
        half = sorted([*replies[:12], *attempts[:12]])
        kept = [*lines[: min(replies)], *(lines[at] for at in half)]
        segment.write_bytes(b"".join(kept))
        for file in store.glob("probe.duckdb*"):
            file.unlink()
        with Database(store):
            pass
        before = count(store, "SELECT count(*) FROM replies")
        known = count(store, "SELECT count(*) FROM batch_lines")

        ended = await conduct(path, store, make_provider=batched)

    assert (before, known, ended.asked) == (12, CELLS, 12)
    sound(tmp_path, fake)
    assert count(store, "SELECT count(*) FROM attempts") == CELLS
    spent = query(store, "SELECT sum(usd) FROM attempts")
    assert spent == [(pytest.approx(CELLS * 90e-6),)]


async def test_a_batch_that_its_provider_does_not_know_is_named_and_can_be_forgotten(
    tmp_path: Path,
) -> None:
    """Until then its cells are not asked again."""
    fake = FakeBatches(looks=10**9)
    store = store_in(tmp_path)
    async with started(fake) as url:
        path = batch_experiment(tmp_path, url)
        await interrupted(path, store, fake)
        fake.batches.clear()
        gone = await conduct(path, store, make_provider=batched)
    batch = str(query(store, "SELECT batch_id FROM batches")[0][0])
    unknown = probe("batch", "forget", "none", "--store", store)
    forgotten = probe("batch", "forget", batch, "--store", store)

    assert f"probe batch forget {batch}" in str(gone.down[0])
    assert (gone.waiting, fake.batches) == (CELLS, [])
    assert unknown.returncode == 2
    assert f"open ones: {batch}" in unknown.stderr
    assert "24 cells are to be asked again" in forgotten.stderr
    assert count(store, "SELECT count(*) FROM batch_events WHERE event = 'forgotten'") == 1


async def interrupted(path: Path, store: Path, fake: FakeBatches) -> None:
    """A run whose task is ended once its batch has been looked at."""
    looked = asyncio.Event()
    fake.looked = looked.set
    task = asyncio.create_task(conduct(path, store, make_provider=batched))
    await looked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
