"""Opens a store's database for writing, and starts a new one where it is beyond repair.

The damaged file is moved aside, never removed. What the journal holds (replies, attempts, failures,
runs) comes back from there; plans come back when their experiment is run again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from store.damage import is_damage
from store.errors import StoreBroken
from store.read import DATABASE, Connection, connect


@dataclass(frozen=True, slots=True)
class Opened:
    """A database ready to be written.

    Attributes:
        aside: Where a damaged one was moved; None where it was sound.
    """

    connection: Connection
    aside: Path | None


def open_to_write(path: Path, prepare: Callable[[Connection], None]) -> Opened:
    """Open or create a store's database.

    Args:
        path: The store's folder.
        prepare: Brings the database up to date. It reads more than opening does, so it may be what
            finds the damage; then it is called again, for the new one.

    Raises:
        StoreBusy: Another process owns it.
        StoreTooNew: It was written by a later gistprobe.
        StoreBroken: It cannot be used, and that is not for damage inside the file.
    """
    try:
        return Opened(_opened(path, prepare), None)
    except StoreBroken as error:
        if not (path / DATABASE).is_file() or not is_damage(error.found):
            raise
    aside = _move_aside(path)
    return Opened(_opened(path, prepare), aside)


def _opened(path: Path, prepare: Callable[[Connection], None]) -> Connection:
    connection = connect(path, read_only=False)
    try:
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _move_aside(path: Path) -> Path:
    """Rename a database and its log, so that both are kept."""
    name = f"{DATABASE}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    try:
        for end in ("", ".wal"):
            file = path / f"{DATABASE}{end}"
            if file.exists():
                file.rename(path / f"{name}{end}")
    except OSError as error:
        found = f"the database is damaged and cannot be moved aside ({error.strerror})"
        raise StoreBroken(path, found, "mend the folder's permissions and run again") from None
    return path / name
