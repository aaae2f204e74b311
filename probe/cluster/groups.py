"""Which workers an experiment asks for, and what each of them needs of a node. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from probe.cluster.errors import NotOnRay
from probe.cluster.table import RayModel, RaySpec
from probe.model_spec import ModelSpec

_ENDPOINTS: Final = "endpoints"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a worker needs of a node."""

    cpus: float = 1.0
    gpus: float = 0.0
    resources: Mapping[str, float] = field(default_factory=dict)

    @property
    def all(self) -> dict[str, float]:
        """By the names that Ray has for them, without those of which nothing is needed."""
        named = {"CPU": self.cpus, "GPU": self.gpus, **self.resources}
        return {name: amount for name, amount in named.items() if amount}

    def __str__(self) -> str:
        return shown(self.all)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Workers that do the same and need the same of a node.

    Attributes:
        models: Those they ask.
        workers: How many there are (count).
    """

    name: str
    models: tuple[str, ...] = ()
    workers: int
    needs: Needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of the cluster.

    Attributes:
        resources: All it has, used or not.
    """

    name: str
    resources: Mapping[str, float]


def groups_of(models: Iterable[ModelSpec], table: RaySpec) -> list[Group]:
    """The workers of an experiment.

    A model whose weights are loaded by its worker has workers of its own, and so has one that the
    table names. All other models are asked by the same workers.

    Raises:
        NotOnRay: A model is asked in batches.
    """
    groups, together = [], []
    for model in models:
        if model.mode == "batch":
            what = f"model {model.name} is asked in batches, which workers do not share"
            raise NotOnRay(what, "run it without --ray, or leave mode out")
        if model.weights_here or model.name in table.models:
            groups.append(_own(model, table))
        else:
            together.append(model.name)
    if together:
        needs = Needs(cpus=table.num_cpus, gpus=table.num_gpus, resources=table.resources)
        name = together[0] if len(together) == 1 else _ENDPOINTS
        workers = table.workers
        groups.append(Group(name=name, models=tuple(together), workers=workers, needs=needs))
    return groups


def _own(model: ModelSpec, table: RaySpec) -> Group:
    own = table.models.get(model.name, RayModel())
    gpus = table.num_gpus
    if model.provider == "vllm" and model.weights_here:
        gpus = float(model.serve_here.tensor_parallel)
    return Group(
        name=model.name,
        models=(model.name,),
        workers=own.workers or (1 if model.weights_here else table.workers),
        needs=Needs(
            cpus=table.num_cpus if own.num_cpus is None else own.num_cpus,
            gpus=gpus if own.num_gpus is None else own.num_gpus,
            resources=table.resources if own.resources is None else own.resources,
        ),
    )


def lacking(needs: Needs, nodes: Sequence[Node]) -> str:
    """What of a worker's needs no node can ever give; an empty text where some node can."""
    if any(_fits(needs.all, node) for node in nodes):
        return ""
    missing = {
        name: amount
        for name, amount in needs.all.items()
        if not any(_fits({name: amount}, node) for node in nodes)
    }
    have = "; ".join(_node_shown(node, needs.all) for node in nodes) or "there is no node"
    if missing:
        return f"no node has {shown(missing)} ({have})"
    return f"no node has {needs} together ({have})"


def _fits(needs: Mapping[str, float], node: Node) -> bool:
    return all(node.resources.get(name, 0.0) >= amount for name, amount in needs.items())


def _node_shown(node: Node, needs: Mapping[str, float]) -> str:
    """What a node has: CPUs and GPUs, its own resources, and those that are needed."""
    names = dict.fromkeys(["CPU", "GPU", *_own_of(node), *needs])
    return f"node {node.name}: {shown({n: node.resources.get(n, 0.0) for n in names})}"


def _own_of(node: Node) -> Iterator[str]:
    for name in sorted(node.resources):
        if ":" not in name and name not in {"CPU", "GPU", "memory", "object_store_memory"}:
            yield name


def shown(amounts: Mapping[str, float]) -> str:
    """Amounts of resources, for people."""
    return ", ".join(f"{amount:g} {name}" for name, amount in amounts.items()) or "nothing"
