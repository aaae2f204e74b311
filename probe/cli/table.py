"""`probe table`: what an experiment found, or the tables of a study."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from probe.cli import store_option

if TYPE_CHECKING:
    from analysis.studies import Study, StudyTable

_FILE = click.Path(path_type=Path, dir_okay=False)


class _Wanted(TypedDict):
    """The options that only studies take."""

    mode: str | None
    vectors: tuple[str, ...]
    seed: int | None
    corpus: str | None
    data: Path | None
    groups: Path | None
    pairs: Path | None
    characters: Path | None
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
@click.option("--experiment", is_flag=True, help="NAME is an experiment's, even if a study has it.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Of a study: the folder of its published files, brought into the store if it lacks them.",
)
@click.option("--mode", help="Of a study: how its numbers are worked out, as published or clean.")
@click.option(
    "--vectors",
    multiple=True,
    metavar="ENCODER",
    help="Of a study: whose vectors to take, by name or id; of several the first that has them.",
)
@click.option(
    "--corpus",
    help="Of the study similarity: which corpus of the store; its files are parted by tabs.",
)
@click.option("--groups", type=_FILE, help="Its groups, a line each: attribute, group, character.")
@click.option("--pairs", type=_FILE, help="Its pairs, a line each: a, b, count.")
@click.option("--characters", type=_FILE, help="Its characters: character, work.")
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Of a study: draw its figures into this folder, as PNG and SVG.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Of a study's intervals.  [default: 0]")
def command(
    name: str, store: Path, form: str, *, experiment: bool, **wanted: Unpack[_Wanted]
) -> None:
    """Print what the experiment NAME found, or the tables of the study NAME.

    A study is not asked of a model: its tables are worked out from vectors and benchmarks that the
    store holds. Where a study and an experiment have the same name, the study's tables are printed,
    and --experiment prints the experiment's.
    """
    from analysis.studies import find_study, study_names  # noqa: PLC0415 - keeps --help fast

    study = None if experiment else find_study(name)
    if study is not None:
        _print_study(study, store, form, wanted)
        return
    if given := [option for option, value in wanted.items() if value not in {None, ()}]:
        studies = " and ".join(study_names())
        raise click.UsageError(f"--{given[0]} is for studies, and these are {studies}, not {name}")
    if form == "latex":
        raise click.UsageError("--format latex is for studies; an experiment has csv and json")
    _print_experiment(name, store, form)


def _print_experiment(name: str, store: Path, form: str) -> None:
    from analysis import NoSuchTable, experiment_table  # noqa: PLC0415 - keeps --help fast
    from analysis.studies import study_names  # noqa: PLC0415
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


def _print_study(study: Study, store: Path, form: str, wanted: _Wanted) -> None:
    from analysis.studies import Asked, Inputs, bring_in  # noqa: PLC0415

    inputs = Inputs(
        corpus=wanted["corpus"],
        data=wanted["data"],
        groups=wanted["groups"],
        pairs=wanted["pairs"],
        characters=wanted["characters"],
    )
    mode = wanted["mode"] or study.modes[0]
    _check_mode(study, mode)
    reader = bring_in(store, study, inputs)
    try:
        asked = Asked(inputs=inputs, mode=mode, vectors=wanted["vectors"], seed=wanted["seed"] or 0)
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


def _draw(table: StudyTable, folder: Path | None) -> None:
    if folder is None:
        return
    from probe.cli.draw_study import draw_study  # noqa: PLC0415 - matplotlib is slow

    for path in draw_study(table, folder):
        click.echo(f"drew {path}", err=True)


def _check_mode(study: Study, mode: str) -> None:
    """Refuse a mode before any file is read."""
    if mode not in study.modes:
        modes = " or ".join(study.modes)
        raise click.UsageError(f"--mode {mode}: the study {study.name} has {modes}")


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
