"""What stages of a run cost at several sizes, for the model of `docs/scale.md`.

    python bench/scale.py [PART …]

Parts: `tables` and `far` (what the owner's queries cost on stores of 10^5, 10^6 and 10^7, and of
3 * 10^7 and 10^8 cells, with its 100 MB of memory and on one thread), `plan`, `run`, `hub`, `disk`,
and `slowed` (how busy the machine is meanwhile); all of them by default. A part that is named
replaces its own figures in the result. CPU seconds are the processes' own. Takes some forty minutes
and fifty gigabytes of disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import fan_out
import psutil
from drawn import CELLS_OF_ITEM, PLAN, RUN, drawn
from rig import RESULTS, experiment, measure, probe, report, simulated, sql

from analysis.scoring import score_pages
from probe.feed import WIDEST
from probe.hub.tokens import tokens_of
from probe.record import SETTLED, Scope, to_ask
from store.errors import QueryError
from store.insert import insert
from store.keys import as_one
from store.memory import SETTINGS
from store.read import DATABASE, JOURNAL, Reader, ask, open_read
from store.reference import questions
from store.rows import AttemptRow, ReplyRow

SIZES = (100_000, 1_000_000, 10_000_000)
FAR = (30_000_000, 100_000_000)
BEGAN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PAGE, CHUNK, FOLLOW, COMMIT = 4_096, 4_000, 20_000, 2_000
QUESTIONS = (
    "How accurate is each model, by task?",
    "What does changing the names cost, and is it more than noise?",
    "Do the samples of a cell agree with one another?",
    "How far is each model, and what is missing?",
    "How long do replies take?",
)
JOINED = "SELECT count(r.key) FROM cells AS c LEFT JOIN replies AS r USING (key)"
"""As in `bench/sql.py`, where it was measured on quiet cores."""
TIMES = 3


@contextlib.contextmanager
def owner(folder: Path, *more: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection as a run's is, on one thread, but for settings that are named."""
    with duckdb.connect(str(folder / DATABASE)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for setting in (*SETTINGS, "SET threads = 1", *more):
            connection.execute(setting)
        yield connection


def cpu_of(act: Callable[[], object], times: int = TIMES) -> dict[str, Any]:
    """The least CPU of several times (seconds), or why it did not work."""
    least = float("inf")
    for _ in range(times):
        began = time.process_time()
        try:
            act()
        except (duckdb.OutOfMemoryException, QueryError) as error:
            if "Out of Memory" not in str(error):
                raise
            return {"CPU (s)": None, "out of memory": True}
        least = min(least, time.process_time() - began)
    return {"CPU (s)": least}


def page_of(connection: duckdb.DuckDBPyConnection, after: int, pages: int = 1) -> object:
    """A page of cells to ask, or more places where most are held."""
    scope = Scope(experiment_id=PLAN, run_id=RUN)
    where = {"after": after, "upto": after + pages * PAGE, "most": PAGE + CELLS_OF_ITEM * 8}
    return to_ask(connection, scope, "model", **where)


def owners_work(folder: Path, cells: int) -> dict[str, Any]:
    """What the owner does again and again, on a store of so many cells, half of them held."""
    half = cells // 2
    with owner(folder) as connection:

        def keys(first: int, count: int) -> list[str]:
            query = "SELECT key FROM cells WHERE ordinal >= $1 AND ordinal < $2"
            found = connection.execute(query, [first, first + count]).fetchall()
            return [str(row[0]) for row in found]

        def bare() -> object:
            """What reading a page is apart from the search for what is held."""
            return connection.execute(
                "SELECT ordinal, key FROM cells WHERE ordinal > $1 AND ordinal <= $2",
                [half, half + PAGE],
            ).fetchall()

        planned = as_one(keys(half, CHUNK))
        seen = """SELECT key FROM cells WHERE experiment_id = $plan
                  AND key IN (SELECT unnest(string_split($keys, ' ')))"""
        hashes = """WITH batch AS (SELECT sha256('new' || p)[:32] AS own FROM range(800) AS t (p))
                    SELECT count(*) FROM batch WHERE own NOT IN (
                        SELECT prompt_hash FROM prompts
                        WHERE prompt_hash IN (SELECT own FROM batch))"""
        return {
            "a page of cells to ask": cpu_of(partial(page_of, connection, half)),
            "as far as is looked at once, all held": cpu_of(
                partial(page_of, connection, half // 2, WIDEST), 1
            ),
            "a page, without looking for what is held": cpu_of(bare),
            "which keys of a chunk are recorded": cpu_of(
                lambda: connection.execute(seen, {"plan": PLAN, "keys": planned}).fetchall()
            ),
            "which prompts of a chunk are recorded": cpu_of(
                lambda: connection.execute(hashes).fetchall()
            ),
            "held keys counted": cpu_of(
                lambda: connection.execute(
                    f"SELECT count(*) FROM ({SETTLED})", {"run": RUN, "retry": False}
                ).fetchall()
            ),
            "a commit": _commit(connection, keys(half, COMMIT)),
            "scoring": _scoring(connection, keys(half, FOLLOW)),
        }


def _rows(keys: list[str]) -> list[AttemptRow | ReplyRow]:
    rows: list[AttemptRow | ReplyRow] = []
    for key in keys:
        rows.append(
            AttemptRow(
                key=key, run_id=RUN, attempt=1, started_at=BEGAN, latency_s=0.3, status=200,
                error_kind=None, error=None,
            )
        )  # fmt: skip
        rows.append(
            ReplyRow(
                key=key, run_id=RUN, outcome="ok", text='{"title":"Emma"}', finish_reason="stop",
                served_model="m", fingerprint=None, prompt_tokens=420, reply_tokens=9, attempts=1,
                latency_s=0.3, received_at=BEGAN, raw=f'{{"id":"{key}"}}' + "x" * 540,
            )
        )  # fmt: skip
    return rows


def _commit(connection: duckdb.DuckDBPyConnection, keys: list[str]) -> dict[str, Any]:
    """A transaction of so many attempts and replies; undone afterwards."""
    rows = _rows(keys)
    least = float("inf")
    for _ in range(TIMES):
        began = time.process_time()
        connection.execute("BEGIN")
        insert(connection, rows)
        least = min(least, time.process_time() - began)
        connection.execute("ROLLBACK")
    return {"CPU (s)": least, "replies": len(keys)}


def _scoring(connection: duckdb.DuckDBPyConnection, keys: list[str]) -> dict[str, Any]:
    """What follows commits: so many replies found, read, marked and stored."""
    insert(connection, [row for row in _rows(keys) if isinstance(row, ReplyRow)])

    def score() -> object:
        return sum(page.replies for page in score_pages(connection, keys=keys))

    return {**cpu_of(score, 1), "replies": len(keys)}


def asked(reader: Reader) -> dict[str, Any]:
    """Some of the questions of `docs/sql.md`, as a reader asks them of a closed store."""
    texts = {each.title: each.sql for each in questions() if each.title in QUESTIONS}
    texts["floor: every cell with its reply"] = JOINED
    return {title: cpu_of(partial(ask, reader, text), 2) for title, text in texts.items()}


def tables() -> dict[str, Any]:
    """What queries cost on drawn stores, by cells."""
    found: dict[str, Any] = {}
    for cells in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "store"
            drawn(folder, cells)
            reader = open_read(folder)
            answers = asked(reader)
            reader.close()
            size = (folder / DATABASE).stat().st_size
            found[f"{cells} cells"] = {
                "cells": cells,
                "replies": cells // 2,
                "owner": owners_work(folder, cells),
                "questions": answers,
                "bytes a cell, without texts": size / cells,
            }
        sys.stderr.write(json.dumps(found[f"{cells} cells"], indent=1) + "\n")
    return found


def far() -> dict[str, Any]:
    """The owner's work on larger stores, on one thread and what a page takes on two."""
    found: dict[str, Any] = {}
    for cells in FAR:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "store"
            drawn(folder, cells)
            own = {"cells": cells, "owner": owners_work(folder, cells)}
            with owner(folder, "SET threads = 2") as connection:
                own["a page, two threads"] = cpu_of(partial(page_of, connection, cells // 2), 1)
        found[f"{cells} cells"] = own
        sys.stderr.write(json.dumps(own, indent=1) + "\n")
    return found


def plan() -> dict[str, Any]:
    """What planning costs: by prompts that are made, and by cells that share them."""
    with tempfile.TemporaryDirectory() as name, simulated() as url:
        folder, found = Path(name), {}
        for items, samples in ((20, 1), (900, 1), (900, 21)):
            file = experiment(folder, url, items=items, samples=samples)
            done = measure(probe("plan", file, "--format", "json"), log=folder / "plan")
            requests = json.loads(done.stdout)[0]["requests"]
            found[f"{items} items, {samples} samples"] = {
                "items": items,
                "samples": samples,
                "requests": requests,
                "CPU (s)": done.cpu_s,
                "peak memory (MB)": done.peak_mb * 1.048576,
            }
    return found


class Threads:
    """The CPU time of a process, its first thread's apart: that one runs the event loop."""

    def __init__(self, process: psutil.Popen) -> None:
        self._process = process
        self.first_s = self.all_s = self.peak_mb = 0.0

    def watch(self, until: Callable[[], bool]) -> None:
        """Look again and again until it has ended."""
        with contextlib.suppress(psutil.Error):
            while not until():
                for thread in self._process.threads():
                    if thread.id == self._process.pid:
                        self.first_s = thread.user_time + thread.system_time
                times = self._process.cpu_times()
                self.all_s = times.user + times.system
                self.peak_mb = max(self.peak_mb, self._process.memory_info().rss / 1e6)
                time.sleep(0.05)

    def told(self, replies: int) -> dict[str, float]:
        """By replies."""
        return {
            "replies": replies,
            "CPU per 1000 replies (s)": 1000 * self.all_s / replies,
            "event loop's CPU per 1000 replies (s)": 1000 * self.first_s / replies,
            "peak memory (MB)": self.peak_mb,
        }


def run() -> dict[str, Any]:
    """A run's CPU by thread, and its bytes; runs of two lengths tell the start from the rest."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, simulated("--latency", "0.05") as url:
        for items, samples in ((10, 1), (300, 1), (300, 12)):
            store = Path(name) / f"store{items}-{samples}"
            file = experiment(
                Path(name), url, items=items, samples=samples, model="max_in_flight = 256"
            )
            process = psutil.Popen(
                probe("run", file, "--store", store), stdout=subprocess.DEVNULL, stderr=-3
            )
            threads = Threads(process)
            threads.watch(lambda: process.poll() is not None)  # noqa: B023 - called at once
            if process.wait():
                raise SystemExit(f"the run ended with {process.returncode}")
            held = sql(store, "SELECT count(*) AS n, avg(length(raw)) AS raw FROM replies")[0]
            journal = sum(each.stat().st_size for each in (store / JOURNAL).glob("*.jsonl"))
            prompts = sql(store, "SELECT count(*) AS n, avg(length(text)) AS long FROM prompts")[0]
            found[f"{items} items, {samples} samples"] = threads.told(held["n"]) | {
                "journal, bytes a reply": journal / held["n"],
                "database, bytes": (store / DATABASE).stat().st_size,
                "body, characters a reply": held["raw"],
                "prompts": prompts["n"],
                "prompt, characters": prompts["long"],
            }
    return found


def hub() -> dict[str, Any]:
    """A hub's and two workers' CPU for the replies that workers bring."""
    with tempfile.TemporaryDirectory() as name, simulated("--latency", "0.05") as url:
        folder, store, port = Path(name), Path(name) / "store", 19_494
        file = experiment(folder, url, items=600, samples=3, model="max_in_flight = 256")
        words = probe("serve", file, "--store", store, "--listen", f"localhost:{port}")
        started = [psutil.Popen(words, stdout=subprocess.DEVNULL, stderr=-3)]
        token = tokens_of(store).by_role["work"]
        for each in ("a", "b"):
            words = probe("work", "--hub", f"quack:localhost:{port}", "--name", each)
            words += ["--state", str(folder / f"state-{each}"), "--plain"]
            environment = {**os.environ, "GISTPROBE_TOKEN": token}
            started.append(
                psutil.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=-3)
            )
        watched = [Threads(process) for process in started]
        lookers = [
            threading.Thread(target=own.watch, args=(lambda p=process: p.poll() is not None,))
            for own, process in zip(watched, started, strict=True)
        ]
        for looker in lookers:
            looker.start()
        for looker in lookers:
            looker.join()
        ended = [process.wait() for process in started]
        if any(ended):
            raise SystemExit(f"hub and workers ended with {ended}")
        replies = sql(store, "SELECT run_id, count(*) AS n FROM replies GROUP BY run_id")
        brought = [each["n"] for each in replies]
        return {
            "hub": watched[0].told(sum(brought)),
            "workers together": {
                "replies": sum(brought),
                "CPU per 1000 replies (s)": 1000 * sum(w.all_s for w in watched[1:]) / sum(brought),
            },
            "replies by worker": sorted(brought),
        }


def disk() -> dict[str, Any]:
    """What one thread writes in the journal's way: a line of 1.5 kB a system call."""
    line = b"x" * 1_499 + b"\n"
    with tempfile.NamedTemporaryFile() as file:
        handle = os.open(file.name, os.O_WRONLY | os.O_APPEND)
        cpu = time.process_time()
        for _ in range(100_000):
            os.write(handle, line)
        took = time.process_time() - cpu
        os.close(handle)
    return {"lines": 100_000, "bytes a line": len(line), "CPU per 1000 lines (s)": took / 100}


def slowed() -> dict[str, Any]:
    """How much more CPU a bare script takes now than it took on quiet cores (`fan_out.json`)."""
    fan_out.ITEMS = 300
    with tempfile.TemporaryDirectory() as name, simulated("--latency", "0.05") as url:
        folder = Path(name)
        fan_out.ours(folder, url)
        texts = sql(folder / "store0", "SELECT prompt_text AS t FROM results WHERE is_first")
        prompts = 3 * [row["t"] for row in texts]
        took = fan_out.script(folder, url, fan_out._BARE, prompts)["cpu_s_per_1000"]  # noqa: SLF001
    quiet = json.loads((RESULTS / "fan_out.json").read_text())
    return {
        "aiohttp and JSONL, CPU per 1000 (s)": took,
        "times that of fan_out.json": took / quiet["aiohttp and JSONL"]["cpu_s_per_1000"],
    }


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "slowed": slowed,
    "disk": disk,
    "plan": plan,
    "run": run,
    "hub": hub,
    "tables": tables,
    "far": far,
}


def main() -> None:
    """Measure the parts that are named, and report all."""
    file = RESULTS / "scale.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    for part in sys.argv[1:] or PARTS:
        found[part] = PARTS[part]()
        report("scale", {name: found[name] for name in PARTS if name in found})


if __name__ == "__main__":
    main()
