"""`probe batch`: files of requests for `vllm run-batch`, and batches that are lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from probe.cli import store_option

if TYPE_CHECKING:
    from probe.plan import Model, Plan
    from store.address import Place
    from store.database import Database
    from store.read import Connection

T = TypeVar("T")
_MOST_SHOWN: Final = 20

_experiment = click.argument("experiment", type=click.Path(path_type=Path, dir_okay=False))
_model = click.option("--model", required=True, help="The model's name in the experiment file.")


@click.group("batch")
def command() -> None:
    """Write requests to a file and read what came of them; forget a batch that is lost.

    Batches at a provider need no command: `probe run` hands them over and takes their results
    where a model has mode = "batch".
    """


@command.command("write")
@_experiment
@store_option
@_model
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write, as `vllm run-batch -i` takes it.",
)
def write(experiment: Path, store: Place, model: str, out: Path) -> None:
    """Write a line for every request of EXPERIMENT's model that the store does not hold."""
    from probe.batch.files import write_lines  # noqa: PLC0415 - keeps --help fast

    def act(plan: Plan, text: str, database: Database, asked: Model) -> Coroutine[Any, Any, int]:
        return write_lines(plan, text, database, asked, out)

    lines = _with_plan(experiment, store, model, act)
    click.echo(f"{lines} requests written to {out}", err=True)


@command.command("read")
@_experiment
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@_model
def read(experiment: Path, file: Path, store: Place, model: str) -> None:
    """Take in FILE, which `vllm run-batch -o` wrote for EXPERIMENT's model.

    A file may be read more than once: what the store holds is passed over. Exits with 1 when lines
    brought no reply; each is named.
    """
    from probe.batch.files import ReadBack, read_lines  # noqa: PLC0415 - keeps --help fast
    from probe.cli.show import printable  # noqa: PLC0415

    def act(
        plan: Plan, text: str, database: Database, asked: Model
    ) -> Coroutine[Any, Any, ReadBack]:
        return read_lines(plan, text, database, asked, file)

    back = _with_plan(experiment, store, model, act)
    for problem in back.problems[:_MOST_SHOWN]:
        click.echo(f"probe: {printable(problem)}", err=True)
    if len(back.problems) > _MOST_SHOWN:
        click.echo(f"probe: and {len(back.problems) - _MOST_SHOWN} lines more", err=True)
    failed = f", failed {back.failed}" if back.failed else ""
    click.echo(f"read {back.replies} replies, held before {back.held}{failed}", err=True)
    click.get_current_context().exit(1 if back.problems else 0)


@command.command("forget")
@click.argument("batch_id")
@store_option
def forget(batch_id: str, store: Place) -> None:
    """Let an open batch go whose results will not come; the next run asks its cells again.

    Whether its lines were bought is not looked at: they may be bought twice.
    """
    from probe.batch.forgetting import forget as let_go  # noqa: PLC0415 - keeps --help fast
    from store.opening import open_write  # noqa: PLC0415

    with open_write(store) as database:
        cells = let_go(database, batch_id)
    click.echo(f"batch {batch_id} is forgotten; {cells} cells are to be asked again", err=True)


def _with_plan(
    experiment: Path,
    store: Place,
    name: str,
    act: Callable[[Plan, str, Database, Model], Coroutine[Any, Any, T]],
) -> T:
    """Do something with an experiment's model on an open store; score what has come."""
    from analysis.scoring import score_replies  # noqa: PLC0415 - keeps --help fast
    from probe.batch.files import model_named  # noqa: PLC0415
    from probe.progress import FetchDisplay  # noqa: PLC0415
    from probe.resolve import find  # noqa: PLC0415
    from probe.spec import parse_spec, read_toml  # noqa: PLC0415
    from store.opening import open_write  # noqa: PLC0415

    def score(connection: Connection, keys: Sequence[str]) -> None:
        score_replies(connection, keys)

    text = read_toml(experiment)
    fetching = FetchDisplay()
    try:
        plan = find(parse_spec(text, experiment), experiment, fetching)
    finally:
        fetching.close()
    model = model_named(plan, name)
    with open_write(store, after_replies=score, serve=True) as database:
        return asyncio.run(act(plan, text, database, model))
