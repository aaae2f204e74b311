"""The `[ray]` table of an experiment file: what workers are placed, and what each needs of a node.

It changes no cell and no reply, so it is no part of an experiment's identity.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, model_validator

from probe.model_spec import Strict

_OWN_NAMES: Final = {"CPU": "num_cpus", "GPU": "num_gpus"}
_Amount = Annotated[float, Field(gt=0)]


def _check(num_gpus: float | None, resources: dict[str, float] | None) -> None:
    for name in resources or {}:
        if name in _OWN_NAMES:
            raise ValueError(f"resources may not set {name}; set {_OWN_NAMES[name]}")
    if num_gpus is not None and num_gpus > 1 and num_gpus % 1:
        raise ValueError("num_gpus is a part of one GPU, or a whole number of them")


class RayModel(Strict):
    """Workers that ask one model alone."""

    workers: int | None = Field(
        default=None,
        ge=1,
        description="Workers for it (by default 1; of an endpoint as many as `workers` says).",
    )
    num_cpus: float | None = Field(
        default=None, ge=0, description="CPUs of each; by default as in `[ray]`."
    )
    num_gpus: float | None = Field(
        default=None,
        ge=0,
        description="GPUs of each; by default as in `[ray]`, or what vLLM shares the model among.",
    )
    resources: dict[str, _Amount] | None = Field(
        default=None, description="Further resources of each; by default as in `[ray]`."
    )

    @model_validator(mode="after")
    def _check(self) -> RayModel:
        _check(self.num_gpus, self.resources)
        return self


class RaySpec(Strict):
    """How `probe run --ray` places workers."""

    workers: int = Field(
        default=1,
        ge=1,
        description="Workers that ask the endpoints, all of them together (count). A model with"
        " weights has workers of its own.",
    )
    num_cpus: float = Field(default=1.0, ge=0, description="CPUs of each worker, as Ray counts.")
    num_gpus: float = Field(
        default=0.0,
        ge=0,
        description="GPUs of each worker, as Ray counts; below 1 a share of one.",
    )
    resources: dict[str, _Amount] = Field(
        default_factory=dict,
        description="Further resources of each worker, by the names the cluster's nodes have.",
    )
    state: str | None = Field(
        default=None,
        description="A folder on every node, where a worker keeps what is not yet the hub's (by"
        " default one of the user's).",
    )
    models: dict[str, RayModel] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> RaySpec:
        _check(self.num_gpus, self.resources)
        return self
