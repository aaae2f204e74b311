"""`probe table`: what an experiment found."""

from __future__ import annotations

from pathlib import Path

import click

from probe.cli import format_option, store_option


@click.command("table")
@click.argument("name")
@store_option
@format_option
def command(name: str, store: Path, form: str) -> None:
    """Print the accuracies and contrasts of the experiment NAME."""
    from analysis import experiment_table  # noqa: PLC0415 - keeps `probe --help` fast
    from probe.cli.show import echo_csv, echo_json  # noqa: PLC0415
    from probe.cli.show_experiment import show_experiment  # noqa: PLC0415
    from store.read import open_read  # noqa: PLC0415

    table = experiment_table(open_read(store), name)
    if form == "table":
        show_experiment(table)
        return
    records = table.records()
    if form == "json":
        echo_json(records)
    else:
        columns = list(dict.fromkeys(column for record in records for column in record))
        echo_csv(columns, [[record.get(column) for column in columns] for record in records])
