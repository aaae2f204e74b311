"""Opens a lake for reading: as it was at its last commit, whoever writes meanwhile."""

from __future__ import annotations

import duckdb

from store.address import Lake
from store.errors import NoStore, StoreBroken
from store.lake.attach import attach, is_gone, unreachable
from store.lake.schema import make_own_views, version
from store.migrate import refuse_version


def connect_to_read(lake: Lake) -> duckdb.DuckDBPyConnection:
    """A connection that can write nothing, with the views and macros this program knows.

    Raises:
        NoStore: There is no lake, or it is somebody else's.
        StoreTooNew: It was written by a later gistprobe.
        StoreBroken: The catalogue cannot be reached.
    """
    connection = attach(lake, write=False)
    try:
        found = version(connection)
        refuse_version(found, lake)
        if found == 0:
            raise NoStore(lake)
        make_own_views(connection, described=True)
    except duckdb.Error as error:
        connection.close()
        if is_gone(str(error)):
            raise unreachable(lake, error) from None
        raise StoreBroken(lake, f"the lake cannot be read ({error})", "try again") from error
    except BaseException:
        connection.close()
        raise
    return connection
