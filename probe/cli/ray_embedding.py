"""`probe embed --ray`: this process serves the store, and encoders are placed on a cluster."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from embedder.encoders.base import Encoder, Settings, Skipped
from embedder.errors import EmbedderError
from embedder.worker import State, Tally, Wanted, embed
from probe.cli.encoders import encoder_named, kinds_for
from probe.cluster.actors import Left, Post
from probe.cluster.asking import post_of
from probe.cluster.crew import Crew, Placed, why
from probe.cluster.errors import NotOnRay
from probe.cluster.groups import Group, Needs
from probe.cluster.joined import Cluster, join, node_address
from probe.errors import ProbeError
from probe.hub.opening import Opened, serve_store
from probe.hub.tokens import tokens_of
from probe.worker.embedding import HubPlace
from store.database import Database
from store.errors import StoreError
from store.hub_address import Address
from store.hub_reading import TOKEN
from store.read import Connection
from store.take_in import take_in
from store.vector_journal import EncoderMark

_LEASE_S: Final = 15.0
_OURS: Final = (EmbedderError, ProbeError, StoreError)
_AGAIN: Final = "the same command goes on where this stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToEmbed:
    """What an embedding worker does.

    Attributes:
        make: Gives the encoder.
        wanted: Gives the features it makes vectors of.
    """

    make: Callable[[], Encoder]
    wanted: Callable[[Encoder], Wanted]
    keys: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What an embedding worker has done."""

    encoder_id: str
    tally: Tally


class Embedding:
    """An actor that makes vectors of features of the hub's store.

    It is asked how far it is while it works, so two of its methods run at a time.
    """

    def __init__(self) -> None:
        self._state: State | None = None

    def where(self) -> str:
        """The node it is on."""
        return node_address()

    def state(self) -> State | None:
        """How far it is."""
        return self._state

    def run(self, post: Post, told: ToEmbed) -> Left:
        """Work until every feature has a vector."""
        os.environ.update(told.keys)
        os.environ[TOKEN] = post.token  # the reader of a hub's store takes it from there
        try:
            encoder = told.make()
        except _OURS as error:
            return Left(trouble=str(error))
        try:
            with HubPlace(where=post.where, link=post.link, folder=post.folder) as place:
                tally = embed(place, encoder, told.wanted(encoder), self._seen)
        except _OURS as error:
            return Left(trouble=str(error))
        finally:
            encoder.close()
        identity = encoder.identity
        mark = EncoderMark(name=identity.encoder, identity=asdict(identity))
        return Left(found=Made(encoder_id=mark.encoder_id, tally=tally))

    def _seen(self, state: State) -> None:
        self._state = state


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedOnRay:
    """What is asked for.

    Attributes:
        cluster: Its address, as Ray takes it.
        make: Gives a worker's encoder.
        wanted: Gives the features that get vectors.
        key_env: The variable that a server's key stands in.
        state: The folder on every node for what is not yet the hub's; None for the user's.
        patience_s: How long a worker may wait for a place (seconds).
    """

    cluster: str
    make: Callable[[], Encoder]
    wanted: Callable[[Encoder], Wanted]
    workers: int
    needs: Needs
    key_env: str | None = None
    state: Path | None = None
    patience_s: float = 3600.0


def wanted_of(encoder: Encoder, *, name: str, kinds: Sequence[str], asked: Wanted) -> Wanted:
    """What of the features an encoder gets: those of its kinds, or of the kinds asked for."""
    return replace(asked, kinds=kinds_for(encoder, kinds, name))


def asked_for(name: str, settings: Settings) -> Callable[[], Encoder]:
    """Makes an encoder by name, wherever it is called."""
    return partial(encoder_named, name, settings)


