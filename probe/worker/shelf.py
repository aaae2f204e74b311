"""What a worker keeps until its hub has it: a journal of its own, and those of its predecessors.

The folder belongs to one hub. A segment stays until all of it is committed there, whatever is
killed meanwhile; the next worker to start in the folder hands over what a dead one left.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from probe.worker.link import Link
from store.errors import StoreBroken
from store.journal import Position
from store.mirror import Gap, whole_lines
from store.rows import Event
from store.vector_journal import whole_frames

_PIECE: Final = 4 << 20


@dataclass(slots=True, kw_only=True)
class Outgoing:
    """One segment on its way.

    Attributes:
        sent: Bytes that the hub's copy holds.
    """

    path: Path
    sent: int = 0

    @property
    def left(self) -> int:
        """Bytes the hub has not got (count)."""
        return self.path.stat().st_size - self.sent if self.path.exists() else 0

    async def send(self, link: Link) -> None:
        """Hand over what the hub has not got; raises as `Link` does."""
        while data := self._next():
            try:
                self.sent = await link.piece(self.path.name, self.sent, data)
            except Gap as gap:
                self.sent = gap.end

    def _next(self) -> bytes:
        """Whole entries from where the hub's copy ends, some megabytes of them at most."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.sent)
                data = file.read(_PIECE)
                while data and not self._whole(data) and (more := file.read(_PIECE)):
                    data += more
        except FileNotFoundError:
            return b""
        return data[: self._whole(data)]

    def _whole(self, data: bytes) -> int:
        return whole_frames(data) if self.path.suffix == ".frames" else whole_lines(data)


@dataclass(slots=True, kw_only=True)
class Outbox:
    """Stands where a run's database does: events are in the journal, and go to the hub from there.

    Attributes:
        settled: Told of each event that is written.
    """

    settled: Callable[[Event], None]

    @property
    def backlog(self) -> int:
        """Nothing waits in memory."""
        return 0

    def put(self, position: Position, *events: Event) -> bool:
        """Note events that the journal holds."""
        del position
        for event in events:
            self.settled(event)
        return True

    def catch_up(self) -> None:
        """Nothing to wait for."""


@dataclass(slots=True)
class Shelf:
    """A worker's folder for one hub."""

    folder: Path
    _locks: list[int] = field(default_factory=list)

    def take(self, worker: str) -> Outgoing:
        """The segment of a worker, which it alone writes.

        Raises:
            StoreBroken: The folder cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fix = "name another with --state"
            raise StoreBroken(self.folder, f"cannot be made ({error.strerror})", fix) from None
        path = self.folder / f"{worker}.jsonl"
        self._lock(path)
        return Outgoing(path=path)

    def left_behind(self) -> Iterator[Outgoing]:
        """Segments of workers that are dead."""
        for path in sorted(self.folder.glob("*.jsonl")):
            if self._lock(path):
                yield Outgoing(path=path)

    def done(self, outgoing: Outgoing) -> None:
        """Remove a segment that the hub has committed."""
        outgoing.path.unlink(missing_ok=True)
        _lock_of(outgoing.path).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of every segment."""
        for lock in self._locks:
            os.close(lock)

    def _lock(self, path: Path) -> bool:
        """Take a segment for this process; whether it was free."""
        try:
            lock = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            fix = "mend its permissions, or name another with --state"
            raise StoreBroken(self.folder, f"cannot be written ({error.strerror})", fix) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return False
        self._locks.append(lock)
        return True


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")
