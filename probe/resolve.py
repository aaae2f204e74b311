"""From names in an experiment file to things: dataset files, model weights, providers."""

from __future__ import annotations

from pathlib import Path

from probe.conditions import Asking
from probe.errors import SpecError
from probe.homes import root_of
from probe.model_spec import ModelSpec
from probe.plan import Model, Plan, Source
from probe.providers import Local, OpenAIChat, Provider
from probe.providers.anthropic_batches import AnthropicBatches
from probe.providers.anthropic_messages import SERVER, Anthropic
from probe.providers.openai_batches import OpenAIBatches
from probe.providers.transformers_local import Transformers
from probe.providers.vllm import Vllm, Weights
from probe.providers.vllm_weights import chat_template, find_weights, identity
from probe.spec import Spec, TaskSpec, dataset_path, model_file, named_path
from probe.weights_folder import folder_digest
from probe.worker.errors import OtherWeights
from prompts import DatasetError, Descriptions, NamePolicy, UnknownName, Wording
from prompts.datasets import dataset_named
from prompts.descriptions import NONE, read_descriptions
from prompts.names.maps import read_maps
from prompts.names.strategies import strategy_named
from prompts.wordings import OWN, read_wording
from store.assets import Progress, cache_folder, fetch, file_sha256
from store.catalogue import ASSETS, MODELS


def find(spec: Spec, spec_path: Path, progress: Progress) -> Plan:
    """A plan, its datasets fetched where they are assets; models are not fetched.

    Raises:
        SpecError: A path leads nowhere, or a local model is neither an asset nor a file.
        DatasetError: A file of wordings, descriptions or name maps is not as it should be.
        AssetError: A dataset cannot be fetched.
    """
    return Plan(
        spec=spec,
        models=tuple(_model(model, spec_path) for model in spec.models),
        sources=tuple(_source(task, spec_path, progress) for task in spec.tasks),
        asking=_asking(spec, spec_path),
    )


def _asking(spec: Spec, spec_path: Path) -> Asking:
    own = spec.conditions
    wordings = tuple(_wording(name, spec, spec_path) for name in spec.asked_wordings)
    return Asking(
        names=own.names,
        prompts=own.prompts,
        policy=_policy(spec, spec_path),
        wordings=wordings,
        descriptions=tuple(_descriptions(name, spec, spec_path) for name in own.descriptions),
    )


def _policy(spec: Spec, spec_path: Path) -> NamePolicy:
    maps = {}
    if spec.name_maps is not None:
        maps = read_maps(named_path(spec.name_maps, "name_maps", spec_path))
    own = spec.conditions
    for name in own.names:
        try:
            strategy_named(name, maps)
        except UnknownName as error:
            raise SpecError(spec_path, (f"conditions.names: {error}",)) from None
    return NamePolicy(
        cross_culture=own.cross_culture,
        seed=spec.seed,
        match_length=own.match_length,
        maps=maps,
    )


def _wording(name: str, spec: Spec, spec_path: Path) -> Wording:
    if name == OWN:
        return Wording()
    path = named_path(spec.wordings[name], f"wording {name}", spec_path)
    wording = read_wording(path, name)
    missing = wording.missing([task.name for task in spec.tasks], spec.conditions.prompts)
    if missing:
        raise DatasetError(path, "", f"no words for {', '.join(missing)}", "add them to the file")
    return wording


def _descriptions(name: str, spec: Spec, spec_path: Path) -> Descriptions:
    if name == NONE:
        return Descriptions()
    path = named_path(spec.descriptions[name], f"descriptions {name}", spec_path)
    return read_descriptions(path, name)


def _model(model: ModelSpec, spec_path: Path) -> Model:
    if model.provider == "anthropic":  # asked otherwise than what is like OpenAI at one address
        named = model.endpoint or model.base_url or SERVER
        return Model(spec=model, endpoint=f"anthropic:{named}")
    if model.provider == "openai" or model.base_url is not None:
        return Model(spec=model, endpoint=model.endpoint or model.base_url or "")
    if model.provider == "vllm":
        weights = find_weights(model, spec_path)
        return Model(spec=model, endpoint=identity(model, weights, spec_path))
    sha256 = _weights_sha256(model, spec_path)
    if model.provider == "transformers":  # computes otherwise than the embedded server
        return Model(spec=model, endpoint=f"transformers:{sha256}")
    return Model(spec=model, endpoint=f"sha256:{sha256}")


def _weights_sha256(model: ModelSpec, spec_path: Path) -> str:
    path = model_file(model, spec_path)
    if path is None:
        return MODELS[model.model].sha256
    if path.is_file():
        return file_sha256(path)
    if not (path / "config.json").is_file():
        found = f"model {model.name}: the folder {path} holds no config.json, so no model"
        raise SpecError(spec_path, (found,))
    return folder_digest(path)


def _source(task: TaskSpec, spec_path: Path, progress: Progress) -> Source:
    return Source(task=task, root=dataset_root(task, spec_path, progress))


def dataset_root(task: TaskSpec, spec_path: Path, progress: Progress) -> Path:
    """What a task's reader is given: the path of the file, an asset, or the cached copy.

    Raises:
        SpecError: The path leads nowhere.
        NotHere: There is no path, and no copy either.
        AssetError: An asset cannot be fetched, or the cached copy is damaged.
    """
    dataset = dataset_named(task.dataset)
    path = dataset_path(task, spec_path)
    if path is None and dataset.asset is not None:
        return fetch(ASSETS[dataset.asset], progress)
    return root_of(dataset, path)


def provider_for(model: ModelSpec, spec_path: Path, log: Path, progress: Progress) -> Provider:
    """What asks a model; the weights of a local one are fetched and verified.

    Raises:
        AssetError: The weights cannot be fetched.
    """
    batched = model.mode == "batch"
    if model.provider == "openai":
        base_url = model.base_url or ""
        return OpenAIBatches(model, base_url) if batched else OpenAIChat(model, base_url)
    if model.provider == "anthropic":
        return AnthropicBatches(model) if batched else Anthropic(model)
    if model.provider == "vllm":
        return Vllm(model, _vllm_weights(model, spec_path, progress), log)
    path = model_file(model, spec_path) or fetch(MODELS[model.model], progress)
    if model.provider == "transformers":
        return Transformers(model, path, log, cache_folder() / "unpacked")
    return Local(model, path, log)


def _vllm_weights(model: ModelSpec, spec_path: Path, progress: Progress) -> Weights | None:
    if model.base_url is not None:
        return None
    found = find_weights(model, spec_path)
    path = found.path or Path(model.model)
    if found.kind == "asset":
        path = fetch(MODELS[model.model], progress)
    template = chat_template(model, spec_path)
    return Weights(
        path=str(path),
        unpack=found.kind in {"asset", "gguf"},
        cache=cache_folder() / "unpacked",
        chat_template=None if template is None else str(template),
    )


def as_hub_has_it(model: ModelSpec, endpoint: str, spec_path: Path) -> Model:
    """A model that a hub asks for, found here.

    Args:
        model: Its part of the hub's experiment file.
        endpoint: What stands for it in its cells' keys there.
        spec_path: From whose folder paths count.

    Raises:
        SpecError: It is not here.
        OtherWeights: It is another here.
    """
    found = _model(model, spec_path)
    if found.endpoint != endpoint:
        raise OtherWeights(model.name, found.endpoint, endpoint)
    return found


def note_for(model: ModelSpec) -> str | None:
    """What users must know of a model's results, where the catalogue says so."""
    asset = None if model.provider in {"openai", "anthropic"} else MODELS.get(model.model)
    return asset.note if asset else None
