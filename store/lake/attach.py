"""Attaches a lake to a DuckDB of this process's own, and tells what its refusals mean.

A commit is of the snapshot after the one its transaction has read, or it fails: DuckLake is told to
try a commit once only, and the catalogue's primary key on snapshots lets one of two through. So
what a transaction has read still holds when it is committed, whoever else writes.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import duckdb

from store.address import Lake
from store.errors import NoStore, StoreBroken
from store.gate import quoted

LAKE: Final = "lake"
_EXTENSIONS: Final = {
    "postgres": ("ducklake", "postgres_scanner"),
    "sqlite": ("ducklake", "sqlite_scanner"),
}
_SETTINGS: Final = (
    "SET TimeZone = 'UTC'",
    "SET python_enable_replacements = false",
    "SET ducklake_max_retry_count = 0",
    "SET memory_limit = '1GB'",
    # What is freed goes back to the system soon, not after as much again.
    "SET allocator_background_threads = true",
)
_OWN_FIRST: Final = "SET search_path = 'memory.main,lake.main'"
_LAKE_FIRST: Final = "SET search_path = 'lake.main,memory.main'"
_INLINED_ROWS: Final = 100
"""Up to so many rows of a commit lie in the catalogue itself, not in a file of their own."""
_GONE: Final = (
    "Unable to connect to Postgres",
    "connection to server",
    "server closed the connection",
    "terminating connection",
    "no connection to the server",
    "could not receive data",
    "could not send data",
    "SSL connection has been closed",
    "SSL SYSCALL error",
    "the database system is",
    "Connection refused",
    "Connection reset",
    "Broken pipe",
)
_BEATEN: Final = (
    "Exceeded the maximum retry count",
    "Transaction conflict",
    "database is locked",
    "could not serialize access",
    "deadlock detected",
    "already exists",
    "duplicate key value",
)
_LATER: Final = ("catalog version", "DuckLake version")
_AGAIN: Final = "see that it runs and that the address is right, then try again: nothing is lost"
_REFUSED: Final = (
    ("password authentication failed", "give the password in PGPASSWORD or ~/.pgpass"),
    ("no password supplied", "give the password in PGPASSWORD or ~/.pgpass"),
    ("does not exist", "name a database and a role that are there, or make them"),
)


def is_gone(said: str) -> bool:
    """Whether a message says that the catalogue's server cannot be reached."""
    return any(sign in said for sign in _GONE)


def is_beaten(said: str) -> bool:
    """Whether a message says that another writer was first, so that trying again may help."""
    return any(sign in said for sign in _BEATEN)


def unreachable(lake: Lake, error: Exception) -> StoreBroken:
    """What is told where the catalogue's server refuses or is not there."""
    said = without_secrets(str(error))
    fix = next((fix for sign, fix in _REFUSED if sign in said), _AGAIN)
    return StoreBroken(lake, f"the catalogue cannot be reached ({_reason(said)})", fix)


def without_secrets(said: str) -> str:
    """A message without the password, should a library have put it there."""
    secret = os.environ.get("PGPASSWORD", "")
    return said.replace(secret, "…") if secret else said


def _reason(said: str) -> str:
    """What libpq says, on one line and without the address, which stands before it."""
    words = " ".join(said.split())
    _, found, rest = words.partition(" failed: ")
    if found and "connection to server" in words:
        return rest
    sign = next((sign for sign in _GONE if sign in words), "")
    return sign or words


def own_duckdb() -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory that downloads nothing."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET autoinstall_known_extensions = false")
    return connection


def load(connection: duckdb.DuckDBPyConnection, lake: Lake, *names: str) -> None:
    """Load extensions from their wheels.

    Raises:
        StoreBroken: The extra is not installed, or a wheel is damaged.
    """
    for name in names:
        try:
            wheel = resources.files(f"duckdb_extension_{name}")
            file = wheel / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
            connection.execute(f"LOAD {quoted(str(file))}")
        except ModuleNotFoundError as error:
            found = f"a lake needs the package {error.name}, which is not installed"
            raise StoreBroken(lake, found, "pip install 'gistprobe[lake]'") from None
        except duckdb.Error as error:
            found = f"DuckDB's extension {name} does not load ({error})"
            raise StoreBroken(
                lake, found, "pip install --force-reinstall 'gistprobe[lake]'"
            ) from None


