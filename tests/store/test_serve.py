"""Live SQL: other processes read a store while its owner writes it."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

import duckdb
import pytest

from store.database import Database
from store.errors import StoreBusy, StoreGone
from store.insert import insert
from store.live import LIVE, Live, read_live, write_live
from store.read import Reader, ask, open_read
from tests.probe.experiments_for_tests import probe
from tests.store.owner_for_tests import CELLS
from tests.store.rows_for_tests import reply_row
from tests.store.served_for_tests import COUNT, ENDLESS, Owner, asking, count, counted, owning


def test_another_process_sees_every_commit(tmp_path: Path) -> None:
    """And the file is removed with the end of the run, after which the database is opened."""
    with owning(tmp_path) as owner:
        before = count(tmp_path)
        owner.do("put")
        after = count(tmp_path)
        code = owner.end()

    assert owner.said == "serving"
    assert (before, after) == (CELLS, CELLS + 10)
    assert code == 0
    assert not (tmp_path / LIVE).exists()
    assert count(tmp_path) == CELLS + 10


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT item_id, reply, gold, score FROM results ORDER BY 1 LIMIT 1",
         [("i0", "Emma", "Emma", 1.0)]),
        ("SELECT experiment, n, accuracy, cells FROM accuracy", [("small", CELLS, 1.0, CELLS)]),
        ("SELECT round(wilson_low(5, 10), 4)", [(0.2366,)]),
        ("SELECT typeof(received_at), received_at::VARCHAR FROM replies LIMIT 1",
         [("TIMESTAMP WITH TIME ZONE", "2026-01-02 03:04:05.678901+00")]),
        ("WITH k AS (SELECT key FROM replies) SELECT count(DISTINCT key) FROM k;", [(CELLS,)]),
        ("SELECT column_name FROM (DESCRIBE failures) LIMIT 2", [("key",), ("run_id",)]),
        ("SELECT 'it''s; DELETE FROM replies -- no', '\"function_name\":\"quack_stop\"'",
         [("it's; DELETE FROM replies -- no", '"function_name":"quack_stop"')]),
    ],
)  # fmt: skip
def test_a_query_returns_the_same_with_an_owner_and_without(
    store: Reader, query: str, rows: list[tuple[object, ...]]
) -> None:
    assert ask(store, query).rows == rows


def test_parameters_reach_the_server_as_they_are(store: Reader) -> None:
    """Texts that look like SQL, names in texts and comments, and every type."""
    query = """-- a comment with $text
        SELECT $text AS é, '$text', "x$n", $n + 1, $yes, $none, $many -- $text
        FROM (SELECT 1 AS "x$n")"""
    text = 'it\'s "$n"; DELETE FROM replies -- é'

    found = ask(
        store, query, {"text": text, "n": 2, "yes": True, "none": None, "many": ["'", "b"]}
    )  # fmt: skip

    by_place = ask(store, "SELECT count(*) FROM replies WHERE text = ?", ["Emma"]).rows

    assert by_place == [(CELLS,)]
    assert found.columns[0] == "é"
    assert found.rows == [(text, "$text", 1, 3, True, None, ["'", "b"])]


def test_the_command_answers_while_the_store_is_owned(owner: Owner, tmp_path: Path) -> None:
    """Every command that reads; also behind a proxy, which must not see the token."""
    file = tmp_path / "out.parquet"
    at = ("--store", owner.path)
    proxy = "http://127.0.0.1:1"
    done = {
        "sql": probe("sql", COUNT, *at, "--format", "csv", http_proxy=proxy, HTTP_PROXY=proxy),
        "parquet": probe("sql", "FROM results", *at, "--format", "parquet", "--output", file),
        "status": probe("status", *at),
        "table": probe("table", "small", *at),
    }

    assert {(each.returncode, each.stderr) for each in done.values()} == {(0, "")}
    assert done["sql"].stdout.split() == ["count_star()", str(CELLS)]
    assert duckdb.sql(f"SELECT count(*) FROM '{file}'").fetchall() == [(CELLS,)]
    assert "small" in done["status"].stdout
    assert "100.0" in done["table"].stdout


def test_only_what_is_committed_is_seen_and_counts_never_go_down(tmp_path: Path) -> None:
    """In the middle of the owner's transaction, and at every moment of many."""
    with owning(tmp_path) as owner:
        owner.do("hold")
        during = count(tmp_path)
        owner.do("release")
        after = count(tmp_path)
        reader = open_read(tmp_path)
        counts: list[int] = []

        def poll() -> None:
            counts.extend(counted(reader) for _ in range(150))

        polling = threading.Thread(target=poll)
        polling.start()
        while polling.is_alive():
            owner.do("put")
        polling.join()

    assert (during, after) == (CELLS, CELLS + 10)
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]
    assert {each % 10 for each in counts} == {0}


