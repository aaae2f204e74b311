"""The shell's parts: statements, completion, history."""

from __future__ import annotations

import stat
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from probe.cli.sql_shell.catalogue import Catalogue, read_catalogue
from probe.cli.sql_shell.commands import is_command, names
from probe.cli.sql_shell.completion import SqlCompleter
from probe.cli.sql_shell.history import history, holds_secret
from probe.cli.sql_shell.prompt import is_complete
from probe.cli.sql_shell.session import Session
from probe.cli.sql_shell.statements import is_finished, statements
from store.database import Database
from store.insert import insert
from tests.store.owner_for_tests import small_experiment

PIECES = st.sampled_from(
    [
        "select 1", ";", "\n", " ", "-- a; b\n", "/* a; /* b; */ ; */", "'a;''b'", '"a;""b"',
        "e'it\\'s;'", "$$a;b$$", "$x$ ; $$ ; $x$", "a$1;", "$name", "É", "x'ab'",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_statements_are_cut_where_duckdb_cuts_them(text: str) -> None:
    """DuckDB's own parser as the oracle, wherever it can read the text at all."""
    try:
        expected = [each.query.strip() for each in duckdb.extract_statements(text)]
    except duckdb.Error:
        return

    found = statements(text)

    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert theirs.rstrip(" ;\n").endswith(ours.text.rstrip(" ;\n"))


def test_a_statement_knows_its_line() -> None:
    found = statements("select 1;\n-- no\n\n  select\n2 ; select 3")

    assert [(each.text, each.line) for each in found] == [
        ("select 1", 1),
        ("select\n2", 4),
        ("select 3", 5),
    ]


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("select 1", False),
        ("select 1;", True),
        ("select 1; -- done\n  ", True),
        ("select ';", False),
        ("select $$;", False),
        ("select 1 -- ;", False),
        ("select /* ; */ 1", False),
        ("", False),
    ],
)
def test_a_text_is_finished_at_a_semicolon_that_ends_it(text: str, *, finished: bool) -> None:
    assert is_finished(text) is finished


def test_enter_sends_commands_and_empty_lines_at_once() -> None:
    assert [is_complete(text) for text in ("", " \n", "\\d", ".tables", "quit", "select 1;")] == [
        True
    ] * 6
    assert not is_complete("select 1")
    assert not is_command("select '\\d'")


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    path = tmp_path_factory.mktemp("store")
    with Database(path) as database:
        database.call(lambda connection: insert(connection, small_experiment()))
    return read_catalogue(Session(path, print))


def completed(catalogue: Catalogue, text: str) -> list[str]:
    completer = SqlCompleter(catalogue, names(), ["csv", "json"])
    found = completer.get_completions(Document(text), CompleteEvent())
    return [each.text for each in found]


@pytest.mark.parametrize(
    ("text", "first", "absent"),
    [
        ("select * from res", "results", "reasoning"),
        ("from rep", "replies", "replace"),
        ("select r.serv from replies as r where r.serv", "served_model", "served"),
        ("select results.unp", "unparsed", "unpivot"),
        ("from results select unit", "units_right", "unnest"),
        ("select wilson_l", "wilson_low", "wilson_high"),
        ("select 1 gro", "group", "from"),
        ("\\d acc", "accuracy", "accepted"),
        ("\\ti", "\\timing", "\\d"),
        (".ta", ".tables", "\\d"),
        ("\\f c", "csv", "json"),
    ],
)
def test_names_are_completed(catalogue: Catalogue, text: str, first: str, absent: str) -> None:
    found = completed(catalogue, text)

    assert first in found
    assert absent not in found


def test_a_name_that_is_a_keyword_or_has_capitals_is_quoted(catalogue: Catalogue) -> None:
    assert completed(catalogue, "from attempts select stat")[0] == "status"
    assert completed(catalogue, "from group_rows select gr")[0] == '"group"'
    assert completed(catalogue, 'from group_rows select "at')[0] == '"attribute"'


@pytest.mark.parametrize(
    "text",
    [
        "CREATE SECRET (TYPE quack, TOKEN 'abc');",
        "create or replace persistent secret x (type s3);",
        "select 1 where token = 'abc';",
        'select \'{"api_key": "abcdef"}\';',
        "from 'https://me:word@host.example/x.parquet';",
        "from 'https://host.example/x.parquet?sig=abc';",
        "select 'sk-abcdefghijklmnop';",
        "select 'Bearer abc';",
    ],
)
def test_a_query_with_a_secret_is_not_kept(tmp_path: Path, text: str) -> None:
    kept = history(tmp_path)
    kept.append_string(text)
    kept.append_string("select reply_tokens, tokens from results;")
    kept.append_string(" select 'begins with a blank';")

    written = (tmp_path / "sql_history").read_text()
    assert holds_secret(text)
    assert "reply_tokens" in written
    assert text not in written
    assert "blank" not in written
    assert list(history(tmp_path).load_history_strings()) == [
        "select reply_tokens, tokens from results;"
    ]


def test_the_history_is_its_users_alone(tmp_path: Path) -> None:
    history(tmp_path / "state")

    mode = (tmp_path / "state" / "sql_history").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_where_no_history_can_be_kept_the_shell_still_works(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    kept = history(tmp_path / "file")
    kept.append_string("select 1;")

    assert kept.get_strings() == ["select 1;"]
