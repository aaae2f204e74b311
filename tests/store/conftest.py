"""A store with an owner and one without, for tests that change neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from store.database import Database
from store.insert import insert
from store.read import Reader, open_read
from tests.store.owner_for_tests import small_experiment
from tests.store.served_for_tests import Owner, owning, stranger


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Owner]:
    """An owner that many tests ask; none of them may change its store."""
    with owning(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same store without an owner."""
    path = tmp_path_factory.mktemp("closed")
    with Database(path) as database:
        database.call(lambda connection: insert(connection, small_experiment()))
    return path


@pytest.fixture(scope="module")
def readers(owner: Owner, closed: Path) -> dict[str, Reader]:
    return {"served": open_read(owner.path), "closed": open_read(closed)}


@pytest.fixture(params=["served", "closed"])
def store(request: pytest.FixtureRequest, readers: dict[str, Reader]) -> Reader:
    """A store with an owner and one without: for who asks they are the same."""
    return readers[request.param]


@pytest.fixture(scope="module")
def knowing(owner: Owner) -> duckdb.DuckDBPyConnection:
    """DuckDB's own client with the right token."""
    return stranger(owner, owner.live.token)
