"""Serves a store's database to other processes, read-only, while its owner writes.

The server is DuckDB's own: it answers on threads of its own, from the last commit. Everything it is
asked passes the guard first, so a reader cannot write, whatever it sends.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from store.errors import CannotServe
from store.gate import guard, quoted
from store.live import Live, load_extensions, remove_live, write_live

_GUARD: Final = "served.main.may_run"
_TRIES: Final = 5
_ENTERS: Final = "served.main.may_enter"
_SETTINGS: Final = (
    f"SET GLOBAL quack_authentication_function = '{_ENTERS}'",
    f"SET GLOBAL quack_authorization_function = '{_GUARD}'",
    "SET GLOBAL TimeZone = 'UTC'",
    "SET GLOBAL autoload_known_extensions = false",
    # A name that is no table must not be looked up among the owner's Python variables.
    "SET GLOBAL python_enable_replacements = false",
)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server. All of it belongs to the thread that owns the connection."""

    connection: duckdb.DuckDBPyConnection
    folder: Path
    live: Live

    @classmethod
    def start(
        cls, connection: duckdb.DuckDBPyConnection, folder: Path, readers: Sequence[str] = ()
    ) -> Server:
        """Serve a connection's database on this machine, and say where in the store's folder.

        Args:
            connection: The owner's.
            folder: The store's.
            readers: sha256, in hex, of tokens that may read beside the one in the folder.

        Raises:
            CannotServe: With the reason; the database is as usable as before.
        """
        try:
            load_extensions(connection)
            # In memory, and before anyone can ask: the store's file holds nothing of it.
            connection.execute("ATTACH IF NOT EXISTS ':memory:' AS served")
            connection.execute(guard(connection, _GUARD))
            connection.execute(_enters(readers))
            for setting in _SETTINGS:
                connection.execute(setting)
        except (duckdb.Error, ModuleNotFoundError) as error:
            raise CannotServe(_first_line(error)) from None
        live = _listen(connection)
        try:
            write_live(folder, live)
        except OSError as error:
            _stop(connection, live)
            raise CannotServe(f"{folder} cannot be written ({error.strerror})") from None
        return cls(connection, folder, live)

    def stop(self) -> None:
        """Stop listening; a query that is still running is left to itself, not waited for."""
        remove_live(self.folder, self.live)
        _stop(self.connection, self.live)


def _enters(readers: Sequence[str]) -> str:
    """The SQL that makes a macro: whether who shows a token is let in. It holds no token."""
    hashes = ", ".join(map(quoted, ("", *readers)))
    return f"""
        CREATE OR REPLACE MACRO {_ENTERS}(session, shown, own) AS (
            shown::VARCHAR = own::VARCHAR OR sha256(shown::VARCHAR) IN ({hashes}))"""


def _listen(connection: duckdb.DuckDBPyConnection) -> Live:
    refusal = ""
    for _ in range(_TRIES):  # another process may take the port between the two steps
        live = Live(
            address=f"quack:localhost:{_free_port()}",
            token=secrets.token_urlsafe(32),
            pid=os.getpid(),
        )
        try:
            connection.execute("CALL quack_serve(?, token := ?)", [live.address, live.token])
        except duckdb.Error as error:
            refusal = _first_line(error).replace(live.token, "…")
        else:
            return live
    raise CannotServe(refusal)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _stop(connection: duckdb.DuckDBPyConnection, live: Live) -> None:
    with contextlib.suppress(duckdb.Error):  # after a fatal error nothing can be called any more
        connection.execute("CALL quack_stop(?)", [live.address])


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
