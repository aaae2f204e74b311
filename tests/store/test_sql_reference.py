"""The schema describes itself, and the questions of `docs/sql.md` give what the page shows."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from store.errors import QueryError
from store.read import Answered, Connection, ask, open_read
from store.reference import Question, questions, undescribed
from tests.store.rows_for_tests import memory
from tests.store.served_for_tests import owning
from tests.store.sql_corpus_for_tests import small_file, small_store
from tests.store.sql_page_for_tests import page

PAGE = Path(__file__).parents[2] / "docs" / "sql.md"


@pytest.fixture(scope="module")
def small() -> Connection:
    return small_store()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same store as a file."""
    path = tmp_path_factory.mktemp("sql") / "store"
    return small_file(path)


def test_every_table_view_column_and_macro_is_described() -> None:
    assert undescribed(memory()) == []


def test_what_is_said_stays_in_the_file(folder: Path) -> None:
    """Of views and their columns as well, which are made anew at every opening for writing."""
    reader = open_read(folder)
    found = ask(
        reader,
        "SELECT comment FROM duckdb_columns() WHERE table_name = 'results'"
        " AND column_name IN ('score', 'model') ORDER BY column_index",
    ).rows
    reader.close()

    assert [str(row[0])[:18] for row in found] == ["Name of the model,", "Right share of the"]


def test_the_page_is_what_the_schema_and_the_queries_give(small: Connection) -> None:
    """Else: python -m tests.store.sql_page_for_tests > docs/sql.md."""
    lines = itertools.zip_longest(
        PAGE.read_text(encoding="utf-8").splitlines(), page(small, memory()).splitlines()
    )

    assert [(old, new) for old, new in lines if old != new][:3] == []


def test_there_are_twenty_questions_and_none_is_asked_twice() -> None:
    assert (
        len({each.title for each in questions()}) == len({each.sql for each in questions()}) == 20
    )


@pytest.mark.parametrize("question", questions(), ids=lambda each: each.title[:40])
def test_a_question_has_an_answer(small: Connection, question: Question) -> None:
    """At least one row, and no column that says nothing at all."""
    answered = ask(small, question.sql)

    assert answered.rows
    for name, values in zip(answered.columns, zip(*answered.rows, strict=True), strict=True):
        assert name == "uncertain_usd" or any(value is not None for value in values), name


def test_a_run_that_serves_its_store_answers_as_the_file_does(folder: Path) -> None:
    """All questions; and what a macro takes as text is looked at there as well."""
    with owning(folder) as owner:
        reader = open_read(folder)
        served = [shown(ask(reader, each.sql)) for each in questions()]
        with pytest.raises(QueryError, match="give names of columns"):
            ask(reader, "FROM accuracy_by('task FROM checkpoint() --')")
        reader.close()
        owner.end()
    reader = open_read(folder)
    read = [shown(ask(reader, each.sql)) for each in questions()]
    reader.close()

    assert served == read


def shown(answered: Answered) -> tuple[tuple[str, ...], list[str]]:
    return answered.columns, [repr(row) for row in answered.rows]
