"""Encoders by name. Importing this loads no model and none of the packages that run one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from embedder.encoders.base import Encoder, Settings
from embedder.errors import BadSetting, MissingPackages, NoSuchEncoder

DEFAULT: Final = "all-minilm-l6-v2"
_MINILM: Final = "sentence-transformers/all-MiniLM-L6-v2"
_WORD_MODELS: Final = {
    f"t5-{size}": f"google-t5/t5-{size}" for size in ("11b", "3b", "large", "base", "small")
}
_NV_EMBED: Final = {
    "nv-embed-v1": "nvidia/NV-Embed-v1",
    "nv-embed-v2": "nvidia/NV-Embed-v2",
}
_PACKAGES: Final = {"huggingface_hub", "safetensors", "tokenizers", "torch", "transformers"}
KNOWN: Final = (
    DEFAULT,
    *_WORD_MODELS,
    *_NV_EMBED,
    "sentence:MODEL",
    "word:MODEL",
    "served:URL#MODEL",
)
"""The names, MODEL being a folder or a name on the Hugging Face hub."""


def make(name: str, *, folder: Path | None = None, settings: Settings | None = None) -> Encoder:
    """An encoder, ready to encode; close it when done.

    Args:
        name: `all-minilm-l6-v2` (sentences), `t5-11b` and smaller ones (words in context),
            `nv-embed-v1` or `nv-embed-v2` (sentences); `sentence:` or `word:` and a model's folder
            or its name on the hub; or `served:`, a server's URL, `#` and a model of its.
        folder: Where the model lies, in place of the hub, for those that have a name of their own.
        settings: How to work.

    Raises:
        NoSuchEncoder: The name is none of these.
        MissingPackages: What the encoder needs is not installed.
        ModelUnusable: Its model is not there, or is not what it should be.
        BadSetting: It cannot be used in this way.
        EndpointError: A server does not answer as it should.
    """
    chosen = settings or Settings()
    kind, _, model = name.partition(":")
    if kind == "served" and model:
        return _served(name, model, chosen)
    if chosen.api_key_env is not None:
        raise BadSetting("api key", "this encoder asks no server", "leave it out")
    try:
        return _local(name, folder, chosen)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _PACKAGES:
            raise
        raise MissingPackages(name, package) from error


def _local(name: str, folder: Path | None, settings: Settings) -> Encoder:
    """An encoder that runs here. Only now what runs it is imported."""
    kind, _, model = name.partition(":")
    if kind in {"sentence", "word"} and model:
        if folder is not None:
            raise BadSetting("folder", f"{folder}", f"give it as {kind}:{folder}")
        from embedder.encoders.hub import locate  # noqa: PLC0415 - slow, see above

        local = locate(model)
    else:
        hub_name = ({DEFAULT: _MINILM} | _WORD_MODELS | _NV_EMBED).get(name)
        if hub_name is None:
            raise NoSuchEncoder(name, KNOWN)
        from embedder.encoders.hub import locate  # noqa: PLC0415

        local = locate(folder or hub_name, model=hub_name)
    if kind == "word" or name in _WORD_MODELS:
        from embedder.encoders.words import WordEncoder  # noqa: PLC0415

        return WordEncoder(name, local, settings)
    if name in _NV_EMBED:
        from embedder.encoders.nv_embed import nv_embed_encoder  # noqa: PLC0415

        return nv_embed_encoder(name, local, settings)
    from embedder.encoders.sentence import sentence_encoder  # noqa: PLC0415

    return sentence_encoder(name, local, settings)


def _served(name: str, rest: str, settings: Settings) -> Encoder:
    url, _, model = rest.partition("#")
    if not model:
        raise BadSetting("encoder", f"{name!r} names no model", "write served:URL#MODEL")
    from embedder.encoders.served import ServedEncoder  # noqa: PLC0415 - needs tenacity only

    return ServedEncoder(name, url, model, settings)
