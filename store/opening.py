"""Opens a store for writing, wherever it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from store.address import Place, own_place
from store.database import AfterReplies, Database


def open_write(
    store: Place,
    *,
    after_replies: AfterReplies | None = None,
    serve: bool = False,
    readers: Sequence[str] = (),
) -> Database:
    """The owner of a file's database, or one of a lake's writers; a context manager.

    Args:
        store: A folder or a lake.
        after_replies: As for `Database`.
        serve: Of a file, answer other processes' queries meanwhile; a lake is read beside it.
        readers: Of a file, as for `Database`.

    Raises:
        StoreError: As for `Database` and `LakeDatabase`.
    """
    store = own_place(store, "this command")
    if isinstance(store, Path):
        return Database(store, after_replies=after_replies, serve=serve, readers=readers)
    from store.lake.database import LakeDatabase  # noqa: PLC0415 - most stores are files

    return LakeDatabase(store, after_replies=after_replies)
