"""From what a user names to a folder that transformers loads: a GGUF file is unpacked once.

The unpacked weights are float32, as the file's own numbers say, so several times the file's size.
They lie in a folder named by the file's digest, which is renamed into place when it is whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerFast,
)
from transformers.utils.logging import disable_progress_bar

from probe.providers.scoring.errors import NotAModel

_MAGIC: Final = b"GGUF"
_quiet: Callable[[], None] = disable_progress_bar
_LAYOUT: Final = "1"
"""Part of the cache's path; goes up when weights are unpacked otherwise."""
_LOADING_ERRORS: Final = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    IndexError,
    ImportError,
    RuntimeError,
    SafetensorError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A causal language model in its place, and its tokenizer."""

    model: Any
    tokenizer: PreTrainedTokenizerFast


@contextlib.contextmanager
def _told(path: Path, what: str, fix: str) -> Iterator[None]:
    """Turn what goes wrong while a model is loaded into an error that names it."""
    try:
        yield
    except _LOADING_ERRORS as error:
        lines = [line.strip() for line in str(error).strip().splitlines()[:2]]
        found = " ".join(lines)[:300] or type(error).__name__
        raise NotAModel(path, f"its {what} cannot be loaded ({found})", fix) from error


def folder_of(path: Path, cache: Path) -> Path:
    """A folder of safetensors and a tokenizer: the one given, or made of a GGUF file once.

    Args:
        path: A GGUF file, or a folder as transformers saves it.
        cache: Where unpacked weights are kept.

    Raises:
        NotAModel: It is neither.
    """
    if path.is_dir():
        _check_folder(path)
        return path
    if not path.is_file():
        raise NotAModel(path, "there is nothing", "give a GGUF file or a model's folder")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            found = "it does not begin as a GGUF file does"
            raise NotAModel(path, found, "give a GGUF file or a model's folder")
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    kept = cache / _LAYOUT / digest[:16]
    if not kept.is_dir():
        _unpack(path, kept)
    return kept


def _check_folder(path: Path) -> None:
    config = path / "config.json"
    if not config.is_file():
        found = "the folder holds no config.json, so no model"
        raise NotAModel(path, found, "give the folder that save_pretrained wrote, or a GGUF file")
    try:
        json.loads(config.read_text(encoding="utf-8"))
    except ValueError as error:
        raise NotAModel(config, f"it is no JSON ({error})", "fetch the model anew") from None
    if not any(path.glob("*.safetensors")):
        found = "the folder holds no *.safetensors"
        raise NotAModel(path, found, "save the weights with save_pretrained")
    if not (path / "tokenizer.json").is_file():
        found = "the folder holds no tokenizer.json"
        raise NotAModel(path, found, "save the tokenizer there with save_pretrained")


def _unpack(path: Path, kept: Path) -> None:
    """Make a folder of a GGUF file; another process may do so meanwhile."""
    fix = "fetch the file anew; or give the model's folder of safetensors"
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=kept.parent, prefix="making-"))
    except OSError as error:
        found = f"its unpacked weights cannot be kept in {kept.parent} ({error.strerror})"
        raise NotAModel(path, found, "set GISTPROBE_CACHE to another folder") from None
    try:
        with _told(path, "weights", fix):
            # The folder and the name of a file in it, or transformers looks for it on a hub.
            named = {"gguf_file": path.name, "local_files_only": True}
            tokenizer = AutoTokenizer.from_pretrained(path.parent, **named)
            model: Any = AutoModelForCausalLM.from_pretrained(
                path.parent, dtype=torch.float32, **named
            )
            # Else transformers would save them as still quantised, which they are not.
            if hasattr(model.config, "quantization_config"):
                del model.config.quantization_config
            model.hf_quantizer = None
            model.save_pretrained(made)
            tokenizer.save_pretrained(made)
        with contextlib.suppress(OSError):  # another process was quicker
            os.rename(made, kept)  # noqa: PTH104 - Path.rename would return the same
    finally:
        shutil.rmtree(made, ignore_errors=True)


def load(folder: Path, *, device: str, dtype: torch.dtype) -> Loaded:
    """A model in its place, out of training, and its tokenizer.

    Raises:
        NotAModel: It cannot be loaded, or its tokenizer cannot say where its tokens stand.
    """
    _quiet()
    with _told(folder, "tokenizer", "fetch the model anew"):
        json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        found = "its tokenizer cannot say where in a text its tokens stand"
        raise NotAModel(folder, found, "give a model with a tokenizer.json")
    with _told(folder, "weights", "give a causal language model's folder; or fetch it anew"):
        made: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, local_files_only=True, output_loading_info=True
        )
        model, seen = made
        missing = sorted(seen["missing_keys"])
        if missing:
            raise ValueError(f"no {missing[0]}, and {len(missing) - 1} more are missing")
        model.requires_grad_(requires_grad=False)
        model.to(device)
        model.eval()
    return Loaded(model=model, tokenizer=tokenizer)
