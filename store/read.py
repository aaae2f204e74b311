"""Opens a store for reading, and runs a user's query on it.

A store that nobody writes is opened as a file. While a run is on, its process has the file for
itself, and answers instead: a query is sent there as it is and runs there, so that only its result
travels. A query that also reads files of this machine runs here, on the served tables.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import duckdb

from store.address import Place
from store.damage import fix_for
from store.errors import NoStore, QueryError, StoreBroken, StoreBusy, StoreGone
from store.gate import check, quoted, with_literals
from store.hub_address import Address
from store.live import Live, load_extensions, read_live
from store.memory import ask_for_more
from store.migrate import VERSION, refuse_newer, refuse_version, schema_version
from store.schema import scalar_macros

T = TypeVar("T")
Parameters: TypeAlias = dict[str, object] | list[object] | None

Connection: TypeAlias = duckdb.DuckDBPyConnection
DATABASE = "probe.duckdb"
JOURNAL = "journal"
ANOTHER: Final = "another process"
_SPARING: Final = "600MB"
_HEADERS_BYTES: Final = 3 * 4096
_PATIENCE_S: Final = 1.0
_REFUSED: Final = "Authorization failed"
_LOST: Final = ("Failed to send message", "Database was closed", "Invalid connection id")
_NO_MEMORY: Final = ("Out of Memory Error", "failed to allocate", "could not allocate")
_MEMORY_WAITS_S: Final = (1.0, 2.0)
_SOON_S: Final = 0.05
_ONE_SCAN: Final = "Multiple streaming scans"
_TABLES: Final = """
    SELECT table_name FROM information_schema.tables
    WHERE table_schema = 'main' AND table_catalog = current_database()"""
_SENT: Final = "\n\nLINE 1: FROM quack_query("
_HOLDER = re.compile(r"\(PID (\d+)\)")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a query returned.

    Attributes:
        columns: Column names, in order.
        rows: One tuple a row, values as Python objects.
    """

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]

    def records(self) -> list[dict[str, object]]:
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def connect(path: Path, *, read_only: bool) -> Connection:
    """Open a store's database file.

    Raises:
        StoreBusy: Another process owns it.
        StoreBroken: It does not open.
    """
    file = path / DATABASE
    try:
        return duckdb.connect(str(file), read_only=read_only)
    except duckdb.Error as error:
        refusal = _refusal(path, error)
    if read_only or isinstance(refusal, StoreBusy) or not _half_made(file):
        raise refusal
    file.unlink()
    try:
        return duckdb.connect(str(file))
    except duckdb.Error as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: duckdb.Error) -> StoreBusy | StoreBroken:
    if "Conflicting lock" in str(error) or "lock on file" in str(error):
        holder = _HOLDER.search(str(error))
        return StoreBusy(path, f"process {holder[1]}" if holder else ANOTHER)
    return StoreBroken(path, f"the database does not open ({error})", fix_for(str(error)))


def _half_made(file: Path) -> bool:
    """Whether a kill left less than the headers, which DuckDB writes before anything else."""
    if not file.is_file() or file.stat().st_size >= _HEADERS_BYTES:
        return False
    start = file.read_bytes()
    return not start or start[8:12] == b"DUCK"