def attach(lake: Lake, *, write: bool) -> duckdb.DuckDBPyConnection:
    """A connection of its own to a lake; one that may write makes the lake where there is none.

    Raises:
        NoStore: There is none, and it is only to be read.
        StoreBroken: The catalogue cannot be reached, or has its files elsewhere.
    """
    connection = own_duckdb()
    try:
        load(connection, lake, *_EXTENSIONS[lake.kind])
        for setting in _SETTINGS:
            connection.execute(setting)
        spill = Path(tempfile.gettempdir(), f"gistprobe-{os.getpid()}")
        connection.execute(f"SET temp_directory = {quoted(str(spill))}")
        _attach(connection, lake, write=write)
        _reach_files(connection, lake)
        connection.execute(_LAKE_FIRST)
    except BaseException:
        connection.close()
        raise
    return connection


def beside(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Another connection to the same DuckDB, for another thread."""
    other = connection.cursor()
    other.execute(_LAKE_FIRST)
    other.execute("SET TimeZone = 'UTC'")
    return other


@contextlib.contextmanager
def own_first(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """While it lasts, what is made is this process's own, not the lake's."""
    connection.execute(_OWN_FIRST)
    try:
        yield
    finally:
        connection.execute(_LAKE_FIRST)


def _attach(connection: duckdb.DuckDBPyConnection, lake: Lake, *, write: bool) -> None:
    options = _options(lake, write=write)
    if lake.kind == "sqlite":
        _make_sqlite(lake, write=write)
    address = quoted(f"ducklake:{lake.kind}:{lake.catalogue}")
    try:
        try:
            connection.execute(f"ATTACH {address} AS {LAKE} ({', '.join(options)})")
        except duckdb.Error as error:
            if "already exists" not in str(error) and not is_beaten(str(error)):
                raise
            # Another process made the lake meanwhile.
            connection.execute(f"ATTACH IF NOT EXISTS {address} AS {LAKE} ({', '.join(options)})")
    except duckdb.Error as error:
        raise _refusal(lake, error, write=write) from None


def _options(lake: Lake, *, write: bool) -> list[str]:
    options = [] if write else ["READ_ONLY"]
    if lake.schema:
        options.append(f"METADATA_SCHEMA {quoted(lake.schema)}")
    if lake.data:
        options.append(f"DATA_PATH {quoted(lake.data)}")
    elif lake.kind == "sqlite" and write and not Path(lake.catalogue).exists():
        options.append(f"DATA_PATH {quoted(lake.catalogue + '.files')}")
    else:
        options.append("CREATE_IF_NOT_EXISTS false")
    return options


def _make_sqlite(lake: Lake, *, write: bool) -> None:
    """See that there is a file in the mode in which readers and writers go on beside each other."""
    file = Path(lake.catalogue)
    if not write:
        if not file.exists():
            raise NoStore(lake)
        return
    made = file.exists()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(file, timeout=30)) as catalogue:
            catalogue.execute("PRAGMA journal_mode = WAL")
    except (OSError, sqlite3.Error) as error:
        raise StoreBroken(lake, f"the catalogue cannot be opened ({error})", _AGAIN) from None
    if not made and file.stat().st_size == 0:
        file.unlink()  # DuckLake makes it, with the files' place in it


def _refusal(lake: Lake, error: duckdb.Error, *, write: bool) -> Exception:
    said = str(error)
    if "creating a new DuckLake is explicitly disabled" in said:
        if not write:
            return NoStore(lake)
        fix = "say where its files go, by data=FOLDER (or data=s3://…) in the address"
        return StoreBroken(lake, "there is no lake yet", fix)
    if "DATA_PATH parameter" in said:
        found = f"the lake has its files elsewhere than in {lake.data}"
        return StoreBroken(lake, found, "leave data=… out: the catalogue knows where they are")
    if any(sign in said for sign in _LATER):
        return StoreBroken(
            lake, "the catalogue is of another version of DuckLake", "upgrade gistprobe"
        )
    if is_gone(said):
        return unreachable(lake, error)
    return StoreBroken(lake, f"the lake does not open ({_reason(without_secrets(said))})", _AGAIN)


def _reach_files(connection: duckdb.DuckDBPyConnection, lake: Lake) -> None:
    """Load what reads object storage, where the files are there; it takes AWS_* as given."""
    row = connection.execute(
        f"SELECT value FROM {LAKE}.options() WHERE option_name = 'data_path'"
    ).fetchone()
    if row and "://" in str(row[0]):
        load(connection, lake, "httpfs")


def inline_little(connection: duckdb.DuckDBPyConnection) -> None:
    """Have commits of few rows lie in the catalogue, for as long as the lake is there."""
    connection.execute(f"CALL {LAKE}.set_option('data_inlining_row_limit', {_INLINED_ROWS})")
