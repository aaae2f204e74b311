"""What tests of scoring need: packages, the smoke-test model, a place for its weights."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.assets import cache_folder, fetch
from store.catalogue import SMOLLM2

WHY = "needs the `transformers` extra: pip install -e '.[transformers]'"


def needs_packages() -> None:
    """Skip, saying why, where the packages of the extra are missing."""
    for name in ("torch", "transformers", "gguf", "accelerate"):
        pytest.importorskip(name, reason=WHY)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")


def smollm2() -> Path:
    """The smoke-test model, fetched once."""
    return fetch(SMOLLM2, lambda *_: None)


def unpacked() -> Path:
    """Where GGUF files are unpacked: the user's cache, so that it is done once."""
    return cache_folder() / "unpacked"
