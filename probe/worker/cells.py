"""One model's cells as a hub gives them, for the worker's own queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from probe.record import ToAsk
from probe.turns import Turns


@dataclass(slots=True, kw_only=True)
class HubCells:
    """What has come and is not in the queue yet.

    Attributes:
        held: Keys that this worker has and that are not settled.
        finished: Whether the hub has no more, and will have none.
    """

    held: set[str] = field(default_factory=set)
    finished: bool = False
    wants: int = 0
    _came: deque[ToAsk] = field(default_factory=deque)
    _waiting: Turns = field(default_factory=Turns)

    @property
    def hungry(self) -> bool:
        """Whether the queue waits for cells."""
        return len(self._waiting) > 0

    async def take(self, most: int) -> list[ToAsk]:
        """As `Cells.take`."""
        while not self._came and not self.finished:
            await self._waiting.wait()
        del most  # the hub gives what there is room for
        found = list(self._came)
        self._came.clear()
        return found

    def add(self, cells: Iterable[ToAsk]) -> None:
        """Cells have come."""
        for cell in cells:
            self.held.add(cell.key)
            self._came.append(cell)
        if self._came:
            self._waiting.wake_all()

    def drop(self, keys: Set[str]) -> None:
        """Forget cells that are others' now."""
        self.held -= keys
        self._came = deque(cell for cell in self._came if cell.key not in keys)

    def finish(self) -> None:
        """There will be no more."""
        self.finished = True
        self._waiting.wake_all()
