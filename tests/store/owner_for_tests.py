"""A process that owns a store, serves it and does as its standard input says, a word a line.

`python -m tests.store.owner_for_tests FOLDER [without-wheels]`; every line is answered by one: how
long it took, in seconds.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

from store.database import Database
from store.insert import insert
from store.read import Connection
from store.rows import Row
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    item_row,
    prompt_row,
    reply_row,
    score_row,
)

CELLS = 20


def small_experiment() -> list[Row]:
    """One condition of a few items, every reply in and scored."""
    rows: list[Row] = [experiment_row()]
    for number in range(CELLS):
        prompt = prompt_row(f"i{number}")
        cell = cell_row(prompt)
        rows += [item_row(f"i{number}"), prompt, cell, reply_row(cell.key), score_row(cell, 1)]
    return rows


def closed_store(path: Path) -> Path:
    """A store with the small experiment, that nobody has open."""
    with Database(path) as database:
        database.call(lambda owner: insert(owner, small_experiment()))
    return path


def do(connection: Connection, word: str) -> None:
    """Put some replies; `hold` leaves them uncommitted until `release`."""
    if word == "hold":
        connection.execute("BEGIN")
    if word in {"put", "hold"}:
        insert(connection, [reply_row(f"{time.monotonic_ns()} {n}") for n in range(10)])
    if word == "release":
        connection.execute("COMMIT")


def say(what: object) -> None:
    """Write a line to whoever started this process."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main(path: Path) -> None:
    """Own the store until the standard input ends."""
    with Database(path, serve=True) as database:
        database.call(lambda connection: insert(connection, small_experiment()))
        say(database.serving_problem or "serving")
        for line in sys.stdin:
            began = time.monotonic()
            database.call(partial(do, word=line.strip()))
            say(time.monotonic() - began)


if __name__ == "__main__":
    if "without-wheels" in sys.argv:
        sys.modules["duckdb_extension_quack"] = None  # type: ignore[assignment]
    main(Path(sys.argv[1]))
