"""The tables of an experiment, as values."""

from __future__ import annotations

from dataclasses import dataclass, fields

from analysis.contrasts import Contrast, contrasts
from analysis.errors import NoSuchTable
from analysis.sql import query
from prompts.tasks import TASKS
from store.read import Source, ask

Record = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentTable:
    """What an experiment found.

    Attributes:
        accuracy: One record a condition, columns as the view `accuracy`.
        headlines: One record a condition, columns as the view `headlines`.
        notes: One record a model: what is missing, unparsed or cut, and the model's own note.
        replacement: One record a name strategy: what was replaced, and what may have leaked.
    """

    experiment: str
    accuracy: list[Record]
    headlines: list[Record]
    contrasts: list[Contrast]
    notes: list[Record]
    replacement: list[Record]

    def records(self) -> list[Record]:
        """Accuracies, headlines and contrasts as flat records, told apart by `table`."""
        return [
            *({"table": "accuracy", **row} for row in self.accuracy),
            *({"table": "headlines", **row} for row in self.headlines),
            *(_flat(each) for each in self.contrasts),
        ]


def _flat(each: Contrast) -> Record:
    """A contrast as one record: conditions in words, intervals as two numbers."""
    own = {field.name: getattr(each, field.name) for field in fields(each)}
    for name, condition in (("a", each.a), ("b", each.b)):
        own[name] = f"{condition.names} {condition.prompt}"
    for name, stem in (("interval", ""), ("share_interval", "share_")):
        interval = own.pop(name)
        own[f"{stem}low"] = interval.low if interval else None
        own[f"{stem}high"] = interval.high if interval else None
    return {"table": "contrasts", **own}


def experiment_table(source: Source, experiment: str) -> ExperimentTable:
    """An experiment's accuracies, contrasts and what to know about them.

    Raises:
        NoSuchTable: The store has no such experiment.
    """
    seed = seed_of(source, experiment)
    named: dict[str, object] = {"experiment": experiment}
    replying = [task.name for task in TASKS.values() if task.asks == "reply"]
    return ExperimentTable(
        experiment=experiment,
        accuracy=ask(source, query("accuracy"), named).records(),
        headlines=ask(source, query("headlines"), named).records(),
        contrasts=contrasts(source, experiment, seed),
        notes=ask(source, query("notes"), {**named, "replying": replying}).records(),
        replacement=ask(source, query("replacement"), named).records(),
    )


def seed_of(source: Source, experiment: str) -> int:
    """The seed of an experiment's current plan, which all draws for its tables come from.

    Raises:
        NoSuchTable: The store has no such experiment.
    """
    plans = ask(source, query("plans"))
    seeds = {str(row[0]): int(str(row[1])) for row in plans.rows}
    if experiment not in seeds:
        raise NoSuchTable(experiment, tuple(seeds))
    return seeds[experiment]
