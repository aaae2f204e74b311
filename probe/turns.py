"""Those who wait for something to change, in the order in which they came."""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """A line of waiters. Whoever is woken looks again for itself."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self) -> None:
        """Wait to be woken."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        await turn

    def wake(self, count: int) -> None:
        """Wake the first so many (count); those who gave up do not count."""
        while count > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                count -= 1

    def wake_all(self) -> None:
        """Wake everyone who waits now."""
        self.wake(len(self._waiting))
