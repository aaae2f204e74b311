"""The twenty questions of `docs/sql.md` on a store of a million replies, each in seconds.

    python bench/sql.py [STORE]

The store is drawn (tests/store/sql_store_for_tests.py), which takes some minutes and two gigabytes;
one that is named is kept, and used again. Every question runs three times on two threads; the best
counts. Beside them stand two floors of the same run: a scan of all replies, and a join of them with
their cells. On a machine that others use, the processor's time over two threads says more than the
clock.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
from rig import report

from store.memory import SETTINGS
from store.migrate import migrate
from store.read import DATABASE, Reader, ask, open_read
from store.reference import questions
from tests.store.sql_corpus_for_tests import fill
from tests.store.sql_store_for_tests import Design

DESIGN = Design(items=8_352, samples=5, words=300, every=1_000)
CHARACTERS, DIM = 200, 384
THREADS = 2
MOST_S = 2.0
TIMES = 3
FLOOR = "SELECT count(*), sum(length(text)) FROM replies"
"""What no question can beat."""
JOINED = "SELECT count(r.key) FROM cells AS c LEFT JOIN replies AS r USING (key)"
"""What most questions begin with: every cell with its reply."""


def make(folder: Path) -> None:
    """Draw the store."""
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(folder / DATABASE)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for setting in (*SETTINGS, "SET memory_limit = '2GB'"):
            connection.execute(setting)
        migrate(connection, folder)
        fill(connection, DESIGN, characters=CHARACTERS, dim=DIM)


def timed(reader: Reader, query: str) -> dict[str, float]:
    """The best of several times (seconds): on the clock, and of the processor by all threads."""
    walls, cpus, rows = [], [], 0
    for _ in range(TIMES):
        wall, cpu = time.perf_counter(), time.process_time()
        rows = len(ask(reader, query).rows)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return {
        "wall (s)": min(walls),
        "CPU (s)": min(cpus),
        "CPU over threads (s)": min(cpus) / THREADS,
        "rows": rows,
    }


def measured(reader: Reader) -> dict[str, Any]:
    """Every question's times."""
    floor, joined = timed(reader, FLOOR), timed(reader, JOINED)
    asked: dict[str, dict[str, float]] = {}
    for question in questions():
        found = timed(reader, question.sql)
        found["over every cell with its reply"] = found["CPU (s)"] / joined["CPU (s)"]
        asked[question.title] = found
    return {
        "replies": ask(reader, "SELECT count(*) FROM replies").rows[0][0],
        "floor: a scan of the replies": floor,
        "floor: every cell with its reply": joined,
        "load of the machine (processes that want to run)": os.getloadavg()[0],
        "slowest, wall (s)": max(each["wall (s)"] for each in asked.values()),
        "slowest, CPU over threads (s)": max(
            each["CPU over threads (s)"] for each in asked.values()
        ),
        "over 2 s by the clock": [
            title for title, each in asked.items() if each["wall (s)"] > MOST_S
        ],
        "over 2 s by the processor": [
            title for title, each in asked.items() if each["CPU over threads (s)"] > MOST_S
        ],
        "questions": asked,
    }


def main() -> None:
    """Make the store if need be, ask, and report."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(name) / "store"
        if not (folder / DATABASE).exists():
            make(folder)
        with duckdb.connect(str(folder / DATABASE)) as connection:
            migrate(connection, folder)
        reader = open_read(folder)
        found = measured(reader)
        reader.close()
    report("sql", found)


if __name__ == "__main__":
    main()
