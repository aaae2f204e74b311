"""Copies experiments between stores and prints what came, for the commands that do so."""

from __future__ import annotations

from collections.abc import Sequence

import click

from store.address import Place

experiments_option = click.option(
    "--experiment",
    "experiments",
    multiple=True,
    metavar="NAME",
    help="Only this experiment's rows, all its plans; may be given several times.",
)


def move(source: Place, target: Place, experiments: Sequence[str]) -> None:
    """Copy, and print one line a table that has rows: how many, how many were new, the checksum."""
    from probe.cli.show import printable, show_answered  # noqa: PLC0415 - keeps --help fast
    from store.read import Answered  # noqa: PLC0415
    from store.transfer import transfer  # noqa: PLC0415

    moved = [each for each in transfer(source, target, experiments) if each.rows]
    columns = ("table", "rows", "added", "other_kept", "checksum")
    rows = [(each.table, each.rows, each.added, each.kept, each.checksum) for each in moved]
    show_answered(Answered(columns, list(rows)), "table")
    total, added = sum(each.rows for each in moved), sum(each.added for each in moved)
    click.echo(
        printable(f"{target}: all of {total:,} rows are there, {added:,} of them new"), err=True
    )
    if kept := sum(each.kept for each in moved):
        click.echo(
            f"{kept:,} rows were left out: the store has its own of what there is one of, such as"
            " the reply to a key",
            err=True,
        )
