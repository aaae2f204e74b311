"""Claims: which writer of a lake asks which stretch of a plan, and who records a plan.

They lie in the catalogue's own database, where a primary key lets one of two through. A writer's
claims count for as long as its lease, by the catalogue's clock, and the writer itself sends nothing
once its lease may have run out. A writer that died leaves its claims to whoever finds them expired.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar
from uuid import uuid4

import duckdb

from store.address import Lake
from store.errors import StoreBroken
from store.gate import quoted
from store.lake.attach import is_beaten, is_gone, load, own_duckdb

T = TypeVar("T")

LEASE_S: Final = 60.0
_RENEWALS: Final = 6
_MARGIN: Final = 0.25
PLAN: Final = ("", -1)
"""The model and stretch that stand for the recording of a plan."""
_TRIES: Final = 40
_LOOK_EVERY_S: Final = 0.25


class _Table(Protocol):
    """The claims of one catalogue, in its own dialect."""

    now: str
    """The catalogue's clock (seconds)."""

    def change(self, *statements: str) -> None:
        """Run statements in one transaction that no other change overlaps."""

    def read(self, query: str) -> list[tuple[object, ...]]:
        """The rows of a query."""

    def close(self) -> None:
        """Let go of the database."""


class Claims:
    """One writer's claims. May be used on any thread."""

    def __init__(self, lake: Lake, *, lease_s: float = LEASE_S) -> None:
        self.lake, self.lease_s = lake, lease_s
        self.writer = uuid4().hex
        self._table: _Table = _Postgres(lake) if lake.kind == "postgres" else _Sqlite(lake)
        self._lock = threading.Lock()
        self._safe_until = 0.0
        self._run = ""
        self._held: set[tuple[str, str, int]] = set()
        self.lost = False
        """Whether another writer took over what this one had, its lease being over."""
        self._ended, self._halted = threading.Event(), threading.Event()
        self._table.change(*self._made())
        self.renew()
        self._thread = threading.Thread(target=self._renewing, name="lease", daemon=True)
        self._thread.start()

    @property
    def in_time(self) -> bool:
        """Whether nobody can have taken this writer's claims: its lease is not nearly over."""
        return not self.lost and time.monotonic() < self._safe_until

    def enrol(self, run_id: str) -> None:
        """Say which run this writer is, so that others see it is on."""
        self._run = run_id
        self._insist(self.renew)

    def renew(self) -> None:
        """Prolong the lease, and see whether all that was claimed still is."""
        began = time.monotonic()
        w, p = quoted(self.writer), self._prefix
        until = f"{self._table.now} + {self.lease_s}"
        with self._lock:
            self._table.change(
                f"INSERT INTO {p}writers VALUES ({w}, {quoted(self._run)}, {until})"
                " ON CONFLICT (writer) DO UPDATE SET run_id = excluded.run_id,"
                " until = excluded.until"
            )
            row = self._table.read(f"SELECT count(*) FROM {p}claims WHERE writer = {w}")[0]
            if int(str(row[0])) < len(self._held):
                self.lost = True
            self._safe_until = began + self.lease_s * (1 - _MARGIN)

    def take(self, plan: str, model: str, stretches: Sequence[int]) -> list[int]:
        """Claim stretches of a plan's cells; return those that are this writer's now.

        Waits while the catalogue cannot be reached.
        """
        return self._insist(lambda: self._take(plan, model, stretches))

    def _take(self, plan: str, model: str, stretches: Sequence[int]) -> list[int]:
        w, p = quoted(self.writer), self._prefix
        place = f"plan = {quoted(plan)} AND model = {quoted(model)}"
        listed = ", ".join(map(str, stretches))
        rows = ", ".join(f"({quoted(plan)}, {quoted(model)}, {each}, {w})" for each in stretches)
        with self._lock:
            self._table.change(
                f"INSERT INTO {p}claims VALUES {rows}"
                " ON CONFLICT (plan, model, stretch) DO UPDATE SET writer = excluded.writer"
                f" WHERE NOT EXISTS (SELECT 1 FROM {p}writers AS w"
                f" WHERE w.writer = {p}claims.writer AND w.until > {self._table.now})"
            )
            found = self._table.read(
                f"SELECT stretch FROM {p}claims"
                f" WHERE {place} AND writer = {w} AND stretch IN ({listed}) ORDER BY stretch"
            )
            mine = [int(str(row[0])) for row in found]
            self._held.update((plan, model, each) for each in mine)
        return mine

    def release(self, plan: str, model: str, stretches: Sequence[int]) -> None:
        """Give stretches back, whose replies are all in the lake."""
        if stretches:
            self._insist(lambda: self._release(plan, model, stretches))

    def _release(self, plan: str, model: str, stretches: Sequence[int]) -> None:
        listed = ", ".join(map(str, stretches))
        with self._lock:
            self._held.difference_update((plan, model, each) for each in stretches)
            self._table.change(
                f"DELETE FROM {self._prefix}claims WHERE plan = {quoted(plan)}"
                f" AND model = {quoted(model)} AND stretch IN ({listed})"
                f" AND writer = {quoted(self.writer)}"
            )

    def halt(self) -> None:
        """Wait for a catalogue that is gone no longer; nothing new is to be asked."""
        self._halted.set()

    def close(self) -> None:
        """Give everything back; where the catalogue is gone, the lease does so by running out."""
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(duckdb.Error, sqlite3.Error):
            self._forget(self.writer)
        self._table.close()

    def forget(self, writer: str) -> None:
        """Free what a writer had claimed that is known to have ended."""
        self._insist(lambda: self._forget(writer))

    def _forget(self, writer: str) -> None:
        w, p = quoted(writer), self._prefix
        with self._lock:
            self._table.change(
                f"DELETE FROM {p}claims WHERE writer = {w}",
                f"DELETE FROM {p}writers WHERE writer = {w}",
            )

    def _renewing(self) -> None:
        while not self._ended.wait(self.lease_s / _RENEWALS):
            with contextlib.suppress(duckdb.Error, sqlite3.Error):  # `in_time` tells
                self.renew()

    def _insist(self, act: Callable[[], T]) -> T:
        """Do something; again where another writer was in the way, or the catalogue is gone."""
        tries = 0
        while True:
            try:
                return act()
            except (duckdb.Error, sqlite3.Error) as error:
                said = str(error)
                tries += not is_gone(said)
                if tries > _TRIES or not (is_gone(said) or is_beaten(said)):
                    found = f"claims cannot be written ({said})"
                    raise StoreBroken(self.lake, found, "run again: nothing is lost") from None
            if self._halted.wait(_LOOK_EVERY_S):
                found = "the run ended while the catalogue could not be reached"
                raise StoreBroken(self.lake, found, "run again: nothing is lost")

    @property
    def _prefix(self) -> str:
        return prefix(self.lake)

    def _made(self) -> list[str]:
        p = self._prefix
        return [
            f"CREATE TABLE IF NOT EXISTS {p}writers"
            " (writer TEXT PRIMARY KEY, run_id TEXT NOT NULL, until DOUBLE PRECISION NOT NULL)",
            f"CREATE TABLE IF NOT EXISTS {p}claims (plan TEXT NOT NULL, model TEXT NOT NULL,"
            " stretch BIGINT NOT NULL, writer TEXT NOT NULL, PRIMARY KEY (plan, model, stretch))",
        ]


