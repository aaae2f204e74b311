"""Hypothesis does not hurry, and a PostgreSQL server is there for all tests that want one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.store.postgres_for_tests import Postgres, running_postgres

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
"""How long an example takes on a shared machine says nothing."""


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server; each test has a schema of its own in it."""
    with running_postgres() as server:
        yield server
