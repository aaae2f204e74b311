"""Workers on a cluster, from being asked for to their end.

Ray places them, and starts them again where they die. Here it is said what they wait for, and how
each ends; nobody waits for a worker that has ended, or that found no place for too long.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any, Final

from probe.cluster.actors import Left, Post
from probe.cluster.groups import Group, lacking
from probe.cluster.joined import Actor, Cluster, Failed
from probe.hub.opening import Opened
from probe.progress import span
from store.hub_address import Address

_LOOK_S: Final = 0.5
_SAY_AFTER_S: Final = 5.0
_LEAVE_S: Final = 20.0
_ANY: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - to be told from a host's own address


@dataclass(slots=True, kw_only=True)
class Placed:
    """A worker that was asked for.

    Attributes:
        node: Where it is, once it has a place.
        left: How it ended, once it has.
    """

    group: Group
    name: str
    actor: Actor
    up: Any
    done: Any
    node: str | None = None
    left: Left | None = None


@dataclass(slots=True, kw_only=True)
class Crew:
    """The workers of a run.

    Attributes:
        kind: The class of their actors.
        told: What a worker of a group does.
        post: Of the first; the hub's address is filled in when it is known.
        patience_s: How long a worker may wait for a place (seconds).
        seen: Called now and then while workers work.
        over: Called with all workers once each has ended, if the hub is still open.
        enough: Whether one that has ended so leaves nothing to do for the others.
        threads: Of a worker's methods, how many may run at a time (count).
    """

    cluster: Cluster
    kind: type
    groups: Sequence[Group]
    told: Callable[[Group], object]
    post: Post
    patience_s: float
    over: Callable[[Opened, Sequence[Placed]], None]
    seen: Callable[[Sequence[Placed]], None] = lambda _: None
    enough: Callable[[Left], bool] = lambda _: False
    threads: int = 1
    workers: list[Placed] = field(default_factory=list)
    _began: float = 0.0
    _leaving: bool = False
    _said: dict[str, str] = field(default_factory=dict)

    @asynccontextmanager
    async def beside(self, hub: Opened) -> AsyncIterator[None]:
        """The workers, at work while the hub is open; at the end they are gone."""
        with redirect_stdout(sys.stderr):  # Ray prints there what becomes of actors
            await asyncio.to_thread(self._start, hub)
            tending = asyncio.create_task(self._tend(hub))
            try:
                yield
                self._give_up([w for w in self._open if w.node is None])
                await asyncio.wait({tending}, timeout=_LEAVE_S)
            finally:
                self._leaving = True  # a look that went on would join the cluster again
                await tending
                await asyncio.to_thread(self.cluster.leave)

    @property
    def _open(self) -> list[Placed]:
        return [worker for worker in self.workers if worker.left is None]

    def _start(self, hub: Opened) -> None:
        where = reachable(hub.where, self.cluster.here)
        post, self._began = replace(self.post, where=where), time.monotonic()
        for group in self.groups:
            for number in range(1, group.workers + 1):
                name = f"{group.name}-{number}"
                actor = self.cluster.start(self.kind, group.needs, self.threads)
                own = replace(post, name=name)
                up, done = actor.call("where"), actor.call("run", own, self.told(group))
                self.workers.append(Placed(group=group, name=name, actor=actor, up=up, done=done))
        asked = ", ".join(f"{g.workers} for {g.name} ({g.needs} each)" for g in self.groups)
        hub.say(f"workers asked of Ray: {asked}")

    async def _tend(self, hub: Opened) -> None:
        while self._open and not self._leaving:
            await asyncio.to_thread(self._look, hub)
            if any(worker.left and self.enough(worker.left) for worker in self.workers):
                break
        if not self._leaving:
            self.over(hub, self.workers)

    def _look(self, hub: Opened) -> None:
        waited = [w.done for w in self._open] + [w.up for w in self._open if w.node is None]
        ready = self.cluster.ready(waited, _LOOK_S)
        for worker in self._open:
            if worker.node is None and worker.up in ready:
                node = self.cluster.result(worker.up)
                worker.node = node if isinstance(node, str) else "?"
            if worker.done in ready:
                self._end(worker, hub)
        waiting = [worker for worker in self._open if worker.node is None]
        waited_s = time.monotonic() - self._began
        if waiting and waited_s > self.patience_s:
            self._give_up(waiting)
        elif waiting and waited_s > _SAY_AFTER_S:
            self._say_waiting(waiting, hub)
        self.seen(self.workers)

    def _end(self, worker: Placed, hub: Opened) -> None:
        left = self.cluster.result(worker.done)
        if isinstance(left, Failed):
            left = Left(trouble=left.why)
        worker.left = left if isinstance(left, Left) else Left(trouble="it ended without a word")
        if worker.left.trouble:
            hub.say(f"worker {worker.name} at {worker.node} has ended: {worker.left.trouble}")

    def _say_waiting(self, waiting: Sequence[Placed], hub: Opened) -> None:
        """Say what they wait for, each time that it is something else."""
        nodes = self.cluster.nodes()
        for group in {worker.group.name: worker.group for worker in waiting}.values():
            count = sum(worker.group.name == group.name for worker in waiting)
            found = lacking(group.needs, nodes) or "what they need is in use"
            what = f"{count} of {group.workers} workers for {group.name} wait for a place"
            if self._said.get(group.name) != f"{what}{found}":
                self._said[group.name] = f"{what}{found}"
                hub.say(f"{what} ({group.needs} each): {found}; at most {span(self.patience_s)}")

    def _give_up(self, waiting: Sequence[Placed]) -> None:
        nodes = self.cluster.nodes() if waiting else []
        for worker in waiting:
            self.cluster.kill(worker.actor)
            found = lacking(worker.group.needs, nodes) or f"{worker.group.needs} was never free"
            worker.left = Left(trouble=f"no place for it: {found}")


def reachable(bound: Address, here: str) -> Address:
    """The address that workers reach a hub at.

    Args:
        bound: Where it listens.
        here: Its node's address.
    """
    return Address(here if bound.host in _ANY else bound.host, bound.port, plain=True)


def why(workers: Sequence[Placed]) -> str:
    """What ended workers, each reason once."""
    troubles = [f"{w.left.trouble}" for w in workers if w.left and w.left.trouble]
    return "; ".join(dict.fromkeys(troubles))
