"""Opens a store's database for writing, and starts a new one where it is beyond repair.

The damaged file is moved aside, never removed. What the journal holds (replies, attempts, failures,
runs) comes back from there; plans come back when their experiment is run again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from store.errors import StoreBroken
from store.read import DATABASE, Connection, connect

_DAMAGED: Final = (
    "Could not read enough bytes",
    "not a valid DuckDB database",
    "Corrupt",
    "Failure while replaying WAL",
    "Failed to load metadata pointer",
    "INTERNAL Error",
    "Serialization Error",
)


@dataclass(frozen=True, slots=True)
class Opened:
    """A database ready to be written.

    Attributes:
        aside: Where a damaged one was moved; None where it was sound.
    """

    connection: Connection
    aside: Path | None


def open_to_write(path: Path) -> Opened:
    """Open or create a store's database.

    Raises:
        StoreBusy: Another process owns it.
        StoreBroken: It does not open, and that is not for damage inside the file.
    """
    try:
        return Opened(connect(path, read_only=False), None)
    except StoreBroken as error:
        if not (path / DATABASE).is_file() or not any(sign in error.found for sign in _DAMAGED):
            raise
    aside = _move_aside(path)
    return Opened(connect(path, read_only=False), aside)


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
