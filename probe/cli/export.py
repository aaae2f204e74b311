"""`probe export`: a store as a folder that describes itself."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probe.cli import PLACE, store_option
from probe.cli.moving import experiments_option, move
from store.address import Place

if TYPE_CHECKING:
    from store.export import Source


@click.command("export")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@store_option
@click.option(
    "--to",
    type=PLACE,
    metavar="PLACE",
    help="Instead of writing a folder for people, copy into this store: a folder, or a lake.",
)
@experiments_option
@click.option(
    "--release",
    is_flag=True,
    help="Leave out text that may not be shared (of datasets, prompts, long replies): its hash and"
    " length stand in its place.",
)
@click.option(
    "--licence", default="", help="The licence you give the data, to be named in it: CC-BY-4.0."
)
def command(
    folder: Path | None,
    store: Place,
    to: Place | None,
    experiments: tuple[str, ...],
    licence: str,
    *,
    release: bool,
) -> None:
    """Write a store into FOLDER, which must be new or empty, for people who have no gistprobe.

    It gets a Parquet file for each table and for the views results and accuracy, a datapackage.json
    that describes them, a README.md with what was run and how to load it, and SHA256SUMS. Secrets,
    folders and names of machines are taken out of what runs say of themselves.

    With --to, experiments are copied as they are into another store, such as from a file into a
    lake: every row is looked for there afterwards, and `probe import` does the same the other way
    round.

    It works while a run is on: all tables are as they were at one moment.
    """
    if to is not None:
        if folder is not None or release or licence:
            raise click.UsageError(
                "--to copies everything into a store; FOLDER, --release and"
                " --licence are for a folder for people"
            )

        move(store, to, experiments)
        return
    if folder is None:
        raise click.UsageError("name a FOLDER to write, or a store with --to")
    from probe.cli.show import printable  # noqa: PLC0415 - keeps `probe --help` fast
    from store.export import Asked, export  # noqa: PLC0415

    asked = Asked(
        created=datetime.now(UTC),
        release=release,
        licence=licence,
        chosen=experiments,
        sources=_sources(),
    )
    done = export(store, folder, asked)
    rows = sum(done.rows.values())
    click.echo(
        printable(
            f"wrote {folder}: {len(done.rows)} tables, {rows:,} rows,"
            f" {done.size_bytes / 1e6:,.1f} MB"
            + (", without texts that may not be shared" if release else "")
        ),
        err=True,
    )


def _sources() -> dict[str, Source]:
    """Where each dataset that gistprobe knows is from."""
    from prompts.datasets import DATASETS  # noqa: PLC0415 - keeps `probe --help` fast
    from prompts.datasets.homes import homes  # noqa: PLC0415
    from store.export import Source  # noqa: PLC0415

    known = homes()
    return {
        name: Source(
            name=name,
            title=each.title,
            licence=each.licence,
            path=known[name].repository if name in known else "",
        )
        for name, each in DATASETS.items()
    }
