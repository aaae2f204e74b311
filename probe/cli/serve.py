"""`probe serve`: the hub on its own."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from probe.cli import store_option
from probe.cli.run_options import (
    Asked,
    lease_option,
    max_requests_option,
    max_usd_option,
    retry_failed_option,
)
from store.address import Place, folder_of


@click.command("serve")
@click.argument("experiment", required=False, type=click.Path(path_type=Path, dir_okay=False))
@store_option
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="localhost:9494",
    show_default=True,
    help="Where workers join, and SQL from other machines is answered.",
)
@lease_option
@retry_failed_option
@max_usd_option
@max_requests_option
def command(experiment: Path | None, store: Place, **asked: Unpack[Asked]) -> None:
    """Give EXPERIMENT's cells to workers until all are settled; asks no model itself.

    Start workers with `probe work --hub quack:HOST:PORT` on any machine. The same command goes on
    after a stop or a kill, and its workers find it again. Exits as `probe run` does.

    Without EXPERIMENT the store alone is served, for SQL and for `probe embed --hub`, until it is
    stopped.
    """
    if experiment is not None:
        from probe.cli.run import run_experiment  # noqa: PLC0415 - keeps --help fast

        run_experiment(experiment, store, asked, asks_here=False)
        return
    import asyncio  # noqa: PLC0415

    from probe.hub.opening import serve_store  # noqa: PLC0415
    from probe.hub.tokens import tokens_of  # noqa: PLC0415
    from store.database import Database  # noqa: PLC0415
    from store.hub_address import address  # noqa: PLC0415

    folder = folder_of(store, "probe serve")
    where, tokens = address(str(asked["listen"])), tokens_of(folder)
    with Database(folder, serve=True, readers=tokens.hashes()) as database:

        def say(line: str) -> None:
            click.echo(line, err=True)

        asyncio.run(serve_store(where, asked["lease_s"], database, say))
