"""Options of the commands that run an experiment."""

from __future__ import annotations

from typing import NotRequired, TypedDict

import click


class Asked(TypedDict):
    """What was asked on the command line."""

    retry_failed: bool
    max_usd: float | None
    max_requests: int | None
    listen: str | None
    lease_s: float
    ray: NotRequired[str | None]
    patience_s: NotRequired[float]


max_usd_option = click.option(
    "--max-usd",
    type=click.FloatRange(min=0, min_open=True),
    help="The most the experiment may cost (US dollars), its earlier runs on this store included.",
)
max_requests_option = click.option(
    "--max-requests",
    type=click.IntRange(min=1),
    help="The most requests it may send, its earlier runs on this store included.",
)
retry_failed_option = click.option(
    "--retry-failed", is_flag=True, help="Ask again also what a server refused for good."
)
listen_option = click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Let workers join here, and answer SQL from other machines (such as localhost:9494).",
)
lease_option = click.option(
    "--lease",
    "lease_s",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=1),
    help="How long a worker may not be heard of before its cells go to others (seconds).",
)
