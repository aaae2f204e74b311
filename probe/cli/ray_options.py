"""Options of the commands whose workers Ray can place."""

from __future__ import annotations

import click

ray_option = click.option(
    "--ray",
    metavar="ADDRESS",
    help="Place workers on a Ray cluster: auto, host:port, or local for one of this process.",
)
patience_option = click.option(
    "--patience",
    "patience_s",
    default=3600.0,
    show_default=True,
    type=click.FloatRange(min=0),
    help="With --ray: how long a worker may wait for a place on the cluster (seconds).",
)
workers_option = click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="With --ray: workers that embed (count).",
)
worker_cpus_option = click.option(
    "--worker-cpus",
    default=1.0,
    show_default=True,
    type=click.FloatRange(min=0),
    help="With --ray: CPUs of each.",
)
worker_gpus_option = click.option(
    "--worker-gpus",
    default=0.0,
    show_default=True,
    type=click.FloatRange(min=0),
    help="With --ray: GPUs of each; below 1 a share of one.",
)
