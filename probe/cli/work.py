"""`probe work`: a worker of a hub."""

from __future__ import annotations

import asyncio
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from probe.cli.hub_options import (
    HubAsked,
    ca_option,
    link_to,
    plain_option,
    state_folder,
    state_option,
)

if TYPE_CHECKING:
    from probe.ended import Ended


@click.command("work")
@click.option("--hub", required=True, metavar="quack:HOST:PORT", help="The hub's address.")
@click.option(
    "--name", default=platform.node, help="What others are shown (by default the host's)."
)
@click.option("--model", "models", multiple=True, help="Ask only this model; may be given again.")
@click.option(
    "--in-flight",
    type=click.IntRange(min=1),
    help="Requests of one model open at once at most (by default its share of the run's).",
)
@click.option(
    "--patience",
    "patience_s",
    default=3600.0,
    show_default=True,
    type=click.FloatRange(min=0),
    help="How long the hub may be away before this gives up (seconds).",
)
@plain_option
@ca_option
@state_option
def command(
    hub: str,
    name: str,
    models: tuple[str, ...],
    in_flight: int | None,
    patience_s: float,
    **asked: Unpack[HubAsked],
) -> None:
    """Ask cells that a hub gives out (`probe serve`, or `probe run --listen`), until none is left.

    The hub's token comes from GISTPROBE_TOKEN, a model's key from the variable that the experiment
    file names. Limits and ceilings are the run's: each worker gets a share. Stop it at any time;
    what it was answered is kept in --state until the hub has it, and what it holds goes to others.
    Exits with 0 when the hub has nothing left, 1 when it is away for too long or a model could not
    be asked, 130 when interrupted.
    """
    import uvloop  # noqa: PLC0415 - keeps --help fast

    from probe.progress import FetchDisplay  # noqa: PLC0415
    from probe.worker.settings import Settings  # noqa: PLC0415
    from probe.worker.starting import worker_of  # noqa: PLC0415

    fetching, here = FetchDisplay(), Path("experiment.toml").absolute()
    settings = Settings(
        name=name,
        state=state_folder(hub, asked),
        models=models or None,
        most_in_flight=in_flight,
        patience_s=patience_s,
    )
    worker = worker_of(settings, link_to(hub, asked), here, fetching)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            ended = runner.run(worker.run())
    finally:
        fetching.close()
    _say(ended)
    click.get_current_context().exit(130 if ended.interrupted else int(bool(ended.down)))


def _say(ended: Ended) -> None:
    from probe.cli.show import printable  # noqa: PLC0415 - keeps --help fast

    failed = f", failed {ended.failed}" if ended.failed else ""
    click.echo(f"asked {ended.asked}{failed}; all of it is with the hub", err=True)
    for down in ended.down:
        click.echo(f"probe: {printable(str(down))}", err=True)
