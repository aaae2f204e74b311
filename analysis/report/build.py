"""A report of an experiment, from a store to values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Final

from analysis.contrasts import NR
from analysis.errors import BadRequest, NoSuchTable
from analysis.report.checks import checks
from analysis.report.differences import cautions, contrast_tables, summary
from analysis.report.figures import drawn
from analysis.report.items import Wanted, browser
from analysis.report.provenance import PACKAGE, moment, provenance
from analysis.report.tables import experiment_tables, grid_table, plain
from analysis.report.text import visible
from analysis.report.values import Report, StudyView
from analysis.sql import query
from analysis.studies import AskedOf, ExperimentStudy, StudyTable, find_study, study_names
from analysis.studies.grids import grids
from analysis.tables import ExperimentTable, experiment_table
from store.gate import quoted
from store.read import Source, ask

MOST: Final = 1_000
"""Items that a report holds where nothing else is said (count)."""
_OWN: Final = (
    "runs",
    "served",
    "spend",
    "outcomes",
    "reasons",
    "leaks",
    "aside",
    "repeats",
    "agreement",
)
_SHARED: Final = ("accuracy", "headlines", "replacement", "pairs")
_PARAMETERS: Final[Mapping[str, str]] = {
    "most": "12",
    "names_a": f"['original', '{NR}']",
    "prompt_a": "['baseline', 'baseline']",
    "names_b": f"['{NR}', '{NR}']",
    "prompt_b": "['baseline', 'gist']",
    "every_metric": "false",
}
"""What stands for the parameters in queries that are shown to be run by hand."""


def report(source: Source, experiment: str | None, most: int = MOST) -> Report:
    """The report of an experiment.

    Args:
        source: The store.
        experiment: Its name; None for the only one.
        most: Items that the browser may hold (count).

    Raises:
        NoSuchTable: The store has no such experiment.
        BadRequest: None is named, and there are several or none.
        MissingExtra: matplotlib is not installed.
    """
    name, seed = _chosen(source, experiment)
    table = experiment_table(source, name)
    studies = tuple(_studies(source, name))
    return Report(
        experiment=visible(name),
        subtitle=_subtitle(source, table),
        summary=summary(table.contrasts),
        cautions=cautions(table.contrasts),
        provenance=provenance(source, name),
        contrasts=contrast_tables(table.contrasts),
        tables=experiment_tables(table),
        studies=tuple(
            StudyView(
                name=each.study,
                tables=tuple(grid_table(grid) for grid in grids(each)),
                notes=tuple(map(visible, each.notes)),
            )
            for each in studies
        ),
        figures=drawn(table.contrasts, studies),
        undrawn=tuple(visible(why) for each in studies for why in each.undrawn),
        checks=checks(source, table),
        browser=browser(source, Wanted(experiment=name, seed=seed, most=most)),
        queries=_queries(name),
        version=metadata.version("gistprobe"),
    )


def _chosen(source: Source, experiment: str | None) -> tuple[str, int]:
    """An experiment's name and seed."""
    found = ask(source, query("plans")).rows
    known = {str(row[0]): int(str(row[1])) for row in found}
    if experiment is not None:
        if experiment not in known:
            raise NoSuchTable(experiment, tuple(known))
        return experiment, known[experiment]
    if not known:
        raise BadRequest("the store has no experiment; start one with: probe run EXPERIMENT.toml")
    if len(known) > 1:
        raise BadRequest(f"the store has several experiments: {', '.join(known)}; name one")
    return next(iter(known.items()))


def _studies(source: Source, experiment: str) -> Iterator[StudyTable]:
    """The studies whose tasks the experiment has."""
    for name in study_names():
        study = find_study(name)
        if isinstance(study, ExperimentStudy):
            try:
                yield study.table(source, AskedOf(experiment=experiment))
            except NoSuchTable:
                continue


def _subtitle(source: Source, table: ExperimentTable) -> str:
    """Models, tasks, cells and days, in a line."""
    models = dict.fromkeys(str(row["model"]) for row in table.notes)
    tasks = dict.fromkeys(str(row["task"]).replace("_", " ") for row in table.accuracy)
    cells = sum(int(str(row["cells"])) for row in table.notes)
    replies = sum(int(str(row["replies"])) for row in table.notes)
    plan = ask(source, query("plan", PACKAGE), {"experiment": table.experiment}).records()[0]
    first, last = (moment(plan[key]).partition(" ")[0] for key in ("first_reply", "last_reply"))
    days = first if first == last else f"{first} to {last}"
    return visible(
        f"{', '.join(models)}; {', '.join(tasks)}; {plain(replies)} replies to {plain(cells)}"
        f" cells; {days}"
    )


def _queries(experiment: str) -> dict[str, str]:
    """Every query that the page names, with its parameters written out."""
    texts = {name: query(name, PACKAGE) for name in _OWN} | {name: query(name) for name in _SHARED}
    values = {"experiment": quoted(experiment), **_PARAMETERS}
    made = {}
    for name, text in texts.items():
        for key, value in values.items():
            text = text.replace(f"${key}", value)  # noqa: PLW2901 - grows step by step
        made[name] = visible(text.strip())
    return made
