"""How a run or a worker is stopped: by a signal, or by a store that fails."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Final

from probe.ended import Ended
from store.errors import StoreError

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_stop(
    ended: Ended, stop: Callable[[], None], say: Callable[[str], None]
) -> Iterator[None]:
    """The first signal ends this task gently, the second at once.

    Args:
        ended: Told that it was interrupted.
        stop: Called at the first signal: nothing new is taken, what is in flight is finished.
        say: Takes a line for the user.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def on_signal() -> None:
        if ended.interrupted and task is not None:
            task.cancel()
            return
        ended.interrupted = True
        say("stopping: finishing what is in flight; once more to stop at once")
        stop()

    for signum in _SIGNALS:
        loop.add_signal_handler(signum, on_signal)
    try:
        yield
    finally:
        for signum in _SIGNALS:
            loop.remove_signal_handler(signum)


async def guarded(
    work: Coroutine[object, object, None], ended: Ended, stop: Callable[[], None]
) -> None:
    """Do a part of the work; if the store fails, what is in flight elsewhere is finished."""
    try:
        await work
    except StoreError as error:
        ended.trouble = ended.trouble or error
        stop()
    except BaseExceptionGroup as group:
        stores, others = group.split(StoreError)
        if others is not None:
            raise
        if stores is not None:
            ended.trouble = ended.trouble or _first(stores)
        stop()


def _first(group: BaseExceptionGroup[StoreError]) -> StoreError:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
