"""Earlier queries, kept for this user alone, without any that hold a secret."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import platformdirs
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

_SECRETS: Final = re.compile(
    r"""\bcreate\s+(or\s+replace\s+)?(persistent\s+|temp\w*\s+)?secret\b
      | \b(secret|password|passwd|passphrase|credential|authorization|api_?key|token)s?
        \s*["']?\s*([=:,]|:=|=>|\()?\s*["']
      | \bbearer\s+\S
      | ://[^\s/'"@]+@
      | [?&](sig|signature|token|key|x-amz-[\w-]+)=
      | \b(sk|pk|hf|ghp|gho|xox[abp])[-_][\w-]{12,}""",
    re.IGNORECASE | re.VERBOSE,
)


def holds_secret(text: str) -> bool:
    """Whether a query looks as if it held a token or password."""
    return _SECRETS.search(text) is not None


class _Careful(FileHistory):
    """Leaves out what holds a secret, or begins with a blank as in many shells."""

    def append_string(self, string: str) -> None:
        if not string.startswith(" ") and not holds_secret(string):
            super().append_string(string)


def history(folder: Path | None = None) -> History:
    """What was asked earlier; of this session alone where no file can be kept.

    Args:
        folder: Where the file lies; by default where the platform keeps programs' states.
    """
    kept = folder or Path(platformdirs.user_state_dir("gistprobe"))
    file = kept / "sql_history"
    try:
        kept.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError:
        return InMemoryHistory()
    return _Careful(str(file))
