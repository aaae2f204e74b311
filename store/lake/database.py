"""A lake's writer on one machine: the same queue and journal as a file's owner has.

Where another writer was first, or the catalogue's server is gone, what was begun is undone and done
again. Meanwhile events wait, in the journal and in the queue.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Self, TypeVar

import duckdb
import tenacity

from store.address import Lake
from store.database import AfterReplies, Database, held_among
from store.entries import Put
from store.errors import QueryError, StoreBroken
from store.insert import insert
from store.lake.attach import attach, beside, is_beaten, is_gone, unreachable, without_secrets
from store.lake.claims import LEASE_S, Claims
from store.lake.schema import make_own_views, migrate_lake
from store.lake.state import left_behind, take_slot
from store.read import JOURNAL, Connection
from store.rows import Event, ExperimentRow, LikelihoodRow, ModelRow, ReplyRow
from store.take_in import take_in

T = TypeVar("T")

_GATHER_S: Final = 1.0
_WRITER: Final = "writer"
_LOOK_EVERY_S: Final = 1.0
_CLOSING_S: Final = 20.0
_GONE_S: Final = 3600.0
_TRIES: Final = 60
_GIVEN_UP: Final = "run again when it is back: the journal on this machine holds every reply"
_TAKEN_OVER: Final = (
    "the catalogue could not be reached for so long that another writer took over what this one was"
    " asking"
)


class LakeDatabase(Database):
    """One of a lake's writers. Use as a context manager."""

    def __init__(
        self, lake: Lake, *, after_replies: AfterReplies | None = None, lease_s: float = LEASE_S
    ) -> None:
        """Open or create a lake; load what journals of this machine hold beyond it.

        Args:
            lake: Where it is.
            after_replies: As for `Database`.
            lease_s: How long this writer's claims stand when it is heard of no more (seconds).

        Raises:
            StoreTooNew: It was written by a later gistprobe.
            StoreBroken: It cannot be reached or used.
        """
        self.lake, self._lease_s = lake, lease_s
        self._slot = take_slot(lake)
        self._claims: Claims | None = None
        self._reader: Connection | None = None
        self._reading = threading.Lock()
        self._gone_since: float | None = None
        self._hurried = False
        try:
            super().__init__(self._slot.folder, after_replies=after_replies)
        except BaseException:
            self._let_go()
            raise

    def __enter__(self) -> Self:
        return self

    @property
    def claims(self) -> Claims:
        """What this writer has taken to be asked or recorded."""
        if self._claims is None:
            raise RuntimeError("a lake's claims are there once it is open")
        return self._claims

    @property
    def backlog(self) -> int:
        """As of `Database`; more than any limit while this writer's lease may be over."""
        return super().backlog if self._in_time else sys.maxsize

    @property
    def _in_time(self) -> bool:
        """Whether what was taken to be asked is still this writer's to ask."""
        return self._claims is None or self._claims.in_time

    def hurry(self) -> None:
        """Give up soon where the catalogue's server is gone: the run is to end."""
        self._hurried = True
        self.claims.halt()

    def catch_up(self) -> None:
        """Wait until all that was put is committed, and until this writer's lease holds.

        Raises:
            StoreBroken: Another writer has taken its work over.
        """
        super().catch_up()
        while not self._in_time and not self._closing and self._error is None:
            if self.claims.lost:
                raise StoreBroken(self.lake, _TAKEN_OVER, "run again: nothing is lost")
            time.sleep(_LOOK_EVERY_S / 4)

    def read(self, act: Callable[[Connection], T]) -> T:
        """Ask the lake something beside the writer, as it is at its last commit."""
        with self._reading:
            if self._reader is None:
                raise RuntimeError("a lake is read once it is open")
            return self._insist(self._reader, act)

    def close(self) -> None:
        """Commit what is left, give claims back and close."""
        try:
            super().close()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Give back what others may have."""
        if self._reader is not None:
            self._reader.close()
        if self._claims is not None:
            self._claims.close()
        self._slot.release()

    def _open(self) -> Connection:
        connection = attach(self.lake, write=True)
        try:
            self._insist(connection, lambda own: migrate_lake(own, self.lake), opening=True)
            make_own_views(connection, described=False)
            self._reader = beside(connection)
            self._claims = Claims(self.lake, lease_s=self._lease_s)
            self._recover(connection)
            self._act(connection, lambda own: take_in(own, self.path))
        except duckdb.Error as error:
            connection.close()
            if is_gone(str(error)):
                raise unreachable(self.lake, error) from None
            found = f"the lake cannot be brought up to date ({without_secrets(str(error))})"
            raise StoreBroken(self.lake, found, "upgrade gistprobe, or report this") from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _recover(self, connection: Connection) -> None:
        """Load what journals hold that no process writes any more, this one's own first."""
        self.recovered, self._fresh = 0, []
        with left_behind(self.lake, but=self.path) as others:
            for folder in (self.path, *others):
                self._load(connection, folder / JOURNAL)
                self._free(folder / _WRITER)
        (self.path / _WRITER).write_text(self.claims.writer, encoding="utf-8")

    def _free(self, named: Path) -> None:
        """Free what a writer of this machine had claimed: whose folder can be held has ended."""
        if named.exists():
            self.claims.forget(named.read_text(encoding="utf-8"))
            named.unlink()

    def _gather(self) -> None:
        """Wait for more than a file's owner does: each commit may be a file a table."""
        until = time.monotonic() + _GATHER_S
        super()._gather()
        while not self._closing and not self._urgent and (left := until - time.monotonic()) > 0:
            self._changed.wait(left)

    def _commit(self, connection: Connection, puts: Sequence[Put]) -> None:
        if not puts:
            return
        keys = self._insist(connection, lambda own: _insert_once(own, puts))
        if self._after_replies is not None:
            self._fresh += keys

    def _act(self, connection: Connection, act: Callable[[Connection], object]) -> object:
        result = self._insist(connection, act)
        stale = connection.execute("SELECT getvariable('views_stale')").fetchone()
        if stale and stale[0]:
            make_own_views(connection, described=False)
        return result

    def _insist(
        self, connection: Connection, act: Callable[[Connection], T], *, opening: bool = False
    ) -> T:
        """Do something in transactions; again where others were first, or the server is gone."""
        wait = tenacity.wait_random_exponential(multiplier=0.02, max=1.0)
        for attempt in tenacity.Retrying(
            wait=wait,
            stop=tenacity.stop_after_attempt(_TRIES),
            retry=tenacity.retry_if_exception(lambda error: is_beaten(str(error))),
            reraise=True,
        ):
            with attempt:
                return self._through_outages(connection, act, opening=opening)
        raise AssertionError("the last attempt returns or raises")

    def _through_outages(
        self, connection: Connection, act: Callable[[Connection], T], *, opening: bool
    ) -> T:
        while True:
            try:
                result = act(connection)
            except (duckdb.Error, QueryError) as error:
                with contextlib.suppress(duckdb.Error):  # it may have begun no transaction
                    connection.rollback()
                if opening or not is_gone(str(error)):
                    raise
                self._wait(error)
            else:
                self.problem, self._gone_since = None, None
                return result

    def _wait(self, error: Exception) -> None:
        """Wait a moment for the server; give up where that is in vain."""
        now = time.monotonic()
        since = self._gone_since = self._gone_since or now
        if now - since > (_CLOSING_S if self._closing or self._hurried else _GONE_S):
            broken = unreachable(self.lake, error)
            raise StoreBroken(self.lake, broken.found, _GIVEN_UP)
        self.problem = f"{unreachable(self.lake, error).found}; waiting for it"
        threading.Event().wait(_LOOK_EVERY_S)


