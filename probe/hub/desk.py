"""One model's cells, given out to all who ask it: here, and on other machines.

What a worker holds is its own until it is settled, given back, or the worker is not heard of any
more. A cell is with one holder at a time. Nothing here is written down: after a restart workers say
what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from probe.feed import StoreCells, request_of
from probe.record import ToAsk
from probe.turns import Turns


class _Held(NamedTuple):
    worker: str
    cell: ToAsk


@dataclass(slots=True, kw_only=True)
class Desk:
    """Where one model's cells are fetched.

    Attributes:
        cells: Of the store.
        room_here: Cells that this process has room for (count), so that some are left for others.
        shut: Whether nothing is given out yet, as long as workers of before may still come back.
    """

    cells: StoreCells
    room_here: Callable[[], int]
    shut: bool = False
    _held: dict[str, _Held] = field(default_factory=dict)
    _back: dict[str, ToAsk] = field(default_factory=dict)
    _passed: set[str] = field(default_factory=set)
    _waiting: Turns = field(default_factory=Turns)

    @property
    def finished(self) -> bool:
        """Whether no cell is, or will be, left to give out or to wait for."""
        return self.cells.exhausted and not self._held and not self._back

    async def take(self, most: int) -> list[ToAsk]:
        """The next cells for this process, as `Cells.take`."""
        while not (found := await self._next(min(most, self.room_here()))):
            if self.finished:
                return []
            await self._waiting.wait()
        return found

    def wake(self) -> None:
        """Let who waits here look again; called now and then."""
        self._waiting.wake_all()

    async def claim(self, worker: str, most: int) -> list[ToAsk]:
        """The next cells for a worker: none where there are none now."""
        found = await self._next(most)
        self._held.update((cell.key, _Held(worker, cell)) for cell in found)
        return found

    async def _next(self, most: int) -> list[ToAsk]:
        if self.shut or most <= 0:
            return []
        found = self._returned(most)
        if not found:
            found = [cell for cell in await self.cells.now(most) if cell.key not in self._passed]
        return found

    def pass_over(self, key: str) -> None:
        """Never give out a cell that has been read from the store already: it is dealt with."""
        self._passed.add(key)

    def _returned(self, most: int) -> list[ToAsk]:
        """Cells that came back, whole requests."""
        found: list[ToAsk] = []
        samples = self.cells.samples
        while self._back:
            cell = next(iter(self._back.values()))
            if len(found) >= most and request_of(cell, samples) != request_of(found[-1], samples):
                break
            found.append(self._back.pop(cell.key))
        return found

    def restore(self, worker: str, cells: Iterable[ToAsk]) -> list[str]:
        """Note what a worker holds since before a restart; return the keys it must give up."""
        lost = []
        for cell in cells:
            held = self._held.get(cell.key)
            if held is not None and held.worker != worker:
                lost.append(cell.key)
                continue
            self._back.pop(cell.key, None)
            self._passed.add(cell.key)
            self._held[cell.key] = _Held(worker, cell)
        return lost

    def settle(self, key: str) -> str | None:
        """A cell is settled; return who held it, or an empty text if nobody did any more.

        Returns:
            None where it is not of those that are out.
        """
        held = self._held.pop(key, None)
        if held is not None:
            return held.worker
        return None if self._back.pop(key, None) is None else ""

    def is_out(self, key: str) -> bool:
        """Whether a cell has been given out and is not settled."""
        return key in self._held or key in self._back

    def release(self, worker: str, keys: Iterable[str] | None = None) -> int:
        """Take back what a worker holds, or some of it; return how many cells."""
        wanted = self._held if keys is None else set(keys)
        chosen = [k for k in wanted if k in self._held and self._held[k].worker == worker]
        freed = sorted((self._held.pop(key).cell for key in chosen), key=lambda cell: cell.ordinal)
        self._back.update((cell.key, cell) for cell in freed)
        if freed:
            self.wake()
        return len(freed)
