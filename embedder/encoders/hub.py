"""Where a model's files lie, and what stands for them.

A model is a folder, or a name on the Hugging Face hub whose files are then in its cache. From here
on there are only folders. Weights come as safetensors where there are any.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError

from embedder.errors import ModelUnusable
from store.assets import file_sha256

_SMALL: Final = ("*.json", "*.txt", "*.model", "*.tiktoken")
_WEIGHTS: Final = (("*.safetensors",), ("pytorch_model*.bin",))
_OTHER_ENGINES: Final = ("onnx/*", "openvino/*", "consolidated*", "original/*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Local:
    """A model's folder.

    Attributes:
        model: The model's name.
        revision: Its commit on the hub, or `sha256:` and the digest of the files of a folder.
    """

    folder: Path
    model: str
    revision: str


def locate(source: str | Path, *, model: str | None = None) -> Local:
    """The folder of a model, fetched first if it is a name on the hub and not in its cache.

    Args:
        source: A folder, or a name such as `google-t5/t5-11b`.
        model: What to call it; by default the name, or the folder's.

    Raises:
        ModelUnusable: There is no such folder, or the hub or its cache does not give the model.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        return Local(folder=folder, model=model or folder.resolve().name, revision=_digest(folder))
    if isinstance(source, Path) or source.startswith((".", "/", "~")):
        raise ModelUnusable(str(source), "there is no such folder", "check the path")
    try:
        cached = _snapshot(source)
    except (OSError, ValueError, HfHubHTTPError) as error:
        raise ModelUnusable(source, _first_line(error), _FIX) from error
    return Local(folder=cached, model=model or source, revision=cached.name)


_FIX: Final = (
    "check the name and the network, log in with `hf auth login` if the model is gated, "
    "or give a folder that holds it"
)


def _snapshot(name: str) -> Path:
    folder = Path()
    for weights in _WEIGHTS:
        folder = Path(
            snapshot_download(
                name,
                allow_patterns=[*_SMALL, *weights],
                ignore_patterns=list(_OTHER_ENGINES),
            )
        )
        if any(found for pattern in weights for found in folder.rglob(pattern)):
            return folder
    raise ModelUnusable(name, f"it has no weights that torch reads in {folder}", _FIX)


def _digest(folder: Path) -> str:
    """The sha256 over the names and contents of the files that make a model."""
    patterns = (*_SMALL, *(pattern for group in _WEIGHTS for pattern in group))
    files = {path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()}
    names = {path.relative_to(folder).as_posix(): path for path in files}
    whole = hashlib.sha256()
    for name, path in sorted(names.items()):
        whole.update(f"{name}\0".encode())
        whole.update(bytes.fromhex(file_sha256(path)))
    return f"sha256:{whole.hexdigest()}"


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
