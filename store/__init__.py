"""The store: journal, DuckDB, schema and assets. The only room with DuckDB in it."""

from store.errors import (
    AssetError,
    BadFile,
    CannotServe,
    NoStore,
    QueryError,
    StoreBroken,
    StoreBusy,
    StoreError,
    StoreGone,
    StoreTooNew,
)
from store.keys import canonical, cell_key, digest

__all__ = [
    "AssetError",
    "BadFile",
    "CannotServe",
    "NoStore",
    "QueryError",
    "StoreBroken",
    "StoreBusy",
    "StoreError",
    "StoreGone",
    "StoreTooNew",
    "canonical",
    "cell_key",
    "digest",
]
