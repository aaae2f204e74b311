"""What DuckDB's refusals mean for a store: damage inside the file, or trouble around it.

DuckDB has one kind of error for both, so their words decide. Only damage is a reason to start a new
database: a full disk, a permission or a later DuckDB's file passes, and the file is sound.
"""

from __future__ import annotations

import errno
import os
import re
from typing import Final

MOVE_AWAY: Final = (
    "move probe.duckdb (and probe.duckdb.wal) away and run again:"
    " the replies come back from the journal"
)
_REBUILD: Final = "`probe run` keeps it aside and makes a new one from the journal"
_MEND: Final = "mend that and try again; nothing is lost"
_UPGRADE: Final = "upgrade gistprobe or name another --store"
_LATER: Final = "Trying to read a database file with version number"
_DAMAGED: Final = (
    "Could not read enough bytes",
    "not a valid DuckDB database",
    "Corrupt",
    "Failure while replaying WAL",
    "Failed to load metadata pointer",
    "INTERNAL Error",
    "Serialization Error",
)
_AROUND: Final = (
    *map(
        os.strerror,
        (
            errno.EACCES,
            errno.EPERM,
            errno.EROFS,
            errno.ENOSPC,
            errno.EDQUOT,
            errno.EFBIG,
            errno.EIO,
            errno.EISDIR,
            errno.ENOMEM,
            errno.EMFILE,
            errno.ENFILE,
        ),
    ),
    "Out of Memory Error",
)


def _unquoted(said: str) -> str:
    """A message without the paths and names in it, which may hold any words."""
    return re.sub(r'"[^"]*"', "", said)


def is_damage(said: str) -> bool:
    """Whether DuckDB's message says that a file's content is damaged."""
    said = _unquoted(said)
    if _LATER in said or any(sign in said for sign in _AROUND):
        return False
    return any(sign in said for sign in _DAMAGED)


def fix_for(said: str) -> str:
    """What to do about a database that does not open."""
    if is_damage(said):
        return _REBUILD
    said = _unquoted(said)
    if _LATER in said:
        return _UPGRADE
    # A folder in the file's place does not pass by itself.
    passing = any(sign in said for sign in _AROUND if sign != os.strerror(errno.EISDIR))
    return _MEND if passing else MOVE_AWAY
