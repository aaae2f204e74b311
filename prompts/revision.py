"""What stands for the code that makes prompts: another revision makes another plan."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

_KINDS: Final = frozenset({".py", ".toml"})


@cache
def revision() -> str:
    """sha256 over the files that readers, names, wordings and tasks are made of, in hex."""
    root = Path(__file__).parent
    sha = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in _KINDS:
            content = path.read_bytes()
            sha.update(f"{path.relative_to(root).as_posix()}\x00{len(content)}\x00".encode())
            sha.update(content)
    return sha.hexdigest()
