"""The store: journal, DuckDB, schema and assets. The only room with DuckDB in it."""

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