class Reader:
    """A store opened for reading: its file, or the run that owns it."""

    def __init__(self, path: Place, connection: Connection, live: Live | None = None) -> None:
        """Take over a connection.

        Args:
            path: The store's folder.
            connection: To the file, read-only; or in memory, knowing the server's token.
            live: Where the server is, if there is one.
        """
        self._path, self._connection, self._live = path, connection, live
        self._left = False

    def execute(self, query: str, parameters: Parameters = None) -> Connection:
        """Run one query; its rows are fetched from what is returned.

        Raises:
            QueryError: It is not one query that returns rows, or DuckDB refuses it.
            StoreGone: The run that serves the store has ended.
        """
        check(query)
        with self._refusals():
            return self._execute(query, parameters)

    def answer(self, query: str, parameters: Parameters = None) -> Answered:
        """Run one query and fetch its rows; raises as `execute` does."""
        check(query)

        def act() -> Answered:
            return _fetched(self._execute(query, parameters))

        return self._do(act)

    def write_parquet(self, query: str, path: Path) -> None:
        """Write a query's result as a Parquet file; raises as `execute` does."""
        check(query)

        def act() -> None:
            self._write_parquet(query, path)

        self._do(act)

    def _do(self, act: Callable[[], T]) -> T:
        """Do something; where a served query lacks memory, ask the owner for more and try again."""
        with self._refusals():
            if self._live is None:
                return interruptible(act, self._end)
            for wait_s in _MEMORY_WAITS_S:
                try:
                    return interruptible(act, self._leave)
                except duckdb.Error as error:
                    if not any(sign in str(error) for sign in _NO_MEMORY):
                        raise
                    try:
                        ask_for_more(Path(str(self._path)))
                    except OSError:
                        raise error from None
                    time.sleep(wait_s)
            return interruptible(act, self._leave)

    def spare(self) -> None:
        """Keep to little memory, at the cost of time and of room for temporary files."""
        self._connection.execute(f"SET memory_limit = '{_SPARING}'")
        self._connection.execute(f"SET temp_directory = {quoted(tempfile.gettempdir())}")

    def close(self) -> None:
        """Close the file, or leave the server; not where a query that nobody waits for goes on."""
        if not self._left:
            self._connection.close()

    def _end(self, query: Future[T]) -> None:
        """End a file's query; one that has only begun may not hear it the first time."""
        while not wait([query], _SOON_S).done:
            self._connection.interrupt()

    def _leave(self, query: Future[T]) -> None:
        """Wait no longer for a server's query, which goes on; closing would wait for it."""
        self._left = not query.done()

    def _execute(self, query: str, parameters: Parameters) -> Connection:
        if self._live is not None:
            if not isinstance(parameters, list):
                sent = with_literals(query, parameters) if parameters else query
                try:
                    return self._connection.execute(self._live.sent(sent))
                except duckdb.Error as error:
                    if _REFUSED not in str(error):
                        raise
            self._attach(self._live, query)
        return self._connection.execute(query, parameters)

    def _write_parquet(self, query: str, path: Path) -> None:
        if self._live is not None:
            # COPY, not a relation: binding sends the query, and a relation is bound three times.
            copy = f"COPY ({self._live.sent(query)}) TO {quoted(str(path))} (FORMAT parquet)"
            try:
                self._connection.execute(copy)
            except duckdb.Error as error:
                if _REFUSED not in str(error):
                    raise
                self._attach(self._live, query)
            else:
                return
        self._connection.sql(query).write_parquet(str(path))

    def _attach(self, live: Live, query: str) -> None:
        """Make the served tables that a query may mean, and the macros, this connection's own.

        Each table comes through an attachment of its own: one attachment can scan one at a time.
        """
        plain = ", DISABLE_SSL true" if live.plain else ""
        for (name,) in self._connection.execute(live.sent(_TABLES)).fetchall():
            if re.search(rf"\b{name}\b", query, re.IGNORECASE):
                self._connection.execute(
                    f"ATTACH IF NOT EXISTS {quoted(live.address)} AS run_{name} (READ_ONLY{plain});"
                    f"CREATE OR REPLACE TEMP VIEW {name} AS FROM run_{name}.{name}"
                )
        for macro in scalar_macros():
            self._connection.execute(macro)

    @contextlib.contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            said = str(error)
            if self._live is not None and any(sign in said for sign in _LOST):
                raise StoreGone(self._path) from None
            if _ONE_SCAN in said:
                said = "while a run is on, a query that reads files can name each table only once"
            raise QueryError(said.split(_SENT, 1)[0]) from None


Source: TypeAlias = Connection | Reader
"""What can be asked: the owner's connection, or a store opened for reading."""