def test_a_long_query_holds_up_nobody(tmp_path: Path) -> None:
    """Neither commits nor others' queries; nor, once its client is dead or alive, the end."""
    with owning(tmp_path) as owner:
        usual = max(owner.do("put") for _ in range(5))
        with asking(tmp_path, ENDLESS) as dying:
            slowest = max(owner.do("put") for _ in range(20))
            others = count(tmp_path)
            dying.kill()
        after_kill = max(owner.do("put") for _ in range(5))
        with asking(tmp_path, ENDLESS) as waiting:
            began = time.monotonic()
            code = owner.end()
            closing_s = time.monotonic() - began
            assert waiting.stderr is not None
            said = waiting.stderr.readline()
            waiting.kill()

    assert usual < 2
    assert slowest < 2
    assert after_kill < 2
    assert others == CELLS + 250
    assert code == 0
    assert closing_s < 10
    assert said == "the run ended before it had answered; asking again\n"
    assert count(tmp_path) == CELLS + 300


def test_an_interrupt_ends_a_query_at_once(tmp_path: Path) -> None:
    """DuckDB hears none while it waits for the server."""
    with owning(tmp_path), asking(tmp_path, ENDLESS) as process:
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=10)

    assert (process.returncode, out, said) == (130, "", "probe: interrupted\n")


def test_a_killed_owner_leaves_a_store_that_opens(tmp_path: Path) -> None:
    """Who is asking gets one line; the next opens the file, whatever address was left there."""
    with owning(tmp_path) as owner:
        owner.do("put")
        reader = open_read(tmp_path)
        ask(reader, COUNT)
        owner.process.kill()
        owner.process.wait()

        with pytest.raises(StoreGone, match="the run ended before it had answered"):
            ask(reader, COUNT)

    assert (tmp_path / LIVE).exists()
    assert count(tmp_path) == CELLS + 10
    done = probe("sql", COUNT, "--store", tmp_path, "--format", "csv")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_address_is_not_asked(tmp_path: Path) -> None:
    """It may be another program's by now, and that must not be told the token."""
    with socket.socket() as other, owning(tmp_path, "without-wheels") as owner:
        other.bind(("127.0.0.1", 0))
        other.listen()
        other.settimeout(0.1)
        port = other.getsockname()[1]
        write_live(tmp_path, Live(address=f"quack:localhost:{port}", token="abcd", pid=1))  # noqa: S106

        with pytest.raises(StoreBusy, match=f"in use by process {owner.process.pid};"):
            open_read(tmp_path)
        with pytest.raises(TimeoutError):
            other.accept()


@pytest.mark.parametrize("found", ["", "{", "[]", '{"address": "x"}', '{"pid": "many"}'])
def test_a_spoilt_address_is_no_address(tmp_path: Path, found: str) -> None:
    (tmp_path / LIVE).write_text(found, encoding="utf-8")

    assert read_live(tmp_path) is None


def test_a_run_that_cannot_serve_goes_on_and_says_so(tmp_path: Path) -> None:
    """And then whoever asks is told which process to wait for."""
    with owning(tmp_path, "without-wheels") as owner:
        owner.do("put")
        with pytest.raises(StoreBusy, match=f"in use by process {owner.process.pid};"):
            open_read(tmp_path)
        code = owner.end()

    assert owner.said.startswith("live SQL is off (")
    assert "duckdb_extension_quack" in owner.said
    assert code == 0
    assert not (tmp_path / LIVE).exists()
    assert count(tmp_path) == CELLS + 10


def test_a_port_that_is_taken_is_no_end_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr("store.serve._free_port", lambda: other.getsockname()[1])
        with Database(tmp_path, serve=True) as database:
            database.call(lambda connection: insert(connection, [reply_row()]))

    assert database.serving_problem is not None
    assert "Failed to bind" in database.serving_problem
    assert "\n" not in database.serving_problem
    assert count(tmp_path) == 1


def test_a_folder_that_takes_no_file_is_no_end_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is left listening."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("store.serve.write_live", full)
    with Database(tmp_path, serve=True) as database:
        listening = database.call(lambda c: c.execute("FROM quack_server_list()").fetchall())

    assert "(No space left on device)" in str(database.serving_problem)
    assert listening == []


def test_a_store_can_be_owned_again_at_once(tmp_path: Path) -> None:
    """By the same process too: each time on an address of its own."""
    tokens = set()
    for _ in range(3):
        with Database(tmp_path, serve=True) as database:
            assert database.serving_problem is None
            live = read_live(tmp_path)
            assert live is not None
            assert live.pid == os.getpid()
            tokens.add(live.token)
        assert read_live(tmp_path) is None

    assert len(tokens) == 3


def test_a_reader_of_the_file_is_a_reader(closed: Path) -> None:
    """What is handed out without an owner has the same few methods."""
    reader = open_read(closed)

    assert isinstance(reader, Reader)
    assert reader.execute(COUNT).fetchone() == (CELLS,)
    reader.close()
