"""A process that owns a store and writes replies until it is killed: `python -m … FOLDER RUN`."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from store.database import Database
from store.journal import Journal
from store.read import JOURNAL
from tests.store.rows_for_tests import attempt_row, failure_row, reply_row


def main(path: Path, run_id: str) -> None:
    """Write events as fast as they go, every one to the journal first."""
    with Database(path) as database:
        journal = Journal(path / JOURNAL, run_id)
        for number in itertools.count():
            key = f"{run_id} {number}"
            reply = reply_row(key) if number % 7 else failure_row(key)
            events = (attempt_row(key), reply)
            database.put(journal.append(*events), *events)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
