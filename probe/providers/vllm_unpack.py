"""A short-lived child that makes a folder of safetensors of a GGUF file, which vLLM can serve.

Started as `python -m probe.providers.vllm_unpack`, with its settings as one JSON line on standard
input. Prints one line, the folder or what went wrong, and ends.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Final

_NEEDED: Final = ("torch", "transformers", "gguf", "accelerate")


def main() -> None:
    """Unpack one file, if it was not unpacked before."""
    settings = json.loads(sys.stdin.readline())
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        said = {
            "error": f"a GGUF file is unpacked with {missing[0]}, which is not installed",
            "fix": "pip install 'gistprobe[transformers]', or name a folder of safetensors",
        }
    else:
        said = _unpacked(Path(settings["path"]), Path(settings["cache"]))
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def _unpacked(path: Path, cache: Path) -> dict[str, str]:
    from probe.providers.scoring.errors import NotAModel  # noqa: PLC0415 - it loads torch
    from probe.providers.scoring.weights import folder_of  # noqa: PLC0415

    try:
        return {"folder": str(folder_of(path, cache))}
    except NotAModel as error:
        return {"error": f"{error.path}: {error.found}", "fix": error.fix}


if __name__ == "__main__":
    main()
