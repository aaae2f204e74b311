"""Options of the commands that speak to a hub."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

if TYPE_CHECKING:
    from probe.worker.link import Link

TOKEN = "GISTPROBE_TOKEN"  # noqa: S105 - the variable's name


class HubAsked(TypedDict):
    """How a hub is reached."""

    plain: bool
    ca: Path | None
    state: Path | None


plain_option = click.option(
    "--plain", is_flag=True, help="Without TLS also on a network, which must be a trusted one."
)
ca_option = click.option(
    "--ca",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A certificate to trust beside the system's, such as a proxy's own.",
)
state_option = click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where what is not yet the hub's is kept (by default a folder of your user's).",
)


def link_to(hub: str, asked: HubAsked) -> Link:
    """A connection to a hub, with the token of the environment.

    Raises:
        UsageError: There is no token.
        BadHub: The address is none.
    """
    from probe.worker.link import Link  # noqa: PLC0415
    from store.hub_address import address  # noqa: PLC0415 - keeps --help fast

    token = os.environ.get(TOKEN, "")
    if not token:
        raise click.UsageError(
            f"{TOKEN} is not set; on the hub's machine `probe token work --store STORE` prints it"
        )
    where = address(hub)
    where = replace(where, plain=where.plain or asked["plain"])
    return Link(where=where, token=token, authority=asked["ca"])


def state_folder(hub: str, asked: HubAsked) -> Path:
    """Where what goes to a hub is kept until it has it."""
    import hashlib  # noqa: PLC0415 - keeps --help fast

    import platformdirs  # noqa: PLC0415

    base = asked["state"] or Path(platformdirs.user_state_dir("gistprobe")) / "work"
    return base / hashlib.sha256(hub.encode()).hexdigest()[:12]
