"""What is kept beside a store, and where: on this machine for a lake, in its folder for a file."""

from __future__ import annotations

from pathlib import Path

from store.address import Lake, Place
from store.hub_address import Address


def state_folders(store: Place) -> list[Path]:
    """Where runs on this machine say how they stand."""
    if isinstance(store, Address):
        return []
    if isinstance(store, Path):
        return [store]
    from store.lake.state import home  # noqa: PLC0415 - most stores are files

    return sorted(home(store).glob("[0-9]*"))


def runs_elsewhere(store: Place) -> list[str]:
    """Runs that are on, on whatever machine; a file's are on this one and say so themselves."""
    if not isinstance(store, Lake):
        return []
    from store.lake.claims import live_runs  # noqa: PLC0415 - most stores are files

    return live_runs(store)
