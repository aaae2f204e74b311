"""How a run that serves its store is found: the file `live.json`, and the extensions it takes.

The file holds a secret, so it is its user's alone from the first byte on, and the secret is kept
out of every representation.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Final

import duckdb

from store.gate import quoted

LIVE: Final = "live.json"
# Its client speaks HTTP through httpfs, its server draws random numbers from it.
_EXTENSIONS: Final = ("httpfs", "quack")


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """Where a store is served.

    Attributes:
        address: As DuckDB attaches it, on this machine.
        token: Who has it may read the store.
        pid: Of the process that owns the store; 0 on another machine.
        plain: Whether it is reached without TLS also on a network.
    """

    address: str
    token: str = field(repr=False)
    pid: int
    plain: bool = False

    def sent(self, query: str) -> str:
        """The query that sends a query there."""
        plain = ", disable_ssl := true" if self.plain else ""
        return f"FROM quack_query({quoted(self.address)}, {quoted(query)}{plain})"


def load_extensions(connection: duckdb.DuckDBPyConnection) -> None:
    """Load the client-server protocol from its wheels; nothing is downloaded or installed.

    Raises:
        ModuleNotFoundError: A wheel is missing.
        duckdb.Error: The extension is not this DuckDB's, or is damaged.
    """
    connection.execute("SET autoinstall_known_extensions = false")
    for name in _EXTENSIONS:
        wheel = resources.files(f"duckdb_extension_{name}")
        file = wheel / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        connection.execute(f"LOAD {quoted(str(file))}")


def write_live(folder: Path, live: Live) -> None:
    """Put the file in its place, whole and for this user alone.

    Raises:
        OSError: The folder cannot be written.
    """
    made = folder / f".{LIVE}.{os.getpid()}"
    made.unlink(missing_ok=True)
    record = {"address": live.address, "token": live.token, "pid": live.pid}
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "w", encoding="utf-8") as file:  # noqa: PTH123 - the mode is set at creation
        json.dump(record, file)
    made.replace(folder / LIVE)


def read_live(folder: Path) -> Live | None:
    """What the file says; None where there is none, or nothing sound."""
    try:
        record = json.loads((folder / LIVE).read_text(encoding="utf-8"))
        return Live(
            address=str(record["address"]), token=str(record["token"]), pid=int(record["pid"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remove_live(folder: Path, live: Live) -> None:
    """Remove the file, if it is still this owner's."""
    if read_live(folder) == live:
        with contextlib.suppress(OSError):
            (folder / LIVE).unlink()
