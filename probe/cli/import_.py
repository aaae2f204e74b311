"""`probe import`: experiments of another store, copied into this one."""

from __future__ import annotations

import click

from probe.cli import PLACE, store_option
from probe.cli.moving import experiments_option, move
from store.address import Place


@click.command("import")
@click.argument("source", metavar="FROM", type=PLACE)
@store_option
@experiments_option
def command(source: Place, store: Place, experiments: tuple[str, ...]) -> None:
    """Copy what the store FROM holds into the store, and look for every row there.

    Either may be a folder or a lake. Stopped half way, the same command goes on: what is there
    already is not copied again. The store FROM stays as it is.
    """
    move(source, store, experiments)
