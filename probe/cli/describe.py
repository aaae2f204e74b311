"""`probe describe`: descriptions of characters, from a run that asked for them to a file."""

from __future__ import annotations

from pathlib import Path

import click

from probe.cli import store_option
from store.address import Place


@click.command("describe")
@click.argument("experiment")
@store_option
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write (JSON lines), to be named under [descriptions].",
)
@click.option("--model", help="Whose descriptions to take, if the experiment asked several models.")
def command(experiment: str, store: Place, out: Path, model: str | None) -> None:
    """Write what EXPERIMENT said of the characters to a file that other experiments name.

    EXPERIMENT is one that was run with the task character_description. Each character gets one
    description, with the model, the item and the key of the reply that it comes from.
    """
    from analysis.descriptions import descriptions, write_descriptions  # noqa: PLC0415 - fast help
    from store.read import open_read  # noqa: PLC0415

    records = descriptions(open_read(store), experiment, model)
    write_descriptions(records, out)
    works = len({record["work"] for record in records})
    click.echo(f"{len(records)} characters of {works} works described in {out}")
