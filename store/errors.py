"""Errors of the store.

StoreError
├── NoStore          there is no store at the path
├── StoreBusy        another process owns the store
├── StoreGone        the run that answered ended in the middle
├── StoreTooNew      written by a later gistprobe
├── StoreBroken      the folder or database cannot be used
│   └── DiskFull     there is no room for what came in
├── AssetError       a model or text could not be fetched or is not what it should be
├── BadFile          a file of a user's is missing or not of its form
├── BadAddress       a store's address that cannot be one
├── CannotServe      a run's store cannot be read by others while it is on
└── QueryError       a query of the user's that DuckDB refuses
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.address import Place


class StoreError(Exception):
    """Base of every error this package raises on purpose."""


class NoStore(StoreError):
    """There is no store at the path."""

    def __init__(self, path: Place) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"no store at {self.path}; start one with `probe run`, or name it with --store"


class StoreBusy(StoreError):
    """Another process has the store open for writing."""

    def __init__(self, path: Place, holder: str) -> None:
        super().__init__(path, holder)
        self.path, self.holder = path, holder

    def __str__(self) -> str:
        return f"store {self.path} is in use by {self.holder}; wait for it to end or stop it"


class StoreGone(StoreError):
    """The run that served the store ended before it had answered."""

    def __init__(self, path: object) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"store {self.path}: the run ended before it had answered; ask again"


class StoreTooNew(StoreError):
    """The store's schema is of a later version than this program knows."""

    def __init__(self, path: Place, found: int, known: int) -> None:
        super().__init__(path, found, known)
        self.path, self.found, self.known = path, found, known

    def __str__(self) -> str:
        return (
            f"store {self.path} has schema {self.found}, this gistprobe knows up to {self.known}; "
            "upgrade gistprobe or name another --store"
        )


class StoreBroken(StoreError):
    """The store's folder or database cannot be used."""

    def __init__(self, path: Place, found: str, fix: str) -> None:
        super().__init__(path, found, fix)
        self.path, self.found, self.fix = path, found, fix

    def __str__(self) -> str:
        return f"store {self.path}: {self.found}; {self.fix}"


class DiskFull(StoreBroken):
    """There is no room for what came in; nothing of it is written, and it may be tried again."""

    def __init__(self, path: Path, fix: str) -> None:
        super().__init__(path, "the disk is full", fix)
        self.args = (path, fix)


class AssetError(StoreError):
    """A model or text could not be fetched, or is not the one that was pinned."""

    def __init__(self, name: str, found: str, fix: str) -> None:
        super().__init__(name, found, fix)
        self.name, self.found, self.fix = name, found, fix

    def __str__(self) -> str:
        return f"asset {self.name}: {self.found}; {self.fix}"


class BadFile(StoreError):
    """A file of a user's is missing or not of its form; nothing of it was taken."""

    def __init__(self, path: Path, where: str, found: str, fix: str) -> None:
        super().__init__(path, where, found, fix)
        self.path, self.where, self.found, self.fix = path, where, found, fix

    def __str__(self) -> str:
        place = f"{self.path}, {self.where}" if self.where else str(self.path)
        return f"{place}: {self.found}; {self.fix}"


class BadAddress(StoreError):
    """What names a store cannot; nothing of a password is in it."""

    def __init__(self, address: str, found: str, fix: str) -> None:
        super().__init__(address, found, fix)
        self.address, self.found, self.fix = address, found, fix

    def __str__(self) -> str:
        return f"store {self.address}: {self.found}; {self.fix}"


class CannotServe(StoreError):
    """A run's store cannot be read by other processes until the run ends."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"live SQL is off ({self.reason}); the run goes on, "
            "and `probe sql` and `probe status` answer once it has ended"
        )


class QueryError(StoreError):
    """DuckDB refuses a query."""
