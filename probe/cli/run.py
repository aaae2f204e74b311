"""`probe run`: start or resume an experiment."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probe.cli import store_option

if TYPE_CHECKING:
    from probe.conduct import Ended
    from store.read import Connection


@click.command("run")
@click.argument("experiment", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@click.option("--retry-failed", is_flag=True, help="Ask again also what a server refused for good.")
def command(experiment: Path, store: Path, *, retry_failed: bool) -> None:
    """Ask every cell of EXPERIMENT that the store does not hold yet, then print its table.

    The same command resumes a run that was stopped or killed. Exits with 0 when all is done, 1 when
    cells failed or a model could not be asked, 130 when interrupted.
    """
    from analysis import experiment_table, score_replies  # noqa: PLC0415 - keeps --help fast
    from probe.cli.show_experiment import show_experiment  # noqa: PLC0415
    from probe.conduct import Conductor  # noqa: PLC0415
    from probe.progress import FetchDisplay  # noqa: PLC0415
    from probe.resolve import find, provider_for  # noqa: PLC0415
    from probe.spec import parse_spec, read_toml  # noqa: PLC0415
    from store.database import Database  # noqa: PLC0415

    def score(connection: Connection, keys: Sequence[str]) -> None:
        score_replies(connection, keys)

    spec_text = read_toml(experiment)  # once: what is recorded is what was run
    spec = parse_spec(spec_text, experiment)
    fetching = FetchDisplay()
    try:
        plan = find(spec, experiment, fetching)
        with Database(store, after_replies=score) as database:
            conductor = Conductor(
                plan=plan,
                spec_text=spec_text,
                database=database,
                make_provider=lambda model, log: provider_for(
                    model.spec, experiment, log, fetching
                ),
                retry_failed=retry_failed,
            )
            if database.recovered:
                click.echo(f"{database.recovered} replies recovered from the journal", err=True)
            prepared = conductor.prepare()
            # After the plan is recorded: it may give held replies a new gold answer.
            database.call(score_replies)
            fetching.close()
            ended = asyncio.run(conductor.run(prepared))
            table = database.call(lambda connection: experiment_table(connection, spec.name))
    finally:
        fetching.close()
    show_experiment(table)
    _report(ended, experiment, store)
    failed = sum(int(str(row["failed"])) for row in table.notes)
    if failed:
        click.echo(
            f"{failed} cells failed; the same command asks again what may pass,"
            " with --retry-failed also what was refused for good",
            err=True,
        )
    click.get_current_context().exit(130 if ended.interrupted else 1 if failed or ended.down else 0)


def _report(ended: Ended, experiment: Path, store: Path) -> None:
    """Say how the run ended."""
    from probe.cli.show import printable  # noqa: PLC0415 - keeps --help fast

    failed = f", failed {ended.failed}" if ended.failed else ""
    click.echo(f"asked {ended.asked}, already held {ended.held}{failed}; store {store}", err=True)
    for down in ended.down:
        click.echo(f"probe: {printable(str(down))}", err=True)
    if ended.interrupted:
        click.echo(f"interrupted; resume with: probe run {experiment} --store {store}", err=True)
