"""The Ray cluster this process is part of. Nothing else here imports Ray."""

from __future__ import annotations

import importlib
import logging
import os
import socket
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from probe.cluster.errors import NoCluster, RayMissing
from probe.cluster.groups import Needs, Node

_LOCAL: Final = "local"
_AUTO: Final = "auto"
_LOOPBACK: Final = "127.0.0.1"
_CONNECT_S: Final = 5.0
_OBJECTS: Final = 100 << 20
_ON_A_NODE: Final = "start it with `ray start`, and this command on one of its nodes"


@dataclass(frozen=True, slots=True)
class Failed:
    """Why something that was asked of an actor has no result."""

    why: str


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor that was asked for; it may still wait for its place."""

    handle: Any

    def call(self, method: str, *told: object) -> Any:  # noqa: ANN401 - Ray's reference
        """Have it do something; what comes of it, to be waited for.

        What is told stays with this process and the actor's: Ray's dashboard and logs do not show
        it, as they would what stands in a constructor's arguments or a runtime environment.
        """
        return getattr(self.handle, method).remote(*told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster that was joined.

    Attributes:
        here: This node's address, as others reach it.
    """

    here: str

    def nodes(self) -> list[Node]:
        """Those that are alive, with all that they have."""
        return [
            Node(name=str(node["NodeManagerAddress"]), resources=dict(node["Resources"]))
            for node in _ray().nodes()
            if node["Alive"]
        ]

    def start(self, kind: type, needs: Needs, threads: int = 1) -> Actor:
        """Ask for an actor; Ray places it, and starts it again where it dies.

        Args:
            kind: Its class, which is imported where it runs.
            needs: What it needs of a node, for as long as it lives.
            threads: Of its methods, how many may run at a time (count).
        """
        made = (
            _ray()
            .remote(kind)
            .options(
                num_cpus=needs.cpus,
                num_gpus=needs.gpus,
                resources=dict(needs.resources) or None,
                max_restarts=-1,
                max_task_retries=-1,
                max_concurrency=threads,
            )
        )
        return Actor(made.remote())

    def ready(self, results: Sequence[Any], within_s: float) -> Collection[Any]:
        """Those results that are there, after so long at the latest (seconds)."""
        found = _ray().wait(list(results), num_returns=len(results), timeout=within_s)[0]
        return set(found)

    def result(self, reference: Any) -> object:  # noqa: ANN401 - Ray's reference
        """A result that is there; `Failed` where it is none."""
        errors = _ray().exceptions
        try:
            found: object = _ray().get(reference)
        except errors.RayTaskError as error:
            return Failed(f"{type(error.cause).__name__}: {error.cause}")
        except errors.RayError as error:
            return Failed(_last_line(str(error)))
        return found

    def kill(self, actor: Actor) -> None:
        """End an actor, wherever it is."""
        _ray().kill(actor.handle)

    def leave(self) -> None:
        """Leave the cluster, which ends the actors of this process; a local one ends too."""
        _ray().shutdown()


def _ray() -> Any:  # noqa: ANN401 - a module, of which much has no types
    """Ray, which is an extra, and slow to import.

    Raises:
        RayMissing: It is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ray":
            raise
        raise RayMissing from None


def join(address: str) -> Cluster:
    """Join the cluster at an address, or start one of this process.

    Args:
        address: `auto`, host:port, or `local`.

    Raises:
        RayMissing: Ray is not installed.
        NoCluster: There is none, or none that can be joined.
    """
    ray = _ray()
    _check(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    own: dict[str, Any] = {}
    if address == _LOCAL:
        own = {"include_dashboard": False, "object_store_memory": _OBJECTS}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except SystemExit:  # how Ray ends where no cluster answers
        raise NoCluster(address, "what answers there is no cluster", _ON_A_NODE) from None
    except (ConnectionError, RuntimeError, ValueError) as error:
        none_here = address == _AUTO and isinstance(error, ConnectionError)
        found = "none is running here" if none_here else _last_line(str(error))
        raise NoCluster(address, found, _ON_A_NODE) from None
    return Cluster(here=_LOOPBACK if address == _LOCAL else node_address())


def node_address() -> str:
    """Of the node that this process is on."""
    return str(_ray().util.get_node_ip_address())


def _check(address: str) -> None:
    """Find out at once what Ray would find out after minutes, or say otherwise."""
    if address in {_LOCAL, _AUTO}:
        return
    host, _, port = address.rpartition(":")
    if "/" in address or not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        fix = f"write auto, local, or the head's host:port; {_ON_A_NODE}"
        raise NoCluster(address, "it is no address of a cluster", fix)
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S):
            pass
    except OSError as error:
        found = f"nobody answers there ({error.strerror or error})"
        raise NoCluster(address, found, _ON_A_NODE) from None


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "it does not say why"
