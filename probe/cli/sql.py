"""`probe sql`: a query on a store."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from probe.cli import store_option


@click.command("sql")
@click.argument("query")
@store_option
@click.option(
    "--format",
    "form",
    default="table",
    show_default=True,
    type=click.Choice(["table", "csv", "json", "parquet"]),
    help="How to print the result; parquet needs --output.",
)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File for parquet.")
def command(query: str, store: Path, form: str, output: Path | None) -> None:
    """Run QUERY on a store ("-" reads it from standard input).

    The views to start from are results (one row a cell), accuracy and progress. Nothing can be
    changed this way. While a run is on, it answers.
    """
    from probe.cli.show import show_answered  # noqa: PLC0415 - keeps `probe --help` fast
    from store.read import ask, open_read  # noqa: PLC0415

    text = sys.stdin.read() if query == "-" else query
    reader = open_read(store)
    if form == "parquet":
        if output is None:
            raise click.UsageError("--format parquet needs --output FILE")
        reader.write_parquet(text, output)
    else:
        show_answered(ask(reader, text), form)