def prefix(lake: Lake) -> str:
    """What stands before the names of the tables of claims."""
    return f"{lake.schema}." if lake.schema else "probe_"


def live_runs(lake: Lake) -> list[str]:
    """The runs that are on, on any machine; none where it cannot be told."""
    try:
        table: _Table = _Postgres(lake) if lake.kind == "postgres" else _Sqlite(lake)
        with contextlib.closing(table):
            query = f"SELECT run_id FROM {prefix(lake)}writers WHERE until > {table.now}"
            return [str(row[0]) for row in table.read(query)]
    except (duckdb.Error, sqlite3.Error):
        return []


class _Postgres:
    """Claims in a PostgreSQL database, reached through DuckDB's own client."""

    now = "extract(epoch FROM clock_timestamp())"

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._connection = own_duckdb()
        load(self._connection, lake, "postgres_scanner")
        self._connection.execute(f"ATTACH {quoted(lake.catalogue)} AS claims (TYPE postgres)")

    def change(self, *statements: str) -> None:
        # One message to the server, which is one transaction of its own; the lock is taken before
        # anything is read, and held to its end.
        lock = f"SELECT pg_advisory_xact_lock(hashtext({quoted(self._lake.schema)}))"
        whole = "; ".join((lock, *statements))
        try:
            self._connection.execute(
                f"CALL postgres_execute('claims', {quoted(whole)}, use_transaction := false)"
            )
        except duckdb.Error:
            with contextlib.suppress(duckdb.Error):
                self._connection.rollback()
            raise

    def read(self, query: str) -> list[tuple[object, ...]]:
        return self._connection.execute(
            f"FROM postgres_query('claims', {quoted(query)})"
        ).fetchall()

    def close(self) -> None:
        self._connection.close()


class _Sqlite:
    """Claims in a file beside an SQLite catalogue."""

    now = "((julianday('now') - 2440587.5) * 86400.0)"

    def __init__(self, lake: Lake) -> None:
        self._connection = sqlite3.connect(
            f"{lake.catalogue}.claims", timeout=60, check_same_thread=False, isolation_level=None
        )

    def change(self, *statements: str) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements:
                self._connection.execute(statement)
        except sqlite3.Error:
            self._connection.rollback()
            raise
        self._connection.execute("COMMIT")

    def read(self, query: str) -> list[tuple[object, ...]]:
        return self._connection.execute(query).fetchall()

    def close(self) -> None:
        self._connection.close()
