"""Brings a study's files into a store, where it does not hold them, and opens it for reading."""

from __future__ import annotations

from analysis.errors import NotHeld
from analysis.studies.study import Inputs, Study
from store.address import Place
from store.corpus import held_parts, import_parts
from store.errors import NoStore
from store.opening import open_write
from store.read import Reader, Source, ask, open_read


def bring_in(store: Place, study: Study, inputs: Inputs) -> Reader:
    """Open a store that holds what the inputs' files say.

    Every file is read and checked before the store is touched, and what is new comes in in one
    transaction. Nothing is written, and a store that a run has open can be read, where it holds
    all of it already.

    Args:
        store: Its folder; made if there is anything to bring in.
        study: Whose files they are.
        inputs: The files.

    Raises:
        BadFile: A file is missing or not of its form; the store is as it was.
        BadRequest: The study does not take such inputs.
        NotHeld: There is no store, or one without any corpus, and no file to bring in.
        StoreError: The store cannot be opened, or written where it must be.
    """
    corpus = study.corpus(inputs)
    reader = _opened(store)
    try:
        held = reader if reader is not None and _holds_corpora(reader) else None
        sources = study.sources(inputs, held)
        known = held_parts(held, corpus) if held is not None else set()
        missing = [source for source in sources if source.import_id not in known]
        if not missing:
            if reader is None or held is None:
                raise NotHeld(corpus, "part", study.needs)
            kept, reader = reader, None
            return kept
        parts = [source.read() for source in missing]
    finally:
        if reader is not None:
            reader.close()
    with open_write(store) as database:
        database.call(lambda connection: import_parts(connection, parts))
    return open_read(store)


def _opened(store: Place) -> Reader | None:
    try:
        return open_read(store)
    except NoStore:
        return None


def _holds_corpora(source: Source) -> bool:
    """Whether the store is of a version that knows corpora; opened for writing it becomes one."""
    query = "SELECT count(*) FROM duckdb_views() WHERE view_name = 'current_imports'"
    return ask(source, query).rows[0][0] != 0
