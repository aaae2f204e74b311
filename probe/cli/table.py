"""`probe table`: what an experiment found, or the tables of a study."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from probe.cli import store_option
from probe.cli.study_options import Wanted, asked_for, asked_of, study_named, study_options
from store.address import Place

if TYPE_CHECKING:
    from analysis.studies import ExperimentStudy, Study, StudyTable


class _Wanted(Wanted):
    """The options that only studies take, with what only their tables have."""

    figures: Path | None


@click.command("table")
@click.argument("name")
@store_option
@click.option(
    "--format",
    "form",
    default="table",
    show_default=True,
    type=click.Choice(["table", "csv", "latex", "json"]),
    help="How to print the result; latex for studies.",
)
@study_options
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Of a study: draw its figures into this folder, as PNG and SVG.",
)
def command(
    name: str, store: Place, form: str, *, experiment: bool, **wanted: Unpack[_Wanted]
) -> None:
    """Print what the experiment NAME found, or the tables of the study NAME.

    The studies austenalike and similarity are not asked of a model: their tables are worked out
    from vectors and benchmarks that the store holds. The studies memorization and memory are of the
    replies to one of the store's experiments. Where a study and an experiment have the same name,
    the study's tables are printed, and --experiment prints the experiment's.
    """
    from analysis.studies import ExperimentStudy  # noqa: PLC0415 - keeps --help fast

    study = study_named(name, wanted, experiment=experiment, more=("figures",))
    if isinstance(study, ExperimentStudy):
        _print_experiment_study(study, store, form, wanted)
    elif study is not None:
        _print_study(study, store, form, wanted)
    elif form == "latex":
        raise click.UsageError("--format latex is for studies; an experiment has csv and json")
    else:
        _print_experiment(name, store, form)


def _print_experiment(name: str, store: Place, form: str) -> None:
    from analysis.errors import NoSuchTable  # noqa: PLC0415 - keeps --help fast
    from analysis.studies import study_names  # noqa: PLC0415
    from analysis.tables import experiment_table  # noqa: PLC0415
    from probe.cli.show import echo_json  # noqa: PLC0415
    from probe.cli.show_experiment import show_experiment  # noqa: PLC0415
    from store.read import open_read  # noqa: PLC0415

    try:
        table = experiment_table(open_read(store), name)
    except NoSuchTable as error:
        raise NoSuchTable(name, error.known, study_names()) from None
    if form == "table":
        show_experiment(table)
    elif form == "json":
        echo_json(table.records())
    else:
        _echo_csv(table.records())


def _print_study(study: Study, store: Place, form: str, wanted: _Wanted) -> None:
    from analysis.studies import bring_in  # noqa: PLC0415 - keeps --help fast

    asked = asked_for(study, wanted)
    reader = bring_in(store, study, asked.inputs)
    try:
        table = study.table(reader, asked)
        _echo(table, form)
        _draw(table, wanted["figures"])
        same = reader.answer(
            "SELECT count(*) FROM experiments WHERE experiment = $name", {"name": study.name}
        )
    finally:
        reader.close()
    if same.rows[0][0]:
        click.echo(
            f"probe: the store has an experiment {study.name} too; --experiment prints it", err=True
        )


def _print_experiment_study(
    study: ExperimentStudy, store: Place, form: str, wanted: _Wanted
) -> None:
    from store.read import open_read  # noqa: PLC0415 - keeps --help fast

    asked = asked_of(wanted)
    reader = open_read(store)
    try:
        table = study.table(reader, asked)
    finally:
        reader.close()
    _echo(table, form)
    _draw(table, wanted["figures"])


def _draw(table: StudyTable, folder: Path | None) -> None:
    if folder is None:
        return
    from probe.cli.draw_study import draw_study  # noqa: PLC0415 - matplotlib is slow
    from probe.cli.show import printable  # noqa: PLC0415

    for path in draw_study(table, folder):
        click.echo(f"drew {path}", err=True)
    for why in table.undrawn:
        click.echo(f"probe: {printable(why)}", err=True)


def _echo(table: StudyTable, form: str) -> None:
    from analysis.studies.grids import grids  # noqa: PLC0415
    from analysis.studies.latex import latex  # noqa: PLC0415
    from probe.cli.show import echo_json, printable  # noqa: PLC0415
    from probe.cli.show_study import show_study  # noqa: PLC0415

    if form == "table":
        show_study(table)
        return
    if form == "json":
        echo_json(table.records())
    elif form == "csv":
        _echo_csv(table.records())
    else:
        click.echo(latex(grids(table)), nl=False)
    for note in table.notes:
        click.echo(f"probe: {printable(note)}", err=True)


def _echo_csv(records: Iterable[dict[str, object]]) -> None:
    from probe.cli.show import echo_csv  # noqa: PLC0415

    rows = list(records)
    columns = list(dict.fromkeys(column for record in rows for column in record))
    echo_csv(columns, [[record.get(column) for column in columns] for record in rows])
