"""Opens a run's hub, and closes it when its workers have left."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from probe.budget import Budget
from probe.errors import ProviderDown
from probe.feed import Recording, StoreCells
from probe.hub.ahead import Ahead
from probe.hub.arrivals import Arrivals
from probe.hub.buckets import Leases
from probe.hub.desk import Desk
from probe.hub.front import Front
from probe.hub.hub import About, Hub
from probe.hub.tokens import tokens_of
from probe.model_spec import ModelSpec
from probe.run import ModelRun
from store.database import Database
from store.hub_address import Address

_TEND_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A hub that is open, as those see it who bring it workers.

    Attributes:
        where: The address it listens at.
        say: Takes a line for the user.
        stop: Called to end it.
        left: Whether a model has cells that nobody has settled.
        down: Told of a model that nobody can ask.
    """

    where: Address
    say: Callable[[str], None]
    stop: Callable[[], None]
    left: Callable[[str], bool] = lambda _: False
    down: Callable[[ProviderDown], None] = lambda _: None


Beside: TypeAlias = Callable[[Opened], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def _nothing(_: Opened) -> AsyncIterator[None]:
    yield


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """How a run gives cells to workers.

    Attributes:
        where: The address it listens at.
        lease_s: How long a worker may not be heard of before its cells go to others (seconds).
        asks_here: Whether this process asks models as well.
        beside: What goes on while the hub is open, such as workers that are started for it.
    """

    where: Address
    lease_s: float
    asks_here: bool = False
    beside: Beside = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a hub is part of.

    Attributes:
        database: The store's, which is open and served.
        budget: This process's.
        here: Models that are asked here too, as they are opened.
        say: Takes a line for the user.
        stop: Called to end the run; `spent` where that is because of its ceilings.
        down: Told of a model that nobody can ask.
    """

    database: Database
    recording: Recording
    budget: Budget
    here: Sequence[ModelRun]
    say: Callable[[str], None]
    stop: Callable[[], None]
    spent: Callable[[], None]
    down: Callable[[ProviderDown], None] = lambda _: None


@asynccontextmanager
async def hub_open(listen: Listen, about: About, around: Around) -> AsyncIterator[Hub]:
    """A hub that listens; at the end its workers finish what is in flight and leave.

    Raises:
        CannotListen: The address cannot be had.
        BadTokens: The file of tokens cannot be used.
    """
    clock = asyncio.get_running_loop()
    tokens = tokens_of(around.database.path)
    desks = {model.spec.name: _desk(model.spec, around, about) for model in about.models}
    hub = Hub(
        about=about,
        database=around.database,
        tokens=tokens,
        desks=desks,
        budget=around.budget,
        here=around.here,
        clock=clock,
        lease_s=listen.lease_s,
        say=around.say,
        on_spent=around.spent,
        on_failure=around.stop,
    )
    front = Front(
        where=listen.where,
        database=around.database,
        tokens=tokens,
        leases=Leases(clock=clock, lease_s=listen.lease_s),
        arrivals=hub.arrivals,
        hub=hub,
        on_stop=around.stop,
    )
    async with front:
        around.say(f"hub at {front.bound}; workers join with: probe work --hub {front.bound}")
        if front.is_exposed:
            around.say("other machines reach it without TLS; see docs/workers.md for a proxy")
        tending = asyncio.create_task(hub.run())
        try:
            async with listen.beside(_opened(hub, front, around)):
                yield hub
                hub.stop()
                while hub.members:  # each says goodbye, or is lost
                    await hub.changed.wait()
        finally:
            tending.cancel()
            with suppress(asyncio.CancelledError):
                await tending
            hub.arrivals.close()


def _opened(hub: Hub, front: Front, around: Around) -> Opened:
    return Opened(
        where=front.bound,
        say=around.say,
        stop=around.stop,
        left=lambda model: not hub.stopping and not hub.desks[model].finished,
        down=around.down,
    )


async def serve_store(
    where: Address,
    lease_s: float,
    database: Database,
    say: Callable[[str], None],
    beside: Beside = _nothing,
) -> None:
    """Serve a store for reading and for encoders, until a signal or its owner ends it.

    Raises:
        CannotListen: The address cannot be had.
        BadTokens: The file of tokens cannot be used.
    """
    clock, stopped = asyncio.get_running_loop(), asyncio.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        clock.add_signal_handler(signum, stopped.set)
    arrivals = Arrivals(
        database=database,
        is_out=lambda _: False,
        came=lambda _: None,
        failed=stopped.set,
    )
    front = Front(
        where=where,
        database=database,
        tokens=tokens_of(database.path),
        leases=Leases(clock=clock, lease_s=lease_s),
        arrivals=arrivals,
        on_stop=stopped.set,
    )
    async with front, beside(Opened(where=front.bound, say=say, stop=stopped.set)):
        say(f"store served at {front.bound}; ATTACH it from DuckDB, or: probe sql --store …")
        while not stopped.is_set():
            database.tend()
            with suppress(TimeoutError):
                async with asyncio.timeout(_TEND_S):
                    await stopped.wait()
    arrivals.close()


def _room(model: str, here: Sequence[ModelRun], ahead: Ahead) -> int:
    run = next((run for run in here if run.model.spec.name == model), None)
    return 0 if run is None else ahead.room(run)


def _desk(spec: ModelSpec, around: Around, about: About) -> Desk:
    ahead = Ahead()
    return Desk(
        cells=StoreCells(
            recording=around.recording,
            scope=about.scope,
            model=spec.name,
            samples=spec.request_samples,
        ),
        room_here=lambda: _room(spec.name, around.here, ahead),
    )


async def all_settled(hub: Hub) -> None:
    """Until no cell is left to be asked by any worker, or the hub is told to stop."""
    while not hub.finished and not hub.stopping:
        await hub.changed.wait()
