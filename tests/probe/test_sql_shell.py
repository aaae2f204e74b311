"""What is typed at `probe sql`'s prompt is answered, and the shell keeps nobody out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from probe.cli.sql_shell import Outlet
from probe.cli.sql_shell.prompt import run_shell
from store.database import Database
from store.errors import NoStore
from store.insert import insert
from tests.store.owner_for_tests import CELLS, small_experiment
from tests.store.rows_for_tests import reply_row

Typed = Callable[[str], None]
CONTROL_C, CONTROL_D = "\x03", "\x04"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store")
    with Database(path) as database:
        database.call(lambda connection: insert(connection, small_experiment()))
    return path


@pytest.fixture
def typed(store: Path) -> Iterator[Typed]:
    """Type keys at a shell on the store, to its end."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):

        def send(text: str) -> None:
            keys.send_text(text)
            run_shell(store, Outlet(), InMemoryHistory())

        yield send


def test_queries_are_answered_over_several_lines_and_several_in_one(
    typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("select count(*) as\rhow_many\rfrom results;\rselect 5 as a; select 6 as b;\r\\q\r")

    out = capsys.readouterr().out
    assert [line.strip() for line in out.splitlines() if line.strip(" ─")] == [
        "how_many", str(CELLS), "1 row", "a", "5", "1 row", "b", "6", "1 row",
    ]  # fmt: skip


def test_an_error_or_a_dropped_line_does_not_end_the_shell(
    typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(f"selec 1;\rselect a line that is{CONTROL_C}\\nonsense\rdelete from replies;\r"
          f"select 7 as seven;\r{CONTROL_D}")  # fmt: skip

    out, said = capsys.readouterr()
    assert "seven" in out
    assert 'syntax error at or near "selec"' in said
    assert "no command is called \\nonsense; \\? lists them" in said
    assert "this is DELETE" in said


def test_d_lists_tables_views_macros_and_columns(
    typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("\\d\r\\d replies\r\\d wilson_low\r\\d resuls\r\\dt\r\\dv\r\\dm\r.schema cells\r\\q\r")

    out, said = capsys.readouterr()
    assert "What came back; at most one row a key." in out
    assert "One readable row a cell of every experiment's current plan." in out
    assert "The response body as it came." in " ".join(out.split())
    assert "wilson_low(r, n)" in out
    assert "is_first" in out
    assert "no table, view or macro is called resuls; did you mean results?" in said


def test_format_file_expanded_and_timing_hold_until_changed(
    typed: Typed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, parquet = tmp_path / "out.csv", tmp_path / "out.parquet"
    typed(
        f"\\f csv\r\\o {text}\rselect 1 as a;\rselect '=1' as b;\r"
        f"\\f parquet\r\\o {parquet}\rselect 2 as c;\r\\o\rselect 3 as d;\r"
        "\\f table\r\\x\rselect 4 as e;\r\\timing\rselect 5 as f;\r\\f no\r\\q\r"
    )

    out, said = capsys.readouterr()
    assert text.read_text() == "a\n1\nb\n'=1\n"
    assert duckdb.sql(f"FROM '{parquet}'").fetchall() == [(2,)]
    assert "parquet goes to a file: name one with \\o FILE" in said
    assert "row 1 of 1" in out
    assert "d\n" not in out
    assert said.count(" s\n") == 1
    assert "\\f: the format is no; it is one of table, csv, json, parquet, markdown" in said


def test_the_store_is_free_while_the_shell_waits(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Someone can own it between two queries, and what they wrote is seen in the next."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):

        def own_it(_: str) -> bool:
            with Database(store) as database:
                database.call(lambda connection: insert(connection, [reply_row("another")]))
            return False

        class Owning(InMemoryHistory):
            def append_string(self, string: str) -> None:
                own_it(string) if "count" not in string else None
                super().append_string(string)

        keys.send_text("select count(*) as n from replies;\rselect 1;\r"
                       "select count(*) as n from replies;\r\\q\r")  # fmt: skip
        run_shell(store, Outlet(form="csv"), Owning())

    assert capsys.readouterr().out.splitlines()[1::2] == [str(CELLS), "1", str(CELLS + 1)]


def test_help_says_how_to_open_it_elsewhere(
    typed: Typed, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("help\rquit\r")

    out = capsys.readouterr().out
    assert f"duckdb -readonly {store.resolve()}/probe.duckdb" in out
    assert "\\timing" in out


def test_without_a_store_there_is_no_prompt(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match="no store at"):
        run_shell(tmp_path, Outlet(), InMemoryHistory())
