"""`probe names`: what name strategies do, and what they leave behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from probe.cli import format_option


@click.group("names")
def command() -> None:
    """Audit what was replaced and what leaked; list strategies, maps and cultures."""


@command.command("audit")
@click.argument("experiment", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dataset", help="A dataset in place of an experiment.")
@click.option(
    "--path",
    type=click.Path(path_type=Path),
    help="The dataset's file or folder; without it, the copy that was fetched.",
)
@click.option("--task", help="Of a dataset, the task whose items are read (by default its first).")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Of a dataset, only so many items, the first."
)
@click.option(
    "--names", "strategies", multiple=True, help="Only this strategy; may be given again."
)
@click.option("--items", "each", is_flag=True, help="A row for each item.")
@format_option
def audit_(
    *,
    experiment: Path | None,
    strategies: tuple[str, ...],
    each: bool,
    form: str,
    **dataset: Any,  # noqa: ANN401 - click's values
) -> None:
    """Show what was replaced in each item of EXPERIMENT, or of a dataset, and what is left.

    A leak is a word of the cast's names, a title of the work, a known place or catch-phrase that
    still stands. The leak rate is the share of shown items with any of them. Unknown names are
    capitalised words inside sentences that belong to nobody; they are counted apart.
    """
    from probe.cli.audit_names import OfDataset, of_dataset, of_experiment  # noqa: PLC0415 - as below
    from probe.cli.show_audit import show_audits  # noqa: PLC0415 - keeps `probe --help` fast

    if (experiment is None) == (dataset["dataset"] is None):
        raise click.UsageError("name an experiment file, or a dataset with --dataset")
    if experiment is None:
        found = of_dataset(OfDataset(**dataset), strategies)
    elif any(value is not None for value in dataset.values()):
        raise click.UsageError("--path, --task and --limit go with --dataset")
    else:
        found = of_experiment(experiment, strategies)
    show_audits(list(found), form, each=each)


@command.command("list")
@click.argument("culture", required=False)
@format_option
def list_(culture: str | None, form: str) -> None:
    """List the name strategies, named maps and cultures; or the names of one CULTURE."""
    from probe.cli.list_names import culture_rows, rows  # noqa: PLC0415 - keeps `probe --help` fast
    from probe.cli.show import show_answered  # noqa: PLC0415
    from store.read import Answered  # noqa: PLC0415

    if culture is None:
        show_answered(Answered(("kind", "name", "what"), rows()), form)
    else:
        show_answered(Answered(("list", "count", "names"), culture_rows(culture)), form)
