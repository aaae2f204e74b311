"""A disk that is full, as a process of its own sees it: no file may grow past a size."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

_START = """
import sys
from pathlib import Path
from store.database import Database
from store.errors import DiskFull, StoreBroken
from store.journal import Journal, Position
from store.read import DATABASE, JOURNAL, open_read
from tests.store.filling_for_tests import full_beyond
from tests.store.rows_for_tests import *

path, numbers = Path(sys.argv[1]), [int(each) for each in sys.argv[2:]]
"""


def full_beyond(size_bytes: int | None) -> None:
    """Let this process's files grow no further than that; None gives the room back."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write fails, as on a full disk
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = most if size_bytes is None else size_bytes
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))


def lines_of(code: str, path: Path, *numbers: int) -> list[str]:
    """Run code on a store in a process of its own; the lines it printed."""
    done = subprocess.run(
        [sys.executable, "-c", _START + textwrap.dedent(code), str(path), *map(str, numbers)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
