"""`probe report`: what a run found, as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from probe.cli import store_option
from store.address import Place


@click.command("report")
@click.argument("experiment", required=False)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write.",
)
@store_option
@click.option(
    "--items",
    type=click.IntRange(min=0),
    help="Most items that the browser of the file holds.  [default: 1000]",
)
def command(experiment: str | None, output: Path, store: Place, items: int | None) -> None:
    """Write what EXPERIMENT found as one HTML file that needs nothing else.

    It holds what was run, the contrasts, tables and figures, how cells ended, what leaked, how far
    the server repeats itself, and the items with prompts and replies. The file loads nothing from
    the network, and a reply cannot run anything in it. EXPERIMENT may be left out where the store
    has only one.
    """
    from analysis.errors import NotWritten  # noqa: PLC0415 - keeps `probe --help` fast
    from analysis.report import MOST, page, report  # noqa: PLC0415
    from probe.cli.show import printable  # noqa: PLC0415
    from store.read import open_read  # noqa: PLC0415

    reader = open_read(store)
    try:
        made = report(reader, experiment, MOST if items is None else items)
    finally:
        reader.close()
    data = page(made).encode("utf-8")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        part = output.with_name(f".{output.name}.part")
        part.write_bytes(data)
        part.replace(output)
    except OSError as error:
        why = error.strerror or str(error)
        raise NotWritten(f"the report {output.name}", output.parent, why) from error
    browser = made.browser
    click.echo(
        f"probe: {printable(str(output))}, {len(data) / 1e6:.1f} MB,"
        f" with {browser.held:,} of {browser.of:,} items",
        err=True,
    )
    if browser.left_out:
        click.echo("probe: --items N takes more of them, and the file grows", err=True)
