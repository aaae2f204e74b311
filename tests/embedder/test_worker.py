"""The worker: all gets a vector, nothing twice, whatever is killed and whoever else works."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from embedder.errors import NothingToEmbed
from embedder.places import Here
from embedder.worker import State, Wanted, embed
from store.database import Database
from store.read import Reader, ask, open_read
from tests.embedder.encoder_for_tests import BATCH, HashEncoder, store_quotes, vector_of
from tests.store.served_for_tests import owning

ROOT = Path(__file__).parents[2]
QUOTES = Wanted(kinds=("quote",))
TEXTS = [f"What {n} said " + "so " * (n % 40) for n in range(3_000)]


def vectors(source: Reader) -> dict[str, list[float]]:
    """Text -> vector, as SQL has it."""
    rows = ask(
        source, "SELECT f.text, v.vector FROM features AS f JOIN vectors AS v USING (target_id)"
    )
    return {str(text): [float(x) for x in vector] for text, vector in rows.rows}  # type: ignore[attr-defined]


def expected(texts: list[str]) -> dict[str, list[float]]:
    return {text: vector_of(text).tolist() for text in texts}


def noted(log: Path) -> Counter[str]:
    """How often each target went through the encoder."""
    return Counter(log.read_text().split())


def worker(store: Path, log: Path, sleep_s: float) -> subprocess.Popen[bytes]:
    """A worker in a process of its own."""
    command = [sys.executable, "-m", "tests.embedder.encoder_for_tests"]
    return subprocess.Popen([*command, str(store), str(log), str(sleep_s)], cwd=ROOT)


def test_everything_gets_its_vector_once(tmp_path: Path) -> None:
    """Equal texts share one; a second worker finds nothing to do."""
    store_quotes(tmp_path / "s", TEXTS + TEXTS[:50])
    log = tmp_path / "log"
    states: list[State] = []
    first = embed(Here(tmp_path / "s"), HashEncoder(log), QUOTES, states.append)
    second = embed(Here(tmp_path / "s"), HashEncoder(log), QUOTES, states.append)

    assert vectors(open_read(tmp_path / "s")) == expected(TEXTS)
    assert set(noted(log).values()) == {1}
    assert (first.features, first.waiting) == (3_050, False)
    assert (first.state.targets, first.state.embedded, first.state.held) == (3_000, 3_000, 0)
    assert (second.state.embedded, second.state.held) == (0, 3_000)
    assert first.state.tokens == sum(map(len, TEXTS))
    assert first.state.cut == sum(len(text) > 100 for text in TEXTS) > 0
    assert states[0].left_s is None
    cut = "SELECT count(*) FROM vectors WHERE left_out > 0"
    assert ask(open_read(tmp_path / "s"), cut).rows == [(first.state.cut,)]


def test_five_kills_cost_at_most_a_batch_each(tmp_path: Path) -> None:
    """`kill -9` at any moment; the last worker ends the work."""
    store, log = tmp_path / "s", tmp_path / "log"
    store_quotes(store, TEXTS)
    kills = 5
    for kill in range(1, kills + 1):
        process = worker(store, log, 0.005)
        until = time.monotonic() + 60
        while not log.exists() or len(log.read_text()) < 33 * len(TEXTS) * kill / 8:
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.002)
        process.kill()
        process.wait()
    assert worker(store, log, 0.0).wait(timeout=60) == 0

    again = sum(count - 1 for count in noted(log).values())
    assert vectors(open_read(store)) == expected(TEXTS)
    assert again <= kills * BATCH


def test_workers_at_one_store_share_the_work(tmp_path: Path) -> None:
    """No text twice; one that is killed leaves its claim to the others."""
    store, log = tmp_path / "s", tmp_path / "log"
    store_quotes(store, TEXTS)
    workers = [worker(store, log, 0.01) for _ in range(3)]
    until = time.monotonic() + 60
    while not log.exists() or len(noted(log)) < 400:
        assert time.monotonic() < until
        time.sleep(0.01)
    workers[0].kill()

    assert [process.wait(timeout=90) for process in workers] == [-9, 0, 0]
    assert sum(count - 1 for count in noted(log).values()) <= BATCH
    Database(store).close()
    assert vectors(open_read(store)) == expected(TEXTS)


def test_a_worker_goes_on_while_a_run_owns_the_store(tmp_path: Path) -> None:
    """It reads over live SQL; its vectors wait in the journal until the owner takes them in."""
    store, log = tmp_path / "s", tmp_path / "log"
    store_quotes(store, TEXTS[:100])
    with owning(store) as owner:
        tally = embed(Here(store), HashEncoder(log), QUOTES, lambda _: None)
        again = embed(Here(store), HashEncoder(log), QUOTES, lambda _: None)
        owner.end()
    Database(store).close()

    assert tally.waiting
    assert (again.state.embedded, again.state.held) == (0, 100)
    assert vectors(open_read(store)) == expected(TEXTS[:100])


def test_what_cannot_be_encoded_is_counted_with_its_reason(tmp_path: Path) -> None:
    """And tried again the next time, since another form of the encoder may know better."""
    store_quotes(tmp_path / "s", ["I", "No.", "O"])
    for _ in range(2):
        tally = embed(Here(tmp_path / "s"), HashEncoder(tmp_path / "log"), QUOTES, lambda _: None)

        assert [each.reason for each in tally.skipped] == ["too short"] * 2
        assert tally.state.skipped == 2
        assert tally.state.left_s in {None, 0.0}


def test_only_what_is_wanted_is_embedded(tmp_path: Path) -> None:
    store_quotes(tmp_path / "s", ["One.", "Two."])
    store_quotes(tmp_path / "s", ["Three."], corpus="novels")
    wanted = Wanted(kinds=("quote",), corpus="novels")
    tally = embed(Here(tmp_path / "s"), HashEncoder(tmp_path / "log"), wanted, lambda _: None)

    assert tally.features == 1
    assert vectors(open_read(tmp_path / "s")) == expected(["Three."])


@pytest.mark.parametrize(
    "wanted", [Wanted(kinds=("event",)), Wanted(kinds=("quote",), corpus="other")]
)
def test_nothing_to_embed_is_said(tmp_path: Path, wanted: Wanted) -> None:
    store_quotes(tmp_path / "s", ["One."])
    with pytest.raises(NothingToEmbed, match="no features of the kinds"):
        embed(Here(tmp_path / "s"), HashEncoder(tmp_path / "log"), wanted, lambda _: None)
