"""What the store knows of pairs of conditions of an experiment: the same documents under both.

Each function asks one query of `analysis/sql` for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np

from analysis.metrics import SUMS, Floats, Pooling, headline_and_each
from analysis.sql import query
from analysis.statistics import Paired
from prompts.tasks import TASKS
from store.read import Answered, Source, ask


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Within which conditions are compared; in the order of the tables."""

    task: str
    dataset: str
    choices: str
    model: str
    wording: str
    descriptions: str

    @classmethod
    def of(cls, row: Mapping[str, object]) -> Place:
        """That of a row which has its columns."""
        return cls(*(str(row[name]) for name in cls.__slots__))

    @property
    def unusual(self) -> str:
        """Its wording and descriptions; the usual wording without any goes without saying."""
        said = f", wording {self.wording}" if self.wording != "own" else ""
        return said + (f", descriptions {self.descriptions}" if self.descriptions != "none" else "")


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """A name strategy with a prompt."""

    names: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Compared:
    """Two conditions, the second of which is taken off the first."""

    a: Condition
    b: Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The documents with answers under both conditions.

    Attributes:
        metrics: Names of the metrics, those of the headline first.
        paired: Their sums, a cluster each.
        works: Of each document.
        scenes: Of each document.
    """

    metrics: tuple[str, ...]
    paired: Paired
    works: tuple[str, ...]
    scenes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """What is missing of the items that both conditions ask.

    Attributes:
        cells: Without a score (count).
        bounded: Whether each statistic lies in [0, 1] whatever is answered, by statistic.
        lowest: Difference of each statistic if all that is missing were wrong under the first
            condition and right under the second, shape (statistics,).
        highest: The other way round.
    """

    cells: int
    bounded: tuple[bool, ...]
    lowest: Floats
    highest: Floats


At = tuple[Place, Compared]
_PLACE: Final = 6
"""How many columns make up a place; the one after them is the number of the pair."""


def asked(source: Source, experiment: str) -> dict[Place, dict[Condition, int]]:
    """By place, the conditions asked there and how many cells hold an answer that is measured."""
    found: dict[Place, dict[Condition, int]] = {}
    for row in ask(source, query("contrasts/asked"), {"experiment": experiment}).records():
        place = Place.of(row)
        condition = Condition(str(row["names"]), str(row["prompt"]))
        found.setdefault(place, {})[condition] = int(str(row["measured"]))
    return found


def documents(
    source: Source, experiment: str, pairs: Sequence[Compared], *, every_metric: bool
) -> dict[At, Documents]:
    """By place and pair, the documents with answers under both conditions.

    The first statistic is the headline; with `every_metric` each metric is one after it.
    """
    bound = parameters(experiment, pairs, every_metric=every_metric)
    return documents_in(ask(source, query("pairs"), bound), pairs, every_metric=every_metric)


def documents_in(
    answered: Answered, pairs: Sequence[Compared], *, every_metric: bool = False
) -> dict[At, Documents]:
    """The same from rows of pairs.sql, in its order."""
    return {
        at: _documents(own, every_metric=every_metric)
        for at, own in _grouped(answered, pairs).items()
    }


def gaps(
    source: Source, experiment: str, pairs: Sequence[Compared], *, every_metric: bool
) -> dict[At, Gaps]:
    """By place and pair, what is missing under both conditions and what it could come to."""
    bound = parameters(experiment, pairs, every_metric=every_metric)
    bound["joined"] = joined()
    return gaps_in(ask(source, query("contrasts/missing"), bound), pairs, every_metric=every_metric)


def gaps_in(
    answered: Answered, pairs: Sequence[Compared], *, every_metric: bool = False
) -> dict[At, Gaps]:
    """The same from rows of contrasts/missing.sql, in its order."""
    return {
        at: _gaps(own, every_metric=every_metric) for at, own in _grouped(answered, pairs).items()
    }


def joined() -> list[str]:
    """Tasks whose windows are answered as one text."""
    return [task.name for task in TASKS.values() if task.joined]


def parameters(
    experiment: str, pairs: Sequence[Compared], *, every_metric: bool = False
) -> dict[str, object]:
    """Those of pairs.sql, for some pairs of conditions."""
    return {
        "experiment": experiment,
        "names_a": [each.a.names for each in pairs],
        "prompt_a": [each.a.prompt for each in pairs],
        "names_b": [each.b.names for each in pairs],
        "prompt_b": [each.b.prompt for each in pairs],
        "every_metric": every_metric,
    }


Columns = Mapping[str, Sequence[object]]


def _grouped(answered: Answered, pairs: Sequence[Compared]) -> dict[At, Columns]:
    """The columns of the rows of each place and pair; rows of one stand together."""
    found: dict[At, Columns] = {}
    for key, rows in groupby(answered.rows, key=lambda row: row[: _PLACE + 1]):
        *place, number = map(str, key)
        columns = zip(answered.columns, zip(*rows, strict=True), strict=True)
        found[Place(*place), pairs[int(number)]] = dict(columns)
    return found


def _documents(own: Columns, *, every_metric: bool) -> Documents:
    # The rows are ordered by document, and in each by metric.
    number = {name: at for at, name in enumerate(dict.fromkeys(own["document"]))}
    metrics = {name: at for at, name in enumerate(dict.fromkeys(own["metric"]))}
    rows = np.array([number[name] for name in own["document"]])
    at = rows, np.array([metrics[name] for name in own["metric"]])
    a, b = (np.zeros((len(number), len(metrics), SUMS)) for _ in range(2))
    a[at], b[at] = _sums(own, "a"), _sums(own, "b")
    _, first_of_document = np.unique(rows, return_index=True)
    _, first_of_metric = np.unique(at[1], return_index=True)
    pooling = _pooling(own, first_of_metric.tolist(), every_metric=every_metric)
    return Documents(
        metrics=tuple(map(str, metrics)),
        paired=Paired(a=a, b=b, pooling=pooling),
        works=tuple(str(own["work"][row]) for row in first_of_document),
        scenes=tuple(str(own["scene"][row]) for row in first_of_document),
    )


def _gaps(own: Columns, *, every_metric: bool) -> Gaps:
    pooling = _pooling(own, range(len(own["metric"])), every_metric=every_metric)
    right_a, wrong_a = _completed(own, "a")
    right_b, wrong_b = _completed(own, "b")
    bounded = np.array(own["bounded"], dtype=np.bool_)
    values = pooling.values
    return Gaps(
        cells=int(str(own["missing"][0])),
        bounded=tuple(bool(bounded[row != 0].all()) for row in pooling.weights),
        lowest=values(wrong_a) - values(right_b),
        highest=values(right_a) - values(wrong_b),
    )


def _pooling(own: Columns, rows: Sequence[int], *, every_metric: bool) -> Pooling:
    """From one row of each metric."""
    return headline_and_each(
        np.array([bool(own["headline"][row]) for row in rows]),
        np.array([bool(own["with_recall"][row]) for row in rows]),
        every_metric=every_metric,
    )


def _sums(own: Columns, side: str) -> Floats:
    """The sums of a condition, shape (rows, 4)."""
    names = (f"num_{side}", f"den_{side}", f"recall_num_{side}", f"recall_den_{side}")
    return np.array([own[name] for name in names], dtype=np.float64).T


def _completed(own: Columns, side: str) -> tuple[Floats, Floats]:
    """A condition's sums with all that is missing right, and with all of it wrong."""
    known = _sums(own, side)
    lacking = np.array(own[f"open_{side}"], dtype=np.float64)[:, None]
    return known + lacking, known + lacking * np.array([0.0, 1.0, 0.0, 1.0])
