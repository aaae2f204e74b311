"""What a run's results depend on beside its plan and the models: code, packages, machine."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Final

from store.keys import canonical

_PACKAGES: Final = (
    "gistprobe",
    "aiohttp",
    "anthropic",
    "duckdb",
    "openai",
    "orjson",
    "pyarrow",
    "tenacity",
    "uvloop",
    "vllm",
    "xllamacpp",
)


def provenance(spec_text: str) -> str:
    """What a run's results depend on, as canonical JSON."""
    return canonical(
        {
            "spec": spec_text,
            "code_revision": _revision(),
            "packages": {name: found for name in _PACKAGES if (found := _version(name))},
            "python": platform.python_version(),
            "platform": platform.platform(),
            "cores": os.cpu_count(),
            "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        }
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _revision() -> str | None:
    """The commit this code is of, marked where files differ from it; None outside a checkout."""
    folder = Path(__file__).resolve().parent
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],  # noqa: S607
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
