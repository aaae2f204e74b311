"""The single writer: one thread owns the connection, everything reaches it in order.

`put` hands over an event and returns at once; the thread commits what has gathered as Arrow
batches, each in one transaction with the journal position it reaches. `call` runs a function on the
thread, after all that was put before it.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Final, TypeVar

import duckdb

from store.damage import MOVE_AWAY, fix_for, is_damage
from store.entries import Call, Put
from store.errors import CannotServe, StoreBroken
from store.insert import insert
from store.journal import Position, read_events
from store.keys import as_one
from store.memory import SETTINGS, Memory
from store.migrate import migrate
from store.read import JOURNAL, Connection
from store.rebuild import open_to_write
from store.rows import Event, LikelihoodRow, ReplyRow
from store.serve import Server
from store.take_in import Arrivals, take_in

T = TypeVar("T")
AfterReplies = Callable[[Connection, Sequence[str]], None]

_ROOM_EVERY_S: Final = 1.0
_OUT_OF_MEMORY_S: Final = 120.0
_GATHER_S: Final = 0.2
_GATHER_ROWS: Final = 2_000
_FOLLOW_ROWS: Final = 20_000
_MOST_FRESH: Final = 40_000
_FOLLOW_SELDOM: Final = 24.0
_TROUBLE: Final = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.OutOfMemoryException,
)
"""Of the disk, the file or the memory, whatever was asked."""
_RUN_AGAIN: Final = "free some space or mend it, then run again: the journal holds every reply"


def held_among(connection: Connection, keys: list[str]) -> set[str]:
    """Those of some keys that have a reply."""
    found = connection.execute(
        "SELECT key FROM replies WHERE key IN (SELECT unnest(string_split(?, ' ')))", [as_one(keys)]
    ).fetchall()
    return {str(row[0]) for row in found}


class Database:
    """The owner of a store's database. Use as a context manager."""

    def __init__(
        self,
        path: Path,
        *,
        after_replies: AfterReplies | None = None,
        serve: bool = False,
        readers: Sequence[str] = (),
    ) -> None:
        """Open or create a store; load what the journal holds beyond it.

        Args:
            path: The store's folder.
            after_replies: Called on the writer's thread with keys of replies that are committed,
                each once; now and then, and for the rest before the database is closed.
            serve: Answer other processes' queries meanwhile (live SQL).
            readers: sha256, in hex, of tokens that may ask them from other machines.

        Raises:
            StoreBusy: Another process owns it.
            StoreTooNew: It was written by a later gistprobe.
            StoreBroken: The folder, the database or the journal cannot be used.
        """
        self.path = path
        self.recovered = 0
        """Replies that only the journal held when the store was opened."""
        self.set_aside: Path | None = None
        """Where a damaged database was moved when the store was opened."""
        self.serving_problem: str | None = None
        """Why other processes' queries are not answered, where they should be."""
        self.problem: str | None = None
        """What keeps rows from being written, while it does."""
        self._serve, self._readers = serve, readers
        self._after_replies = after_replies
        self._fresh: list[str] = []
        self._due = 0.0
        self._memory: Memory | None = None
        self._queue: list[Put | Call] = []
        self._taken: list[Put | Call] = []
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
        self._arrivals = Arrivals(path)
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

    def put(self, position: Position, *events: Event) -> bool:
        """Hand over events that the journal holds up to `position`; they share a transaction.

        Returns:
            Whether they were taken; not so once writing has failed, which `close` raises.
        """
        with self._changed:
            if self._error is not None:
                return False
            self._add(Put(events, position))
        return True

    def hurry(self) -> None:
        """Wait no longer than needs be for what may not come back; a file is always there."""

    def catch_up(self) -> None:
        """Wait until all that was put is committed, or writing has failed."""
        future: Future[None] = Future()
        with self._changed:
            if self._error is not None:
                return
            self._add(Call(lambda _: None, future))
        wait([future])

    def call_for_all(self, act: Callable[[Connection], T]) -> T:
        """As `call`, for a function that goes through a whole experiment."""

        def within(connection: Connection) -> T:
            if self._memory is None:
                return act(connection)
            with self._memory.for_a_whole_experiment():
                return act(connection)

        return self.call(within)

    def tend(self) -> None:
        """See to what served queries ask for and encoders bring; returns at once."""
        memory = self._memory
        if memory is not None and memory.due:
            self._soon(lambda _: memory.tend())
        if self._arrivals.due:
            self._soon(lambda connection: take_in(connection, self.path))

    def _soon(self, act: Callable[[Connection], object]) -> None:
        """Have the writer do something, and don't wait for it."""
        with self._changed:
            if self._error is None and not self._closing:
                self._add(Call(act, Future()))

    def call(self, act: Callable[[Connection], T]) -> T:
        """Run a function on the writer's thread and wait for it; its errors are raised here.

        Raises:
            StoreBroken: The disk is full, or the file is damaged.
        """
        future: Future[T] = Future()
        self._enqueue(Call(act, future))
        try:
            return future.result()
        except _TROUBLE as error:
            raise self._broken("used", error) from error

    def close(self) -> None:
        """Commit what is left and close. Raises the writer's error, if it had one."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _enqueue(self, entry: Put | Call) -> None:
        with self._changed:
            if self._error is not None:
                raise self._error
            self._add(entry)

    def _add(self, entry: Put | Call) -> None:
        if self._closing:
            raise RuntimeError("the database is closed; nothing more is written")
        self._queue.append(entry)
        self._urgent |= isinstance(entry, Call)
        # The writer sleeps while more gathers; waking it for every event would cost most.
        if self._urgent or len(self._queue) in {1, _GATHER_ROWS}:
            self._changed.notify()

    def _run(self) -> None:
        connection: Connection | None = None
        server: Server | None = None
        try:
            connection = self._open()
            server = self._start_server(connection)
        except BaseException as error:  # noqa: BLE001 - handed to the opener, who raises it
            if connection is not None:
                connection.close()
            self._ready.set_exception(error)
            return
        self._ready.set_result(None)
        try:
            self._write_all(connection)
        except _TROUBLE as error:
            self._fail(self._broken("used", error))
        except BaseException as error:  # noqa: BLE001 - whoever puts, calls or closes raises it
            self._fail(error)
        finally:
            if server is not None:
                server.stop()
            connection.close()

    def _open(self) -> Connection:
        opened = open_to_write(self.path, self._prepare)
        self.set_aside = opened.aside
        self._memory = Memory(opened.connection, self.path)
        return opened.connection

    def _follow(self, connection: Connection, keys: Sequence[str]) -> None:
        if after := self._after_replies:
            self._act(connection, lambda own: after(own, keys))

    def _act(self, connection: Connection, act: Callable[[Connection], object]) -> object:
        """Do what a call asks for."""
        return act(connection)

    def _prepare(self, connection: Connection) -> None:
        try:
            connection.execute("SET TimeZone = 'UTC'")
            for setting in SETTINGS:
                connection.execute(setting)
            migrate(connection, self.path)
            self._recover(connection)
            take_in(connection, self.path)
        except duckdb.Error as error:
            found = f"the database cannot be brought up to date ({error})"
            raise StoreBroken(self.path, found, fix_for(str(error))) from error

    def _start_server(self, connection: Connection) -> Server | None:
        if not self._serve:
            return None
        try:
            return Server.start(connection, self.path, self._readers)
        except CannotServe as problem:
            self.serving_problem = str(problem)
            return None

    def _recover(self, connection: Connection) -> None:
        """Load what the journal holds beyond the database."""
        self.recovered, self._fresh = 0, []
        self._load(connection, self.path / JOURNAL)

    def _load(self, connection: Connection, journal: Path) -> None:
        held = dict(
            connection.execute(
                "SELECT segment, max(position) FROM journal_positions GROUP BY segment"
            ).fetchall()
        )
        entries = read_events(journal, held)
        while batch := list(itertools.islice(entries, _GATHER_ROWS)):
            came = [e.event for e in batch if isinstance(e.event, ReplyRow | LikelihoodRow)]
            seen = held_among(connection, [each.key for each in came])
            puts: list[Put] = []
            for entry in batch:
                event = entry.event
                # A likelihood stands before the reply it belongs to.
                if isinstance(event, ReplyRow | LikelihoodRow) and event.key in seen:
                    continue
                if isinstance(event, ReplyRow):
                    seen.add(event.key)
                    self.recovered += 1
                puts.append(Put((event,), entry.position))
            self._commit(connection, puts)

    def _write_all(self, connection: Connection) -> None:
        while True:
            self._follow_up(connection, at_once=self._closing)
            with self._changed:
                if not self._queue and not self._closing:
                    self._changed.wait(
                        max(0.0, self._due - time.monotonic()) if self._fresh else None
                    )
                if not self._queue:
                    if self._closing and not self._fresh:
                        return
                    continue
                self._gather()
                self._taken, self._queue, self._urgent = self._queue, [], False
            puts: list[Put] = []
            for entry in self._taken:
                if isinstance(entry, Put):
                    puts.append(entry)
                else:
                    self._commit(connection, puts)
                    puts = []
                    entry.run(connection, self._act)
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

    def _commit(self, connection: Connection, puts: Sequence[Put]) -> None:
        if not puts:
            return
        until = time.monotonic() + _OUT_OF_MEMORY_S
        while True:
            try:
                self._insert(connection, puts)
                break
            except duckdb.OutOfMemoryException as error:  # a large query of someone's is on
                if time.monotonic() > until:
                    raise self._broken("written", error) from error
                with contextlib.suppress(duckdb.TransactionException):  # it may have begun none
                    connection.rollback()
                time.sleep(_ROOM_EVERY_S)
            except duckdb.Error as error:
                raise self._broken("written", error) from error
        if self._after_replies is not None:
            self._fresh += [e.key for p in puts for e in p.events if isinstance(e, ReplyRow)]

    def _insert(self, connection: Connection, puts: Sequence[Put]) -> None:
        reached = {put.position.segment: put.position.end for put in puts}
        connection.execute("BEGIN")
        insert(connection, [event for put in puts for event in put.events])
        for segment, end in reached.items():
            connection.execute("INSERT INTO journal_positions VALUES (?, ?)", [segment, end])
        connection.execute("COMMIT")

    def _follow_up(self, connection: Connection, *, at_once: bool = False) -> None:
        """Hand on the keys of replies that are committed, where that is due.

        What is done with them goes through whole tables, so it is done seldom: it may take one
        twenty-fifth of the writer's time, or what it needs not to fall behind.
        """
        while self._fresh and self._after_replies:
            due = at_once or len(self._fresh) > _MOST_FRESH or time.monotonic() >= self._due
            if not due:
                return
            began = time.monotonic()
            keys, self._fresh = self._fresh[:_FOLLOW_ROWS], self._fresh[_FOLLOW_ROWS:]
            self._follow(connection, keys)
            ended = time.monotonic()
            self._due = ended + _FOLLOW_SELDOM * (ended - began)

    def _broken(self, how: str, error: duckdb.Error) -> StoreBroken:
        fix = MOVE_AWAY if is_damage(str(error)) else _RUN_AGAIN
        return StoreBroken(self.path, f"the database cannot be {how} ({error})", fix)

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._error = error
            waiting, self._taken, self._queue = self._taken + self._queue, [], []
        for entry in waiting:
            if isinstance(entry, Call) and not entry.future.done():
                entry.future.set_exception(error)
