"""An embedding worker's side of a hub: its features come from there, its vectors go there.

The worker is a plain loop; what is said to the hub runs on an event loop beside it. Leases are
renewed and finished batches handed over every so often, and in any case before a bucket counts as
done.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

from probe.hub.wire import Buckets, BucketsReport
from probe.worker.errors import HubAway
from probe.worker.link import Link
from probe.worker.presence import Presence
from probe.worker.shelf import Outgoing
from store.hub_address import Address
from store.read import Reader, open_read
from store.vector_journal import FOLDER

T = TypeVar("T")
_EVERY_S: Final = 2.0
_AGAIN_S: Final = 1.0


@dataclass(slots=True, kw_only=True)
class HubPlace:
    """A hub's store, for an encoder here. Use as a context manager.

    Attributes:
        where: The hub, for reading.
        folder: Where vectors are kept until the hub has them.
        patience_s: How long the hub may be away before the worker gives up (seconds).
    """

    where: Address
    link: Link
    folder: Path
    patience_s: float = 3600.0
    worker: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex}")
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread = field(init=False)
    _presence: Presence = field(init=False)
    _outgoing: dict[Path, Outgoing] = field(default_factory=dict)

    def __enter__(self) -> HubPlace:
        """Connect, and hand over what workers that died here left.

        Several may work in one folder. What a dead one left is told from what a live one writes
        only where nobody else is at work; else all of it is handed over as what they have made.
        """
        self._presence = Presence(self.folder / FOLDER)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._do(self.link.__aenter__())
        if self._presence.alone():
            for path in sorted((self.folder / FOLDER).glob("*.frames")):
                self._within(self.patience_s, partial(Outgoing(path=path).send, self.link))
                path.unlink()
        self._presence.be_seen()
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        self._do(self.link.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._presence.close()

    def open(self) -> Reader:
        """Open the hub's store for reading."""
        return open_read(self.where)

    @contextmanager
    def claims(self, encoder_id: str, wanted: str) -> Iterator[HubClaims]:
        """Claims under leases, renewed while they are held."""
        claims = HubClaims(place=self, encoder_id=encoder_id, wanted=wanted)
        renewing = asyncio.run_coroutine_threadsafe(claims.renew(), self._loop)
        try:
            yield claims
        finally:
            renewing.cancel()

    def hand_over(self, patience_s: float) -> bool:
        """Send what is finished; whether the hub has all of it."""
        try:
            self._within(patience_s, self._send)
        except HubAway:
            return False
        return True

    async def _send(self) -> None:
        for path in sorted((self.folder / FOLDER).glob("*.frames")):
            outgoing = self._outgoing.setdefault(path, Outgoing(path=path))
            if outgoing.left:
                await outgoing.send(self.link)

    def ask(self, report: BucketsReport) -> Buckets:
        """Say something of buckets to the hub, for as long as it takes within patience."""
        return self._within(self.patience_s, lambda: self.link.buckets(report))

    def _within(self, patience_s: float, act: Callable[[], Coroutine[object, object, T]]) -> T:
        """Say something to the hub, again and again while it is away.

        Raises:
            HubAway: It has been for longer than that (seconds).
        """
        until = time.monotonic() + patience_s
        while True:
            try:
                return self._do(act())
            except HubAway:
                if time.monotonic() >= until:
                    raise
                time.sleep(_AGAIN_S)

    def _do(self, work: Coroutine[object, object, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


@dataclass(slots=True, kw_only=True)
class HubClaims:
    """Which buckets are this worker's, by the hub."""

    place: HubPlace
    encoder_id: str
    wanted: str
    _held: set[int] = field(default_factory=set)
    _finished: set[int] = field(default_factory=set)

    def take(self, bucket: int) -> bool:
        """Claim a bucket; whether it was free."""
        answer = self.place.ask(self._report({bucket}))
        self._finished.update(answer.finished)
        self._held.update(answer.held)
        return bucket in answer.held

    def give_back(self, bucket: int) -> None:
        """All of a bucket is done, and with the hub before others hear of it."""
        self.place.hand_over(self.place.patience_s)
        self._held.discard(bucket)
        self._finished.update(self.place.ask(self._report(set(), done=[bucket])).finished)

    def finished(self) -> set[int]:
        """Buckets that are done."""
        return set(self._finished)

    async def renew(self) -> None:
        """Keep leases up until cancelled; where the hub is away, they may run out."""
        while True:
            await asyncio.sleep(_EVERY_S)
            held = set(self._held)
            try:
                answer = await self.place.link.buckets(self._report(held))
            except HubAway:
                continue
            self._held -= held.difference(answer.held)  # its lease ran out, and another has it
            self._finished.update(answer.finished)

    def _report(self, take: set[int], done: list[int] | None = None) -> BucketsReport:
        return BucketsReport(
            worker=self.place.worker,
            encoder_id=self.encoder_id,
            wanted=self.wanted,
            take=sorted(take),
            done=done or [],
        )
