"""`probe token`: the tokens of a store's hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from probe.cli import store_option
from store.address import Place, folder_of

if TYPE_CHECKING:
    from probe.hub.wire import Role


@click.command("token")
@click.argument("role", type=click.Choice(["read", "work", "own"]))
@store_option
def command(role: Role, store: Place) -> None:
    """Print the token of a store's hub for ROLE: read (SQL), work (ask cells too), own (all).

    Hand it to others through their environment: export GISTPROBE_TOKEN=$(probe token work). The
    tokens lie in the store's folder, readable by you alone; remove hub.json there to void them.
    """
    from probe.hub.tokens import tokens_of  # noqa: PLC0415 - keeps --help fast

    click.echo(tokens_of(folder_of(store, "probe token")).by_role[role])
