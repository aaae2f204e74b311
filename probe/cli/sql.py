"""`probe sql`: queries on a store, from the command line, a file or a prompt."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from probe.cli import store_option
from store.address import Place

if TYPE_CHECKING:
    from probe.cli.sql_shell import Outlet, Session, Statement


class _Wanted(TypedDict):
    """The options beside the store."""

    file: str | None
    form: str
    output: Path | None
    raw: bool
    pager: bool
    how_to_open: bool


@click.command("sql")
@click.argument("query", required=False)
@store_option
@click.option(
    "-f", "--file", metavar="FILE", help='Take queries from a file ("-": from standard input).'
)
@click.option(
    "--format",
    "form",
    default="table",
    show_default=True,
    type=click.Choice(["table", "csv", "json", "parquet", "markdown"]),
    help="How to print the result; parquet needs --output.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file instead; it is there whole or not at all.",
)
@click.option(
    "--raw",
    is_flag=True,
    help="Of csv: write texts as they are. Without it a text that a spreadsheet would take for a"
    " formula gets a single quote in front, and control characters are spelled out.",
)
@click.option(
    "--pager/--no-pager",
    default=True,
    help="On a terminal, show what is longer than it through your pager ($PAGER).  [default: do]",
)
@click.option(
    "--open",
    "how_to_open",
    is_flag=True,
    help="Print the lines that open the store in DuckDB's command, its UI or a client.",
)
def command(query: str | None, store: Place, **wanted: Unpack[_Wanted]) -> None:
    """Run QUERY on a store ("-" reads it from standard input); without it, prompt for queries.

    The views to start from are results (one row a cell), accuracy and progress. Nothing can be
    changed this way. While a run is on, it answers.

    A file may hold several queries, each ended by a semicolon; all are checked before the first is
    run. Their results follow one another: as JSON in one list, as CSV parted by an empty line.

    DuckDB's own tools open the store too, read-only, while no run is on:

    \b
      duckdb -readonly probe-store/probe.duckdb
      duckdb -readonly -ui probe-store/probe.duckdb
    """  # noqa: D301 - click takes the backspace for "leave these lines as they are"
    from probe.cli.sql_shell import Outlet, Session, opening, say  # noqa: PLC0415 - keeps --help fast

    _check(query, wanted)
    if wanted["how_to_open"]:
        click.echo(opening(store), nl=False)
        return
    outlet = Outlet(
        form=wanted["form"], file=wanted["output"], raw=wanted["raw"], pager=wanted["pager"]
    )
    asked = _asked(query, wanted["file"])
    if asked is None:
        from probe.cli.sql_shell.prompt import run_shell  # noqa: PLC0415 - loads prompt_toolkit

        run_shell(store, outlet)
    else:
        _answer(Session(store, say), outlet, *asked)


def _check(query: str | None, wanted: _Wanted) -> None:
    """Refuse options that do not go together, before anything is read."""
    if query is not None and wanted["file"] is not None:
        raise click.UsageError("QUERY and --file are two ways to ask; give one of them")
    if wanted["raw"] and wanted["form"] != "csv":
        raise click.UsageError(
            "--raw is for --format csv; json and parquet hold texts as they are,"
            " table and markdown never do"
        )


def _asked(query: str | None, file: str | None) -> tuple[list[Statement], str] | None:
    """The queries and where they are from; None where the user is to be prompted."""
    from probe.cli.sql_shell import Statement  # noqa: PLC0415

    if query not in {None, "-"}:
        return [Statement(text=str(query), line=1)], ""
    if file not in {None, "-"}:
        return _of_file(Path(str(file)))
    if query is None and file is None and sys.stdin.isatty():
        if sys.stdout.isatty():
            return None
        raise click.UsageError("give a QUERY or --file FILE; only a terminal is prompted")
    return _statements(sys.stdin.read(), "standard input")


def _of_file(path: Path) -> tuple[list[Statement], str]:
    from store.files import read_text  # noqa: PLC0415

    return _statements(read_text(path), str(path))


def _statements(text: str, where: str) -> tuple[list[Statement], str]:
    """What a text asks, every query of it checked."""
    from probe.cli.sql_shell import statements  # noqa: PLC0415
    from store.errors import QueryError  # noqa: PLC0415
    from store.gate import check  # noqa: PLC0415

    found = statements(text)
    if not found:
        raise QueryError(f"{where}: the query is empty; try: from results limit 5")
    for statement in found:
        try:
            check(statement.text)
        except QueryError as error:
            raise QueryError(_placed(str(error), statement, where)) from None
    return found, where


def _placed(said: str, statement: Statement, where: str) -> str:
    """A refusal with the file and the line in it, instead of the line in the statement."""
    if not where:
        return said
    line = statement.line

    def in_file(found: re.Match[str]) -> str:
        nonlocal line
        line = statement.line + int(found[1]) - 1
        return f"LINE {line}:"

    told = re.sub(r"^LINE (\d+):", in_file, said, count=1, flags=re.MULTILINE)
    return f"{where}, line {line}: {told}"


def _answer(session: Session, outlet: Outlet, asked: list[Statement], where: str) -> None:
    """Answer queries in their order."""
    from store.errors import QueryError  # noqa: PLC0415

    if outlet.form == "parquet" and len(asked) > 1:
        raise click.UsageError(f"a parquet file holds one result; {where} has {len(asked)} queries")
    texts: list[str] = []
    for statement in asked:
        try:
            texts += _result(session, outlet, statement)
        except QueryError as error:
            if texts and outlet.file is None:  # what was answered before it is not lost
                _write(outlet, texts)
            raise QueryError(_placed(str(error), statement, where)) from None
    if outlet.form != "parquet":
        _write(outlet, texts)


def _result(session: Session, outlet: Outlet, statement: Statement) -> list[str]:
    if outlet.form != "parquet":
        return [outlet.text(session.ask(statement.text))]
    outlet.parquet(session, statement.text)
    return []


def _write(outlet: Outlet, texts: list[str]) -> None:
    from probe.cli.sql_shell import write_whole  # noqa: PLC0415

    if outlet.form == "json" and len(texts) > 1:
        whole = "[\n" + ",\n".join(text.rstrip("\n") for text in texts) + "\n]\n"
    else:
        whole = "\n".join(texts)
    if outlet.file is None:
        outlet.show(whole)
    else:
        write_whole(whole, outlet.file)
