"""The single writer: one thread owns the connection, everything reaches it in order.

`put` hands over an event and returns at once; the thread commits what has gathered as Arrow
batches, each in one transaction with the journal position it reaches. `call` runs a function on the
thread, after all that was put before it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import pyarrow as pa

from store.errors import StoreBroken
from store.journal import Position, read_events
from store.migrate import migrate
from store.read import JOURNAL, MOVE_AWAY, Connection, connect
from store.rows import COLUMNS, Event, ReplyRow, Row

T = TypeVar("T")
AfterReplies = Callable[[Connection, Sequence[str]], None]

_TYPES: Final[dict[object, pa.DataType]] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", tz="UTC"),
}
_GATHER_S: Final = 0.2
_GATHER_ROWS: Final = 2_000
_RUN_AGAIN: Final = "free some space or mend it, then run again: the journal holds every reply"


def _arrow_schema(kind: type[Row]) -> pa.Schema:
    return pa.schema([(name, _TYPES[plain]) for name, (plain, _) in COLUMNS[kind].items()])


def _column(values: list[Any], kind: pa.DataType) -> pa.Array[Any]:
    try:
        return pa.array(values, type=kind)
    except UnicodeEncodeError:
        return pa.array([_storable(value) for value in values], type=kind)


def _storable(text: str | None) -> str | None:
    """A text with halves of surrogate pairs, which DuckDB cannot hold, as U+FFFD.

    The journal keeps them, and so does the escape in a reply's raw body.
    """
    return text and text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def insert(connection: Connection, rows: Iterable[Row], *, new_by: str | None = None) -> None:
    """Insert rows of any tables, one Arrow batch a table.

    Args:
        connection: The owner's.
        rows: Kept in their order within a table.
        new_by: A column: rows whose value the table holds already are left out.
    """
    by_table: dict[type[Row], list[Row]] = {}
    for row in rows:
        by_table.setdefault(type(row), []).append(row)
    for kind, batch in by_table.items():
        schema = _arrow_schema(kind)
        columns = [
            _column([getattr(row, column.name) for row in batch], column.type) for column in schema
        ]
        connection.register("batch", pa.table(columns, schema=schema))
        only = f" WHERE {new_by} NOT IN (SELECT {new_by} FROM {kind.TABLE})" if new_by else ""
        # Table and column names are our own constants.
        connection.execute(f"INSERT INTO {kind.TABLE} BY NAME SELECT * FROM batch{only}")
        connection.unregister("batch")


@dataclass(frozen=True, slots=True)
class _Put:
    event: Event
    position: Position


@dataclass(frozen=True, slots=True)
class _Call:
    act: Callable[[Connection], object]
    future: Future[Any]

    def run(self, connection: Connection) -> None:
        try:
            result = self.act(connection)
        except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
            with contextlib.suppress(duckdb.TransactionException):  # it may have begun none
                connection.rollback()
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class Database:
    """The owner of a store's database. Use as a context manager."""

    def __init__(self, path: Path, *, after_replies: AfterReplies | None = None) -> None:
        """Open or create a store; load what the journal holds beyond it.

        Args:
            path: The store's folder.
            after_replies: Called on the writer's thread with the keys of each committed batch.

        Raises:
            StoreBusy: Another process owns it.
            StoreTooNew: It was written by a later gistprobe.
            StoreBroken: The folder, the database or the journal cannot be used.
        """
        self.path = path
        self.recovered = 0
        """Replies that only the journal held when the store was opened."""
        self._after_replies = after_replies
        self._queue: list[_Put | _Call] = []
        self._taken: list[_Put | _Call] = []
        self._urgent = False
        self._changed = threading.Condition()
        self._closing = False
        self._error: BaseException | None = None
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        try:
            (path / JOURNAL).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreBroken(path, f"cannot be made ({reason})", "name another --store") from None
        self._thread.start()
        self._ready.result()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def backlog(self) -> int:
        """Events handed over and not yet committed (count)."""
        return len(self._queue) + len(self._taken)

    def put(self, event: Event, position: Position) -> None:
        """Hand over an event that the journal holds up to `position`."""
        self._enqueue(_Put(event, position))

    def call(self, act: Callable[[Connection], T]) -> T:
        """Run a function on the writer's thread and wait for it; its errors are raised here."""
        future: Future[T] = Future()
        self._enqueue(_Call(act, future))
        return future.result()

    def close(self) -> None:
        """Commit what is left and close. Raises the writer's error, if it had one."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _enqueue(self, entry: _Put | _Call) -> None:
        with self._changed:
            if self._error is not None:
                raise self._error
            if self._closing:
                raise RuntimeError("the database is closed; nothing more is written")
            self._queue.append(entry)
            self._urgent |= isinstance(entry, _Call)
            # The writer sleeps while more gathers; waking it for every event would cost most.
            if self._urgent or len(self._queue) in {1, _GATHER_ROWS}:
                self._changed.notify()

    def _run(self) -> None:
        connection: Connection | None = None
        try:
            connection = connect(self.path, read_only=False)
            self._open(connection)
        except BaseException as error:  # noqa: BLE001 - handed to the opener, who raises it
            if connection is not None:
                connection.close()
            self._ready.set_exception(error)
            return
        self._ready.set_result(None)
        try:
            self._write_all(connection)
        except BaseException as error:  # noqa: BLE001 - whoever puts, calls or closes raises it
            self._fail(error)
        finally:
            connection.close()

    def _open(self, connection: Connection) -> None:
        try:
            connection.execute("SET TimeZone = 'UTC'")
            migrate(connection, self.path)
            self._recover(connection)
        except duckdb.Error as error:
            found = f"the database cannot be brought up to date ({error})"
            raise StoreBroken(self.path, found, MOVE_AWAY) from error

    def _recover(self, connection: Connection) -> None:
        """Load what the journal holds beyond the database."""
        held = dict(
            connection.execute(
                "SELECT segment, max(position) FROM journal_positions GROUP BY segment"
            ).fetchall()
        )
        keys = {row[0] for row in connection.execute("SELECT key FROM replies").fetchall()}
        puts: list[_Put] = []
        for entry in read_events(self.path / JOURNAL, held):
            if isinstance(entry.event, ReplyRow):
                if entry.event.key in keys:
                    continue
                keys.add(entry.event.key)
                self.recovered += 1
            puts.append(_Put(entry.event, entry.position))
            if len(puts) >= _GATHER_ROWS:
                self._commit(connection, puts)
                puts = []
        self._commit(connection, puts)

    def _write_all(self, connection: Connection) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._closing:
                    self._changed.wait()
                if not self._queue:
                    return
                self._gather()
                self._taken, self._queue, self._urgent = self._queue, [], False
            puts: list[_Put] = []
            for entry in self._taken:
                if isinstance(entry, _Put):
                    puts.append(entry)
                else:
                    self._commit(connection, puts)
                    puts = []
                    entry.run(connection)
            self._commit(connection, puts)
            self._taken = []

    def _gather(self) -> None:
        """Wait a moment for more, so that many events share a commit."""
        until = time.monotonic() + _GATHER_S
        while (
            not self._closing
            and not self._urgent
            and len(self._queue) < _GATHER_ROWS
            and (left := until - time.monotonic()) > 0
        ):
            self._changed.wait(left)

    def _commit(self, connection: Connection, puts: Sequence[_Put]) -> None:
        if not puts:
            return
        reached = {put.position.segment: put.position.end for put in puts}
        try:
            connection.execute("BEGIN")
            insert(connection, [put.event for put in puts])
            for segment, end in reached.items():
                connection.execute("INSERT INTO journal_positions VALUES (?, ?)", [segment, end])
            connection.execute("COMMIT")
        except duckdb.Error as error:
            found = f"the database cannot be written ({error})"
            raise StoreBroken(self.path, found, _RUN_AGAIN) from error
        keys = [put.event.key for put in puts if isinstance(put.event, ReplyRow)]
        if keys and self._after_replies is not None:
            self._after_replies(connection, keys)

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._error = error
            waiting, self._taken, self._queue = self._taken + self._queue, [], []
        for entry in waiting:
            if isinstance(entry, _Call) and not entry.future.done():
                entry.future.set_exception(error)