def embed_on_ray(
    asked: EmbedOnRay, store: Path, say: Callable[[str], None], show: Callable[[State], None]
) -> Tally:
    """Have workers make the vectors of a store's features; return when every one has ended.

    Args:
        asked: With what, and where.
        store: Its folder; this process owns it meanwhile.
        say: Takes a line for the user.
        show: Told now and then how far all are together, and at the end.

    Raises:
        RayMissing: Ray is not installed.
        NoCluster: There is no cluster to join.
        NotOnRay: No worker could do it, or not all of it.
    """
    cluster = join(asked.cluster)
    tokens, where = tokens_of(store), Address(cluster.here, 0)
    watched = _Watched(cluster=cluster, show=show)
    crew = _crew(asked, cluster, post_of(tokens, where, asked.state), watched)
    with Database(store, serve=True, readers=tokens.hashes()) as database:
        before = database.call(_held)
        asyncio.run(serve_store(where, _LEASE_S, database, say, crew.beside))
        database.call(lambda connection: take_in(connection, store))
        after = database.call(_held)
    found = [worker.left.found for worker in crew.workers if worker.left]
    every = [each for each in found if isinstance(each, Made)]
    if not every or why(crew.workers):
        raise NotOnRay(why(crew.workers) or "the workers were stopped", _AGAIN)
    own = every[0].encoder_id
    tallies = [each.tally for each in every]
    together = _together(tallies, held=before[own], made=after[own] - before[own])
    show(together.state)
    return together


def _crew(asked: EmbedOnRay, cluster: Cluster, post: Post, watched: _Watched) -> Crew:
    env = asked.key_env
    keys = {env: os.environ[env]} if env and env in os.environ else {}
    told = ToEmbed(make=asked.make, wanted=asked.wanted, keys=keys)
    return Crew(
        cluster=cluster,
        kind=Embedding,
        groups=[Group(name="encoder", workers=asked.workers, needs=asked.needs)],
        told=lambda _: told,
        post=post,
        patience_s=asked.patience_s,
        over=_over,
        seen=watched.look,
        enough=_all_is_made,
        threads=2,
    )


def _all_is_made(left: Left) -> bool:
    """A worker ends when every feature has its vector, from whoever; one may wait for a place."""
    return isinstance(left.found, Made) and not left.found.tally.waiting


def _over(hub: Opened, workers: Sequence[Placed]) -> None:
    del workers
    hub.stop()


def _held(connection: Connection) -> Counter[str]:
    """Vectors of each encoder (count)."""
    rows = connection.execute("SELECT encoder_id, count(*) FROM vectors GROUP BY ALL").fetchall()
    return Counter({str(encoder): int(count) for encoder, count in rows})


def _together(tallies: Sequence[Tally], *, held: int, made: int) -> Tally:
    """What all did. What a worker that died had done is in the store, and counted there."""
    return replace(
        tallies[0],
        state=replace(_sum([tally.state for tally in tallies]), embedded=made, held=held),
        skipped=tuple(_each_once(skipped for tally in tallies for skipped in tally.skipped)),
        waiting=False,
    )


def _each_once(skipped: Iterable[Skipped]) -> Iterable[Skipped]:
    return {each.target_id: each for each in skipped}.values()


@dataclass(slots=True, kw_only=True)
class _Watched:
    """Asks workers how far they are, and shows how far all are."""

    cluster: Cluster
    show: Callable[[State], None]
    _asked: dict[str, Any] = field(default_factory=dict)
    _states: dict[str, State] = field(default_factory=dict)

    def look(self, workers: Sequence[Placed]) -> None:
        """Look once."""
        working = [worker for worker in workers if worker.node and worker.left is None]
        for worker in working:
            self._asked.setdefault(worker.name, worker.actor.call("state"))
        if not self._asked:
            return
        ready = self.cluster.ready(list(self._asked.values()), 0.0)
        for name, reference in list(self._asked.items()):
            if reference in ready:
                del self._asked[name]
                state = self.cluster.result(reference)
                if isinstance(state, State):
                    self._states[name] = state
        if self._states:
            self.show(_sum(list(self._states.values())))


def _sum(states: Sequence[State]) -> State:
    """How far all are: each worker knows of its own vectors, and of most of the others'."""
    most = max(states, key=lambda state: state.held + state.embedded + state.skipped)
    done = most.held + most.embedded
    embedded = min(done, sum(state.embedded for state in states))
    return replace(
        most,
        held=done - embedded,
        embedded=embedded,
        tokens=sum(state.tokens for state in states),
        cut=sum(state.cut for state in states),
    )
