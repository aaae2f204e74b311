"""`probe table`: what an experiment found, or the tables of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from probe.cli import store_option

if TYPE_CHECKING:
    from analysis.studies import ExperimentStudy, Study, StudyTable

_FILE = click.Path(path_type=Path, dir_okay=False)
_OF_CORPORA = ("mode", "vectors", "corpus", "data", "groups", "pairs", "characters")
_OF_EXPERIMENTS = ("of", "as", "paper")


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
    of_experiment: str | None
    as_paper: tuple[str, ...]
    paper: bool


_SPELLED = {"of_experiment": "of", "as_paper": "as"}


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
@click.option(
    "--of",
    "of_experiment",
    metavar="EXPERIMENT",
    help="Of the studies memorization and memory: whose replies.  [default: the only such ones]",
)
@click.option(
    "--as",
    "as_paper",
    multiple=True,
    metavar="MODEL=PAPER'S",
    help="Of the study memorization: which of the paper's models one is, if its name is another.",
)
@click.option(
    "--paper",
    is_flag=True,
    help="Of the study memorization: also show the paper's models that are none of yours.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Of a study's intervals.  [default: 0, of memorization and memory the experiment's]",
)
def command(
    name: str, store: Path, form: str, *, experiment: bool, **wanted: Unpack[_Wanted]
) -> None:
    """Print what the experiment NAME found, or the tables of the study NAME.

    The studies austenalike and similarity are not asked of a model: their tables are worked out
    from vectors and benchmarks that the store holds. The studies memorization and memory are of the
    replies to one of the store's experiments. Where a study and an experiment have the same name,
    the study's tables are printed, and --experiment prints the experiment's.
    """
    from analysis.studies import (  # noqa: PLC0415 - keeps --help fast
        ExperimentStudy,
        find_study,
        study_names,
    )

    given = [
        _SPELLED.get(option, option)
        for option, value in wanted.items()
        if value is not None and value not in {False, ()}
    ]
    study = None if experiment else find_study(name)
    if isinstance(study, ExperimentStudy):
        _refuse(name, given, _OF_CORPORA, _OF_EXPERIMENTS)
        _print_experiment_study(study, store, form, wanted)
    elif study is not None:
        _refuse(name, given, _OF_EXPERIMENTS, _OF_CORPORA)
        _print_study(study, store, form, wanted)
    elif given:
        studies = ", ".join(study_names())
        raise click.UsageError(f"--{given[0]} is for studies, and these are {studies}, not {name}")
    elif form == "latex":
        raise click.UsageError("--format latex is for studies; an experiment has csv and json")
    else:
        _print_experiment(name, store, form)


def _refuse(study: str, given: Sequence[str], refused: Sequence[str], taken: Sequence[str]) -> None:
    """Refuse options of studies of another kind, before anything is read."""
    for option in given:
        if option in refused:
            takes = ", ".join(f"--{each}" for each in taken)
            raise click.UsageError(
                f"--{option} is not for the study {study}; it takes {takes}, --figures and --seed"
            )


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


def _print_experiment_study(
    study: ExperimentStudy, store: Path, form: str, wanted: _Wanted
) -> None:
    from analysis.studies import AskedOf  # noqa: PLC0415
    from store.read import open_read  # noqa: PLC0415

    asked = AskedOf(
        experiment=wanted["of_experiment"],
        models=_pairs(wanted["as_paper"]),
        paper=wanted["paper"],
        seed=wanted["seed"],
    )
    reader = open_read(store)
    try:
        table = study.table(reader, asked)
    finally:
        reader.close()
    _echo(table, form)
    _draw(table, wanted["figures"])


def _pairs(said: Sequence[str]) -> dict[str, str]:
    """Which models are which of the paper's, as the user says it."""
    found: dict[str, str] = {}
    for text in said:
        model, equals, paper = (part.strip() for part in text.rpartition("="))
        if not (model and equals and paper):
            raise click.UsageError(f"--as {text}: write MODEL=PAPER'S, such as --as mine=GPT-4o")
        if model in found:
            raise click.UsageError(f"--as names the model {model} twice")
        found[model] = paper
    return found


def _draw(table: StudyTable, folder: Path | None) -> None:
    if folder is None:
        return
    from probe.cli.draw_study import draw_study  # noqa: PLC0415 - matplotlib is slow
    from probe.cli.show import printable  # noqa: PLC0415

    for path in draw_study(table, folder):
        click.echo(f"drew {path}", err=True)
    for why in table.undrawn:
        click.echo(f"probe: {printable(why)}", err=True)


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
