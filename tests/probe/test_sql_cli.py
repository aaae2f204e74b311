"""`probe sql` takes queries from files, writes every format, and says where a query is wrong."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from probe.cli import cli
from store.database import Database
from store.insert import insert
from tests.store.owner_for_tests import CELLS, small_experiment
from tests.store.served_for_tests import owning


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store")
    with Database(path) as database:
        database.call(lambda connection: insert(connection, small_experiment()))
    return path


def asked(store: Path, *words: object, text: str | None = None) -> Result:
    """The command in this process: whole processes are slow to start."""
    return CliRunner().invoke(cli, ["sql", *map(str, words), "--store", str(store)], input=text)


QUERIES = """-- how many; of what
select count(*) as n from results;

/* one; /* inside; */ another */
select ';' as semicolon, $$;$$ as dollars, "n;" from (select 1 as "n;");
select 3 as last"""


def test_a_file_holds_several_queries_answered_in_order(store: Path, tmp_path: Path) -> None:
    """Semicolons in texts, names and comments part nothing."""
    file = tmp_path / "queries.sql"
    file.write_text(QUERIES)

    as_json = asked(store, "-f", file, "--format", "json")
    as_csv = asked(store, "--file", file, "--format", "csv")
    as_table = asked(store, "-", text=QUERIES)

    expected = [[{"n": CELLS}], [{"semicolon": ";", "dollars": ";", "n;": 1}], [{"last": 3}]]
    assert json.loads(as_json.stdout) == expected
    assert as_csv.stdout == f"n\n{CELLS}\n\nsemicolon,dollars,n;\n;,;,1\n\nlast\n3\n"
    assert as_table.exit_code == 0
    assert as_table.stdout.count("1 row\n") == 3


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("select 1;\n\n-- a\nselect x\nfrom nowhere;", 5, "Table with name nowhere does not exist"),
        ("select 1;\nselect 2 from from x;\nselect 3;", 2, 'syntax error at or near "from"'),
        ("select 1;\n\n\ndelete from replies;", 4, "this is DELETE"),
        ("select 1;\n select nothing from results", 2, 'Referenced column "nothing" not found'),
    ],
)
def test_an_error_names_the_file_and_the_line(
    store: Path, tmp_path: Path, text: str, line: int, said: str
) -> None:
    file = tmp_path / "wrong.sql"
    file.write_text(text)

    ran = asked(store, "-f", file)

    assert ran.exit_code == 2
    assert ran.stderr.startswith(f"probe: {file}, line {line}: ")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_what_is_no_query_stops_a_file_before_its_first(store: Path, tmp_path: Path) -> None:
    """And what one query cannot answer does not lose what others did."""
    file = tmp_path / "wrong.sql"
    file.write_text("select 1 as one;\ndrop table replies;")
    refused = asked(store, "-f", file)
    file.write_text("select 1 as one;\nselect no_such;")
    failed = asked(store, "-f", file, "--format", "csv")

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert (failed.exit_code, failed.stdout) == (2, "one\n1\n")


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "parquet"])
def test_every_format_can_be_written_to_a_file(store: Path, tmp_path: Path, form: str) -> None:
    """The same as on standard output, and nothing beside it."""
    out, query = tmp_path / "out", "select item_id, score from results order by 1 limit 2"

    ran = asked(store, query, "--format", form, "--output", out)

    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == [out]
    if form == "parquet":
        assert duckdb.sql(f"FROM read_parquet('{out}')").fetchall() == [("i0", 1.0), ("i1", 1.0)]
    else:
        assert out.read_text() == asked(store, query, "--format", form).stdout


def test_a_query_that_fails_leaves_a_file_as_it_was(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("before")

    for form in ("csv", "parquet"):
        ran = asked(store, "select no_such", "--format", form, "--output", out)
        assert ran.exit_code == 2
    gone = asked(store, "select 1", "--output", tmp_path / "none" / "out")

    assert out.read_text() == "before"
    assert list(tmp_path.iterdir()) == [out]
    assert gone.exit_code == 2
    assert "none/out: cannot be written (No such file or directory)" in gone.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("select 1", "-f", "x.sql"), "two ways to ask"),
        (("select 1", "--raw"), "--raw is for --format csv"),
        (("select 1", "--format", "parquet"), "needs --output FILE"),
        (("-f", "gone.sql"), "gone.sql: no such file"),
        (("-f", "-"), "standard input: the query is empty"),
        ((), "standard input: the query is empty"),
    ],
)
def test_what_cannot_be_meant_is_one_line(store: Path, words: tuple[str, ...], said: str) -> None:
    ran = asked(store, *words, text="-- nothing")

    assert ran.exit_code == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_two_queries_do_not_fit_a_parquet_file(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    ran = asked(store, "-f", "-", "--format", "parquet", "--output", out, text="select 1; select 2")

    assert ran.exit_code == 2
    assert "a parquet file holds one result; standard input has 2 queries" in ran.stderr
    assert not out.exists()


def test_formulas_are_guarded_unless_raw(store: Path) -> None:
    query = "select '=cmd()' as t, -0.5::double as n, e'\\x1b[31m' as e"

    guarded = asked(store, query, "--format", "csv").stdout
    raw = asked(store, query, "--format", "csv", "--raw").stdout

    assert next(csv.DictReader(io.StringIO(guarded))) == {
        "t": "'=cmd()",
        "n": "-0.5",
        "e": "\\x1b[31m",
    }
    assert next(csv.DictReader(io.StringIO(raw))) == {"t": "=cmd()", "n": "-0.5", "e": "\x1b[31m"}


def test_the_lines_for_other_clients_work_and_hold_no_token(store: Path, tmp_path: Path) -> None:
    """Run as printed: on the file, and through the run that has it."""
    closed = asked(store, "--open").stdout
    with owning(tmp_path) as owner:
        live = asked(tmp_path, "--open").stdout
        token = owner.live.token
        steps = [line for line in live.splitlines() if line and not line.startswith("#")]
        client = duckdb.connect()
        for step in steps[:5]:
            client.execute(step)
        served = client.execute(steps[5]).fetchall()
        client.close()

    (attach,) = [line for line in closed.splitlines() if line.startswith("ATTACH")]
    reader = duckdb.connect()
    reader.execute(attach)
    found = reader.execute("SELECT count(*) FROM results").fetchall()
    reader.close()

    assert f"duckdb -readonly {store.resolve()}/probe.duckdb" in closed
    assert found == [(CELLS,)]
    assert token not in live
    assert len(served) == 5
