"""`probe run --ray`: this process is the hub, and asking workers are placed on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from probe.cluster.actors import Asking, Post, ToAsk
from probe.cluster.crew import Crew, Placed, why
from probe.cluster.groups import Group, groups_of
from probe.cluster.joined import join
from probe.errors import ProviderDown
from probe.hub.opening import Listen, Opened
from probe.hub.tokens import Tokens, tokens_of
from probe.model_spec import ModelSpec
from probe.spec import Spec
from store.hub_address import Address, address

_KEY: Final = 12
_FIX: Final = "mend it and run again; what was answered is kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnRay:
    """What was asked on the command line.

    Attributes:
        cluster: Its address, as Ray takes it.
        listen: Where the hub listens; None for a free port of this node's address.
        patience_s: How long a worker may wait for a place (seconds).
    """

    cluster: str
    listen: str | None
    lease_s: float
    patience_s: float


def listen_on_ray(asked: OnRay, spec: Spec, experiment: Path, store: Path) -> Listen:
    """How a run gives cells to workers that Ray places.

    Args:
        asked: On the command line.
        spec: The experiment.
        experiment: Its file.
        store: The store's folder.

    Raises:
        RayMissing: Ray is not installed.
        NoCluster: There is no cluster to join.
        NotOnRay: Workers cannot do what the experiment asks for.
    """
    groups = groups_of(spec.models, spec.ray)
    cluster = join(asked.cluster)
    where = address(asked.listen) if asked.listen else Address(cluster.here, 0)
    keys = keys_of(spec.models)

    def told(group: Group) -> ToAsk:
        return ToAsk(models=group.models, experiment=experiment.absolute(), keys=keys)

    state = None if spec.ray.state is None else Path(spec.ray.state)
    crew = Crew(
        cluster=cluster,
        kind=Asking,
        groups=groups,
        told=told,
        post=post_of(tokens_of(store), where, state),
        patience_s=asked.patience_s,
        over=_over,
    )
    return Listen(where=where, lease_s=asked.lease_s, beside=crew.beside)


def post_of(tokens: Tokens, where: Address, state: Path | None) -> Post:
    """A store's post: its folder on the nodes is the same at whatever address it listens."""
    store = tokens.hashes()[0][:_KEY]
    return Post(where=where, token=tokens.by_role["work"], store=store, name="", state=state)


def keys_of(models: Iterable[ModelSpec]) -> dict[str, str]:
    """The variables that models' keys stand in, as far as they are set here."""
    names = [name for model in models for name in (model.api_key_env, *model.headers_env.values())]
    return {name: os.environ[name] for name in names if name and name in os.environ}


def _over(hub: Opened, workers: Sequence[Placed]) -> None:
    """All workers have ended: a model that has cells left is asked by nobody."""
    names = dict.fromkeys(name for worker in workers for name in worker.group.models)
    lonely = [name for name in names if hub.left(name)]
    for name in lonely:
        own = [worker for worker in workers if name in worker.group.models]
        said = [down for worker in own if worker.left for down in worker.left.down]
        found = f"no worker is left to ask it: {why(own) or 'every one has ended'}"
        hub.down(next((d for d in said if d.model == name), ProviderDown(name, found, _FIX)))
    if lonely:
        hub.stop()
