"""What stands for a model's folder in cells' keys: a digest of the files it is loaded from."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Final

from store.assets import file_sha256

_LOADED: Final = frozenset({".safetensors", ".bin", ".json", ".jinja", ".model", ".txt"})
"""Endings of weights, of settings and of what a tokenizer is made of."""


def folder_digest(folder: Path) -> str:
    """sha256 over the sorted lines "name, two spaces, sha256" of a model's files, in hex.

    Notes, licences and hidden files are none of them. Weights are read whole: two fine-tuned models
    can differ in the middle of a file alone.
    """
    lines = [
        f"{path.name}  {_sha256(path, *_state(path))}\n"
        for path in sorted(folder.iterdir())
        if path.is_file() and path.suffix in _LOADED and not path.name.startswith(".")
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _state(path: Path) -> tuple[int, int]:
    """Size and time of change: while they stay, so does the digest."""
    told = path.stat()
    return told.st_size, told.st_mtime_ns


@lru_cache(maxsize=256)
def _sha256(path: Path, size: int, changed_ns: int) -> str:
    del size, changed_ns  # part of what is remembered by
    return file_sha256(path)
