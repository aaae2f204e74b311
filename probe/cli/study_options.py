"""What says which tables of a study are wanted: the same options wherever one names a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

import click

if TYPE_CHECKING:
    from analysis.studies import Asked, AskedOf, ExperimentStudy, Inputs, Study

_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_OF_CORPORA: Final = ("mode", "vectors", "corpus", "data", "groups", "pairs", "characters")
_OF_EXPERIMENTS: Final = ("of", "as", "paper")
_SPELLED: Final = {"of_experiment": "of", "as_paper": "as"}
_Command = Callable[..., Any]


class Wanted(TypedDict):
    """The options that only studies take."""

    mode: str | None
    vectors: tuple[str, ...]
    seed: int | None
    corpus: str | None
    data: Path | None
    groups: Path | None
    pairs: Path | None
    characters: Path | None
    of_experiment: str | None
    as_paper: tuple[str, ...]
    paper: bool


_OPTIONS: Final = (
    click.option(
        "--experiment", is_flag=True, help="NAME is an experiment's, even if a study has it."
    ),
    click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        help="Of a study: the folder of its published files, brought into the store if it lacks"
        " them.",
    ),
    click.option(
        "--mode", help="Of a study: how its numbers are worked out, as published or clean."
    ),
    click.option(
        "--vectors",
        multiple=True,
        metavar="ENCODER",
        help="Of a study: whose vectors to take, by name or id; of several the first that has"
        " them.",
    ),
    click.option(
        "--corpus",
        help="Of the study similarity: which corpus of the store; its files are parted by tabs.",
    ),
    click.option(
        "--groups", type=_FILE, help="Its groups, a line each: attribute, group, character."
    ),
    click.option("--pairs", type=_FILE, help="Its pairs, a line each: a, b, count."),
    click.option("--characters", type=_FILE, help="Its characters: character, work."),
    click.option(
        "--of",
        "of_experiment",
        metavar="EXPERIMENT",
        help="Of the studies memorization and memory: whose replies.  [default: the only such"
        " ones]",
    ),
    click.option(
        "--as",
        "as_paper",
        multiple=True,
        metavar="MODEL=PAPER'S",
        help="Of the study memorization: which of the paper's models one is, if its name is"
        " another.",
    ),
    click.option(
        "--paper",
        is_flag=True,
        help="Of the study memorization: also show the paper's models that are none of yours.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        help="Of a study's intervals.  [default: 0, of memorization and memory the experiment's]",
    ),
)


def study_options(command: _Command) -> _Command:
    """A command with the options that say which tables of a study are wanted."""
    return reduce(lambda made, option: option(made), reversed(_OPTIONS), command)


def study_named(
    name: str, wanted: Mapping[str, object], *, experiment: bool, more: Sequence[str] = ()
) -> Study | ExperimentStudy | None:
    """The study of a name that takes what is given; None for an experiment's name.

    Args:
        name: What the user named.
        wanted: The options that only studies take.
        experiment: Whether the name is an experiment's in any case.
        more: Options that the command has for all studies besides.

    Raises:
        UsageError: An option is given that the study, or an experiment, does not take.
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
        _refuse(name, given, _OF_CORPORA, (*_OF_EXPERIMENTS, *more))
    elif study is not None:
        _refuse(name, given, _OF_EXPERIMENTS, (*_OF_CORPORA, *more))
    elif given:
        studies = ", ".join(study_names())
        raise click.UsageError(f"--{given[0]} is for studies, and these are {studies}, not {name}")
    return study


def _refuse(study: str, given: Sequence[str], refused: Sequence[str], taken: Sequence[str]) -> None:
    """Refuse options of studies of another kind, before anything is read."""
    for option in given:
        if option in refused:
            takes = ", ".join(f"--{each}" for each in taken)
            raise click.UsageError(
                f"--{option} is not for the study {study}; it takes {takes} and --seed"
            )


def inputs_of(wanted: Wanted) -> Inputs:
    """The files and the corpus that are named for a study."""
    from analysis.studies import Inputs  # noqa: PLC0415 - keeps --help fast

    return Inputs(
        corpus=wanted["corpus"],
        data=wanted["data"],
        groups=wanted["groups"],
        pairs=wanted["pairs"],
        characters=wanted["characters"],
    )


def asked_for(study: Study, wanted: Wanted) -> Asked:
    """Which tables of a study of a corpus are wanted.

    Raises:
        UsageError: It has no such mode.
    """
    from analysis.studies import Asked  # noqa: PLC0415 - keeps --help fast

    mode = wanted["mode"] or study.modes[0]
    if mode not in study.modes:
        modes = " or ".join(study.modes)
        raise click.UsageError(f"--mode {mode}: the study {study.name} has {modes}")
    return Asked(
        inputs=inputs_of(wanted), mode=mode, vectors=wanted["vectors"], seed=wanted["seed"] or 0
    )


def asked_of(wanted: Wanted) -> AskedOf:
    """Which tables of a study of conditions are wanted.

    Raises:
        UsageError: A model is not named as it must be.
    """
    from analysis.studies import AskedOf  # noqa: PLC0415 - keeps --help fast

    return AskedOf(
        experiment=wanted["of_experiment"],
        models=_models(wanted["as_paper"]),
        paper=wanted["paper"],
        seed=wanted["seed"],
    )


def _models(said: Sequence[str]) -> dict[str, str]:
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
