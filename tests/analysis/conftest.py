"""The published study, brought in and computed once for every file that reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.published_for_tests import PUBLISHED, Tables, brought_in


@pytest.fixture(scope="session")
def published_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds the published files, to read and not to write."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published files are not beside the project")
    return brought_in(tmp_path_factory.mktemp("austenalike") / "store", PUBLISHED)


@pytest.fixture(scope="session")
def published_tables(published_store: Path) -> Tables:
    return Tables(published_store)
