"""`probe run`: start or resume an experiment."""

from __future__ import annotations

import asyncio
import gc
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Unpack

import click

from probe.cli import store_option
from probe.cli.ray_options import patience_option, ray_option
from probe.cli.run_options import (
    Asked,
    lease_option,
    listen_option,
    max_requests_option,
    max_usd_option,
    retry_failed_option,
)
from store.address import Place, folder_of

_GARBAGE: Final = 20_000
_SWITCH_S: Final = 0.0005

if TYPE_CHECKING:
    from analysis.tables import ExperimentTable
    from probe.ended import Ended
    from probe.hub.opening import Listen
    from probe.spec import Spec
    from store.database import Database
    from store.read import Connection


@click.command("run")
@click.argument("experiment", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@retry_failed_option
@max_usd_option
@max_requests_option
@listen_option
@lease_option
@ray_option
@patience_option
def command(experiment: Path, store: Place, **asked: Unpack[Asked]) -> None:
    """Ask every cell of EXPERIMENT that the store does not hold yet, then print its table.

    The same command resumes a run that was stopped or killed. Exits with 0 when all is done, 1 when
    cells failed or a model could not be asked, 3 when a ceiling was reached, 130 when interrupted
    or where cells are in batches that are still open.

    With --listen, workers on other machines share the cells: see `probe work`. With --ray, Ray
    places such workers, and this process asks no model itself; `[ray]` in the file says which.
    """
    run_experiment(experiment, store, asked, asks_here=True)


def run_experiment(experiment: Path, store: Place, asked: Asked, *, asks_here: bool) -> None:
    """Run an experiment and exit, as `probe run` does.

    Args:
        experiment: Its file.
        store: The store's folder.
        asked: The command's options.
        asks_here: Whether this process asks; else it only gives cells to workers.
    """
    import uvloop  # noqa: PLC0415 - keeps --help fast

    from analysis.scoring import score_replies  # noqa: PLC0415
    from probe.budget import Ceiling  # noqa: PLC0415
    from probe.conduct import Conductor  # noqa: PLC0415
    from probe.hub.tokens import tokens_of  # noqa: PLC0415
    from probe.progress import FetchDisplay  # noqa: PLC0415
    from probe.resolve import find, provider_for  # noqa: PLC0415
    from probe.spec import parse_spec, read_toml  # noqa: PLC0415
    from store.opening import open_write  # noqa: PLC0415

    def score(connection: Connection, keys: Sequence[str]) -> None:
        score_replies(connection, keys)

    spec_text = read_toml(experiment)  # once: what is recorded is what was run
    spec = parse_spec(spec_text, experiment)
    fetching = FetchDisplay()
    try:
        plan = find(spec, experiment, fetching)
        listen = _listen(asked, spec, experiment, store, asks_here=asks_here)
        readers = tokens_of(folder_of(store, "--listen")).hashes() if listen else []
        with open_write(store, after_replies=score, serve=True, readers=readers) as database:
            conductor = Conductor(
                plan=plan,
                spec_text=spec_text,
                database=database,
                make_provider=lambda model, log: provider_for(
                    model.spec, experiment, log, fetching
                ),
                retry_failed=asked["retry_failed"],
                ceiling=Ceiling(usd=asked["max_usd"], requests=asked["max_requests"]),
                listen=listen,
            )
            _report_opening(database)
            prepared = conductor.prepare()
            fetching.close()
            gc.freeze()  # what is loaded by now stays; a run makes many objects beside it
            gc.set_threshold(_GARBAGE)
            # A reply's system calls let other threads have the interpreter; get it back soon.
            sys.setswitchinterval(_SWITCH_S)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                ended = runner.run(conductor.run(prepared))
            gc.unfreeze()
            del conductor, prepared  # pages of prompts, and what else a run holds
            gc.collect()
            # Also what was held before: the plan may have given it a new gold answer.
            database.call_for_all(score_replies)
            table = _table(database, spec.name)
    finally:
        fetching.close()
    from probe.cli.show_experiment import show_experiment  # noqa: PLC0415 - as in _table

    show_experiment(table)
    _report(ended, experiment, store)
    failed = sum(int(str(row["failed"])) for row in table.notes)
    if failed:
        click.echo(
            f"{failed} cells failed; the same command asks again what may pass,"
            " with --retry-failed also what was refused for good",
            err=True,
        )
    click.get_current_context().exit(_exit_code(ended, failed))


def _table(database: Database, name: str) -> ExperimentTable:
    """An experiment's table. What makes it is loaded only now: many runs end before."""
    from analysis.tables import experiment_table  # noqa: PLC0415

    return database.call_for_all(lambda owner: experiment_table(owner, name))


def _listen(
    asked: Asked, spec: Spec, experiment: Path, store: Place, *, asks_here: bool
) -> Listen | None:
    from probe.hub.opening import Listen  # noqa: PLC0415
    from store.hub_address import address  # noqa: PLC0415 - keeps --help fast

    if (cluster := asked.get("ray")) is not None:
        from probe.cluster.asking import OnRay, listen_on_ray  # noqa: PLC0415

        on_ray = OnRay(
            cluster=cluster,
            listen=asked["listen"],
            lease_s=asked["lease_s"],
            patience_s=asked["patience_s"],
        )
        return listen_on_ray(on_ray, spec, experiment, folder_of(store, "--ray"))
    if asked["listen"] is None:
        return None
    return Listen(where=address(asked["listen"]), lease_s=asked["lease_s"], asks_here=asks_here)


def _exit_code(ended: Ended, failed: int) -> int:
    if ended.interrupted:
        return 130
    if ended.spent:
        return 3
    if ended.waiting and not failed and not ended.down:
        return 130
    return 1 if failed or ended.down else 0


def _report_opening(database: Database) -> None:
    """Say what was found when the store was opened."""
    if database.serving_problem:
        click.echo(database.serving_problem, err=True)
    if database.set_aside:
        click.echo(
            f"the database was damaged; it is kept as {database.set_aside}, and a new one was"
            " made from the journal. Plans come back when their experiment is run again.",
            err=True,
        )
    if database.recovered:
        click.echo(f"{database.recovered} replies recovered from the journal", err=True)


def _report(ended: Ended, experiment: Path, store: Place) -> None:
    """Say how the run ended."""
    from probe.cli.show import printable  # noqa: PLC0415 - keeps --help fast

    failed = f", failed {ended.failed}" if ended.failed else ""
    click.echo(f"asked {ended.asked}, already held {ended.held}{failed}; store {store}", err=True)
    for down in ended.down:
        click.echo(f"probe: {printable(str(down))}", err=True)
    if ended.spent:
        click.echo("ceiling reached; raise --max-usd or --max-requests to go on", err=True)
    if ended.waiting:
        click.echo(
            f"{ended.waiting} cells are in batches that go on at their provider; the same command"
            " takes them up again",
            err=True,
        )
    if ended.interrupted:
        shown = shlex.quote(str(store))
        click.echo(f"interrupted; resume with: probe run {experiment} --store {shown}", err=True)
