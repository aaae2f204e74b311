"""Views are made anew where their SQL is another, and left alone where it is not."""

from __future__ import annotations

from pathlib import Path

from store.migrate import migrate
from store.read import ask
from store.reference import undescribed
from store.vectors import make_views
from tests.store.rows_for_tests import memory
from tests.store.sql_corpus_for_tests import small_store


def test_tables_of_vectors_are_described_as_well() -> None:
    """They are made when the first vector of a dimension comes."""
    assert undescribed(small_store()) == []


def test_views_of_the_same_sql_are_left_alone() -> None:
    """What someone said of one since is still there."""
    connection = memory()
    connection.execute("COMMENT ON VIEW results IS 'mine'")

    migrate(connection, Path("memory"))

    said = "SELECT comment FROM duckdb_views() WHERE view_name = 'results'"
    assert ask(connection, said).rows == [("mine",)]


def test_views_of_other_sql_are_made_anew() -> None:
    """As after an update of the program: what they were made of last is not what they should be."""
    connection = memory()
    connection.execute(
        "CREATE OR REPLACE VIEW views_made_of AS SELECT 'older' AS digest;"
        "CREATE OR REPLACE VIEW results AS SELECT 1 AS old; DROP VIEW contrasts"
    )

    make_views(connection)

    assert "experiment" in ask(connection, "FROM results").columns
    assert "difference" in ask(connection, "FROM contrasts").columns
