"""Tokenizers and transformers from a folder, with errors that say what is wrong with it."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from safetensors import SafetensorError
from torch import nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForTextEncoding,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.utils.logging import disable_progress_bar

from embedder.encoders.packed import pack
from embedder.encoders.placement import Placement
from embedder.errors import BadSetting, ModelUnusable

_ENCODER_ONLY: Final = {"t5", "mt5", "umt5", "longt5"}
"""Model types whose plain class would want a decoder's input."""
_LOADING_ERRORS: Final = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    ImportError,
    RuntimeError,
    SafetensorError,
)
_quiet: Callable[[], None] = disable_progress_bar
_NO_WINDOW: Final = 10**9
_LONG_WINDOW: Final = 2_048
"""The window where positions are relative, so that the model takes any length."""
_FEWEST: Final = 8


@contextlib.contextmanager
def told(model: str, what: str) -> Iterator[None]:
    """Turn what goes wrong while a model is loaded into an error that names it."""
    try:
        yield
    except _LOADING_ERRORS as error:
        # Torch names what is missing in the second line only.
        lines = [line.strip() for line in str(error).strip().splitlines()[:2]]
        found = " ".join(lines) or type(error).__name__
        raise ModelUnusable(
            model, f"its {what} cannot be loaded ({found})", "check its files, or fetch it anew"
        ) from error


def whole_json(path: Path) -> None:
    """See that a tokenizer's file is there and was not cut off.

    What reads it raises a bare Exception, which says neither.

    Raises:
        OSError: It is not there.
        ValueError: It is not JSON.
    """
    with path.open(encoding="utf-8") as file:
        json.load(file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A transformer in its place, ready to run, and its tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast


def load(folder: Path, name: str, placement: Placement) -> Loaded:
    """Load a transformer; of an encoder-decoder of the T5 family, the encoder.

    Args:
        folder: The model's.
        name: Its name, for errors.
        placement: Where it is to compute.

    Raises:
        ModelUnusable: It cannot be loaded, or its tokenizer is not there, is another's or cannot
            say which characters a piece comes from.
    """
    with told(name, "tokenizer"):
        if (folder / "tokenizer.json").is_file():
            whole_json(folder / "tokenizer.json")
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise ModelUnusable(
            name,
            "its tokenizer cannot say which characters a piece comes from",
            "give a model with a tokenizer.json",
        )
    with told(name, "weights"):
        if not sys.stderr.isatty():
            _quiet()
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        kind = AutoModelForTextEncoding if config.model_type in _ENCODER_ONLY else AutoModel
        model: PreTrainedModel = kind.from_pretrained(
            folder, dtype=placement.dtype, local_files_only=True
        )
    # Without its files, transformers makes a tokenizer of special tokens alone and says nothing.
    if len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise ModelUnusable(name, "its tokenizer has no pieces", "check its files")
    settle(model, placement)
    return Loaded(model=model, tokenizer=tokenizer)


def settle(model: nn.Module, placement: Placement) -> None:
    """Put a model in its place, out of training."""
    model.requires_grad_(requires_grad=False)
    model.to(placement.device)
    model.train(mode=False)


def quicken(model: nn.Module, placement: Placement) -> None:
    """Have a model's products computed in the quickest exact way there is."""
    if placement.exact_on_cpu:
        pack(model)


def window(loaded: Loaded, *, own: int | None, asked: int | None) -> int:
    """Tokens a model may see of a text, special ones included.

    Args:
        loaded: The model says how many positions it has, the tokenizer for how many it was made.
        own: The window that the model's maker chose, if any.
        asked: The window the user wants, if any.

    Raises:
        BadSetting: The user wants more than the model can take, or too few for a word.
    """
    config = loaded.model.config
    relative = config.model_type in _ENCODER_ONLY
    positions = getattr(config, "max_position_embeddings", None) or _NO_WINDOW
    most = _NO_WINDOW if relative else min(positions, loaded.tokenizer.model_max_length)
    if asked is not None and not _FEWEST <= asked <= most:
        raise BadSetting(
            "max tokens", f"{asked:,}", f"choose {_FEWEST} or more, and at most {most:,}"
        )
    chosen = asked or own or (most if most < _NO_WINDOW else _LONG_WINDOW)
    return min(chosen, most)
