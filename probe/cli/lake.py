"""`probe lake`: what is to be done for a lake now and then."""

from __future__ import annotations

from pathlib import Path

import click

from probe.cli import store_option
from store.address import Lake, Place


@click.group("lake")
def command() -> None:
    """Look after a lake."""


@command.command("tidy")
@store_option
def tidy_(store: Place) -> None:
    """Join the many small files of a lake into few, and let go of what no query needs.

    Runs may be on. Rows that lie in the catalogue are written to files too. The lake's past is
    given up: what is left is what it holds now.
    """
    from store.errors import BadAddress  # noqa: PLC0415 - keeps `probe --help` fast
    from store.lake.tidy import tidy  # noqa: PLC0415

    if isinstance(store, Path):
        raise BadAddress(str(store), "it is a file, which keeps itself tidy", "name a lake")
    if not isinstance(store, Lake):
        raise BadAddress(str(store), "it is a hub", "name the lake itself")
    before, after = tidy(store)
    click.echo(f"{store}: {before} files before, {after} now")
