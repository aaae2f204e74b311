"""The numbers of an experiment's tables, each with how it is explained."""

from __future__ import annotations

from analysis.errors import NoSuchTable
from analysis.explain.conditions import accuracy_entries, headline_entries
from analysis.explain.contrast import Traced
from analysis.explain.entries import Entry
from analysis.explain.notes import note_entries, replacement_entries
from analysis.studies import study_names
from analysis.tables import experiment_table, seed_of
from store.read import Source


def experiment_entries(source: Source, experiment: str) -> list[Entry]:
    """Every number of an experiment's tables and of the notes below them.

    Raises:
        NoSuchTable: The store has no such experiment.
    """
    try:
        table = experiment_table(source, experiment)
    except NoSuchTable as error:
        raise NoSuchTable(experiment, error.known, study_names()) from None
    traced = Traced(
        experiment=experiment, seed=seed_of(source, experiment), contrasts=table.contrasts
    )
    return [
        *accuracy_entries(experiment, table.accuracy),
        *headline_entries(experiment, table.headlines),
        *traced.entries(),
        *note_entries(experiment, table.notes),
        *replacement_entries(experiment, table.replacement),
    ]
