"""The store: journal, DuckDB, schema and assets. Imports no other room; the only one with DuckDB."""

from store.errors import (
    AssetError,
    NoStore,
    QueryError,
    StoreBroken,
    StoreBusy,
    StoreError,
    StoreTooNew,
)
from store.keys import canonical, cell_key, digest

__all__ = [
    "AssetError",
    "NoStore",
    "QueryError",
    "StoreBroken",
    "StoreBusy",
    "StoreError",
    "StoreTooNew",
    "canonical",
    "cell_key",
    "digest",
]