def _fetched(cursor: Connection) -> Answered:
    rows = cursor.fetchall()
    return Answered(tuple(column[0] for column in cursor.description or ()), rows)


def interruptible(act: Callable[[], T], stop: Callable[[Future[T]], None]) -> T:
    """Run something on another thread: DuckDB hears no Ctrl-C in a long step, nor while it waits.

    Args:
        act: What to run.
        stop: Called at Ctrl-C with what runs; then `KeyboardInterrupt` goes on to the caller.
    """
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(act())
        except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
            future.set_exception(error)

    threading.Thread(target=work, name="store-reader", daemon=True).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        stop(future)
        raise


def open_read(path: Place, *, sparing: bool = False) -> Reader:
    """Open a store read-only; through the run that owns it, while one is on.

    Args:
        path: The store's folder, a lake, or a hub that serves one.
        sparing: Whether queries on the file keep to 600 MB of memory and write the rest to disk.

    Raises:
        NoStore: There is none at the path.
        StoreBusy: A run is on, and does not serve.
        StoreTooNew: It was written by a later gistprobe.
        StoreBroken: It does not open.
    """
    if isinstance(path, Address):
        from store.hub_reading import connect_to_hub  # noqa: PLC0415 - most stores are files

        return Reader(path, *connect_to_hub(path))
    if not isinstance(path, Path):
        from store.lake.reading import connect_to_read  # noqa: PLC0415 - most stores are files

        return Reader(path, connect_to_read(path))
    until = time.monotonic() + _PATIENCE_S
    while True:
        if not (path / DATABASE).exists():
            raise NoStore(path)
        try:
            reader = _open_file(path)
            if sparing:
                reader.spare()
            return reader
        except StoreBusy as busy:
            if served := _open_served(path, busy):
                return served
            if time.monotonic() > until:  # a run that starts or ends serves a moment later
                raise
        time.sleep(0.05)


def _open_file(path: Path) -> Reader:
    connection = connect(path, read_only=True)
    try:
        refuse_newer(connection, path)
        if schema_version(connection) == 0:  # a kill between making the file and the tables
            raise NoStore(path)
        _settle(connection)
    except BaseException:
        connection.close()
        raise
    return Reader(path, connection)


def _open_served(path: Path, busy: StoreBusy) -> Reader | None:
    """Reach the process that owns a store; None where it does not serve."""
    live = read_live(path)
    # A file that a killed run left names an address that may be someone else's by now.
    if live is None or busy.holder not in {f"process {live.pid}", ANOTHER}:
        return None
    connection = duckdb.connect(":memory:")
    try:
        load_extensions(connection)
        _settle(connection)
        # The token goes to this machine only, whatever proxy the environment names.
        connection.execute("SET httpfs_client_implementation = 'httplib'; SET http_proxy = ''")
        secret = f"TOKEN {quoted(live.token)}, SCOPE {quoted(live.address)}"
        connection.execute(f"CREATE SECRET (TYPE quack, {secret})")
        answered = connection.execute(live.sent(VERSION)).fetchone()
    except (duckdb.Error, ModuleNotFoundError):
        connection.close()
        return None
    refuse_version(int(answered[0]) if answered else 0, path)
    return Reader(path, connection, live)


def _settle(connection: Connection) -> None:
    connection.execute("SET TimeZone = 'UTC'")
    # A name that is no table must not be looked up among this program's variables.
    connection.execute("SET python_enable_replacements = false")


def ask(source: Source, query: str, parameters: Parameters = None) -> Answered:
    """Run a query.

    Raises:
        QueryError: DuckDB refuses it; the message is DuckDB's.
        StoreGone: The run that serves the store has ended.
    """
    if isinstance(source, Reader):
        return source.answer(query, parameters)
    try:
        return _fetched(source.execute(query, parameters))
    except duckdb.Error as error:
        raise QueryError(str(error)) from None
