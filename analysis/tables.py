"""The tables of an experiment, as values."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.contrasts import Contrast, contrasts
from analysis.errors import NoSuchTable
from analysis.sql import query
from store.read import Source, ask

Record = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentTable:
    """What an experiment found.

    Attributes:
        accuracy: One record a condition, columns as the view `accuracy`.
        notes: One record a model: what is missing, unparsed or cut, and the model's own note.
        replacement: One record a name strategy: what was replaced, and what may have leaked.
    """

    experiment: str
    accuracy: list[Record]
    contrasts: list[Contrast]
    notes: list[Record]
    replacement: list[Record]

    def records(self) -> list[Record]:
        """Accuracies and contrasts as flat records, told apart by `table`."""
        return [{"table": "accuracy", **row} for row in self.accuracy] + [
            _flat(each) for each in self.contrasts
        ]


def _flat(each: Contrast) -> Record:
    return {
        "table": "contrasts",
        "task": each.task,
        "dataset": each.dataset,
        "choices": each.choices,
        "model": each.model,
        "contrast": each.contrast,
        "difference": each.difference,
        "low": each.interval.low if each.interval else None,
        "high": each.interval.high if each.interval else None,
        "undefined": each.undefined,
        "items": each.items,
        "differing": each.differing,
    }


def experiment_table(source: Source, experiment: str) -> ExperimentTable:
    """An experiment's accuracies, contrasts and what to know about them.

    Raises:
        NoSuchTable: The store has no such experiment.
    """
    plans = ask(source, query("plans"))
    seeds = {str(row[0]): int(str(row[1])) for row in plans.rows}
    if experiment not in seeds:
        raise NoSuchTable(experiment, tuple(seeds))
    named: dict[str, object] = {"experiment": experiment}
    return ExperimentTable(
        experiment=experiment,
        accuracy=ask(source, query("accuracy"), named).records(),
        contrasts=contrasts(source, experiment, seeds[experiment]),
        notes=ask(source, query("notes"), named).records(),
        replacement=ask(source, query("replacement"), named).records(),
    )