def _insert_once(connection: Connection, puts: Sequence[Put]) -> list[str]:
    """Insert events in one transaction, none that the lake has; return the keys of new replies.

    The catalogue may have gone after it committed and before it said so, and two writers may have
    asked the same. Since a commit fails where another came between, what is looked up here holds.
    """
    connection.execute("BEGIN")
    reached = {put.position.segment: put.position.end for put in puts}
    held = _positions(connection, list(reached))
    new = [put for put in puts if put.position.end > held.get(put.position.segment, -1)]
    events = _not_held(connection, [event for put in new for event in put.events])
    insert(connection, events)
    for segment in {put.position.segment for put in new}:
        connection.execute(
            "INSERT INTO journal_positions VALUES (?, ?)", [segment, reached[segment]]
        )
    connection.execute("COMMIT")
    return [event.key for event in events if isinstance(event, ReplyRow)]


def _positions(connection: Connection, segments: list[str]) -> dict[str, int]:
    rows = connection.execute(
        "SELECT segment, max(position) FROM journal_positions"
        " WHERE list_contains(?, segment) GROUP BY segment",
        [segments],
    ).fetchall()
    return {str(segment): int(end) for segment, end in rows}


def _not_held(connection: Connection, events: list[Event]) -> list[Event]:
    """Events without those of which there is one already: a reply, a plan, a model of a plan."""
    keys = [e.key for e in events if isinstance(e, ReplyRow | LikelihoodRow)]
    seen: set[object] = set(held_among(connection, keys)) if keys else set()
    if any(isinstance(event, ExperimentRow | ModelRow) for event in events):
        rows = connection.execute("SELECT experiment_id FROM experiments").fetchall()
        seen |= {("plan", str(row[0])) for row in rows}
        models = connection.execute("SELECT experiment_id, model FROM models").fetchall()
        seen |= {("model", str(row[0]), str(row[1])) for row in models}
    kept: list[Event] = []
    for event in events:
        mark = _mark(event)
        if mark is not None and mark in seen:
            continue
        # A likelihood stands before the reply it belongs to, and has its key.
        if mark is not None and not isinstance(event, LikelihoodRow):
            seen.add(mark)
        kept.append(event)
    return kept


def _mark(event: Event) -> object:
    """What there may be one of; None for what may be there several times."""
    if isinstance(event, ReplyRow | LikelihoodRow):
        return event.key
    if isinstance(event, ExperimentRow):
        return "plan", event.experiment_id
    if isinstance(event, ModelRow):
        return "model", event.experiment_id, event.model
    return None
