"""Joins a lake's small files, and lets go of those that no present row is in."""

from __future__ import annotations

import contextlib
import time

import duckdb

from store.address import Lake
from store.errors import StoreBroken
from store.lake.attach import LAKE, attach, is_beaten, without_secrets
from store.lake.reading import connect_to_read

_TRIES = 20
_STEPS = (
    f"CALL ducklake_flush_inlined_data('{LAKE}')",
    f"CALL ducklake_merge_adjacent_files('{LAKE}')",
    f"CALL ducklake_expire_snapshots('{LAKE}', older_than => now() - INTERVAL 1 HOUR)",
    f"CALL ducklake_cleanup_old_files('{LAKE}', older_than => now() - INTERVAL 1 HOUR)",
)
"""A reader may be an hour behind: what it reads stays for so long."""


def tidy(lake: Lake) -> tuple[int, int]:
    """Tidy a lake; return how many files its tables lay in before, and lie in now (counts).

    Raises:
        NoStore: There is none.
        StoreBroken: It cannot be reached, or others write without a pause.
    """
    connect_to_read(lake).close()  # refuses what is no lake of ours
    with contextlib.closing(attach(lake, write=True)) as connection:
        before = _files(connection)
        for step in _STEPS:
            _insist(connection, lake, step)
        return before, _files(connection)


def _insist(connection: duckdb.DuckDBPyConnection, lake: Lake, step: str) -> None:
    for number in range(_TRIES):
        try:
            connection.execute(step)
        except duckdb.Error as error:
            said = without_secrets(str(error))
            if not is_beaten(said) or number == _TRIES - 1:
                raise StoreBroken(lake, f"it cannot be tidied ({said})", "try again") from error
            time.sleep(0.05 * number)
        else:
            return


def _files(connection: duckdb.DuckDBPyConnection) -> int:
    query = f"SELECT coalesce(sum(file_count), 0) FROM ducklake_table_info('{LAKE}')"
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0
