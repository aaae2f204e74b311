"""What a model of the provider `vllm` is made of: its weights, and its name in cells' keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from probe.errors import SpecError
from probe.model_spec import ModelSpec
from probe.weights_folder import folder_digest
from store.assets import file_sha256
from store.catalogue import MODELS
from store.keys import digest

_HUB_ID: Final = re.compile(r"^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$")
_OF_THE_REPLY: Final = (
    "--quantization",
    "-q",
    "--load-format",
    "--kv-cache-dtype",
    "--tokenizer",
    "--tokenizer-revision",
    "--code-revision",
    "--hf-overrides",
    "--generation-config",
    "--override-generation-config",
    "--rope-scaling",
    "--lora-modules",
    "--speculative-config",
    "--logprobs-mode",
    "--chat-template-content-format",
    "--reasoning-parser",
)
"""Arguments of vLLM that change what it replies; others change how fast."""


@dataclass(frozen=True, slots=True)
class VllmWeights:
    """Where the weights of a model are.

    Attributes:
        kind: `asset` and `gguf`: a file that is unpacked first. `folder`: as transformers saves a
            model. `hub`: an id that vLLM fetches.
        path: Of the file or folder; None for an asset and the hub.
    """

    kind: Literal["asset", "gguf", "folder", "hub"]
    path: Path | None = None


def find_weights(model: ModelSpec, spec_path: Path) -> VllmWeights:
    """What a model's name stands for; a file or folder goes before the hub.

    Raises:
        SpecError: It is nothing of all this.
    """
    if model.model in MODELS:
        return VllmWeights("asset")
    for path in (spec_path.parent / model.model, Path(model.model).expanduser()):
        if path.is_dir():
            return VllmWeights("folder", _folder(model, path.resolve(), spec_path))
        if path.is_file() and path.suffix == ".gguf":
            return VllmWeights("gguf", path.resolve())
        if path.is_file():
            found = f"model {model.name}: {path} is neither a folder nor a GGUF file"
            raise SpecError(spec_path, (found,))
    if not _HUB_ID.match(model.model):
        found = f"model {model.name}: there is no {model.model}, and no id of the hub is like that"
        raise SpecError(spec_path, (f"{found}; known models: {', '.join(MODELS)}",))
    return VllmWeights("hub")


def _folder(model: ModelSpec, path: Path, spec_path: Path) -> Path:
    if not (path / "config.json").is_file():
        found = f"model {model.name}: the folder {path} holds no config.json, so no model"
        raise SpecError(spec_path, (found,))
    return path


def identity(model: ModelSpec, weights: VllmWeights, spec_path: Path) -> str:
    """What stands for the model in cells' keys: its weights, and what of `serve` changes replies.

    Raises:
        SpecError: A chat template's file is not to be found.
    """
    serve = model.serve_here
    template = chat_template(model, spec_path)
    told = {
        "weights": _weights_identity(model, weights),
        "revision": serve.revision,
        "dtype": serve.dtype,
        "chat_template": template.read_text("utf-8") if isinstance(template, Path) else template,
        "args": _of_the_reply(serve.args),
    }
    return f"vllm:{digest(told)}"


def chat_template(model: ModelSpec, spec_path: Path) -> Path | str | None:
    """A model's own chat template: a file, from the experiment file's folder, or its text.

    Raises:
        SpecError: It names a file that is not to be found.
    """
    told = model.serve_here.chat_template
    if told is None or "{" in told or "\n" in told:
        return told
    for path in (spec_path.parent / told, Path(told).expanduser()):
        if path.is_file():
            return path.resolve()
    raise SpecError(spec_path, (f"model {model.name}: no chat template {told}",))


def _weights_identity(model: ModelSpec, weights: VllmWeights) -> str:
    if weights.kind == "asset":
        return f"sha256:{MODELS[model.model].sha256}"
    if weights.path is None:
        return f"hub:{model.model}"
    if weights.kind == "gguf":
        return f"sha256:{file_sha256(weights.path)}"
    return f"folder:{folder_digest(weights.path)}"


def _of_the_reply(args: Sequence[str]) -> list[str]:
    """Of vLLM's arguments those that change replies, with their values, in order of name."""
    told = []
    for at, word in enumerate(args):
        name, parted, value = word.partition("=")
        if name not in _OF_THE_REPLY:
            continue
        following = args[at + 1] if at + 1 < len(args) and not parted else value
        told.append(f"{name}={following}")
    return sorted(told)
