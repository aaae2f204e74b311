"""Sums of documents, and the levels and changes they come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np

from analysis.errors import Undefined
from analysis.joint import mean_of
from analysis.metrics import SUMS, Floats, headline_and_each
from analysis.statistics import (
    Estimate,
    Interval,
    Paired,
    clustered,
    estimate,
    level_interval,
    resampled,
)

Record = Mapping[str, object]

NOTHING: Final = "nothing to divide by"
_ONE: Final = ("num", "den", "recall_num", "recall_den")
_A: Final = tuple(f"{name}_a" for name in _ONE)
_B: Final = tuple(f"{name}_b" for name in _ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Documents with what each adds to each headline metric.

    Attributes:
        paired: Of the same documents under two conditions; for a level both are the same.
        works: Of each document.
        scenes: Of each document.
        metric: The metrics that the headline is the mean of.
    """

    paired: Paired
    works: tuple[str, ...]
    scenes: tuple[str, ...]
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A number with its interval; None with the reason in `undefined`.

    Attributes:
        estimate: Of a change, the first condition less the second; for means over tasks.
    """

    value: float | None
    interval: Interval | None
    undefined: str | None
    estimate: Estimate | None = None


def of_level(records: Sequence[Record]) -> Sums:
    """Documents under one condition, from the rows of `sql/documents.sql`."""
    return _sums(records, _ONE, _ONE)


def of_pair(records: Sequence[Record]) -> Sums:
    """Documents under two conditions, from the rows of `sql/pairs.sql`."""
    return _sums(records, _A, _B)


def by_key(
    records: Sequence[Record], names: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], list[Record]]]:
    """Rows that have the same values in columns by which they are ordered."""

    def key(record: Record) -> tuple[str, ...]:
        return tuple(str(record[name]) for name in names)

    for own, rows in groupby(records, key=key):
        yield own, list(rows)


def level_spread(sums: Sums, rng: np.random.Generator) -> Spread:
    """A level with its 95 % interval, within [0, 1]: as those of differences are made.

    Works are resampled where there are enough, else scenes, else documents.
    """
    value = float(sums.paired.values_a[0])
    if not np.isfinite(value):
        return Spread(value=None, interval=None, undefined=NOTHING)
    clusters = clustered(sums.works, sums.scenes)
    moving = sums.paired.grouped(clusters.of)
    try:
        found = level_interval(resampled(moving, rng), moving, 0, clusters.by)
    except Undefined as error:
        return Spread(value=value, interval=None, undefined=str(error))
    low, high = max(0.0, found.low), min(1.0, found.high)
    return Spread(value=value, interval=Interval(low, high), undefined=None)


def change_spread(sums: Sums, rng: np.random.Generator) -> Spread:
    """What the second condition has less what the first has, with its 95 % interval."""
    before, after = float(sums.paired.values_a[0]), float(sums.paired.values_b[0])
    if not np.isfinite(after - before):
        return Spread(value=None, interval=None, undefined=NOTHING)
    clusters = clustered(sums.works, sums.scenes)
    moving = sums.paired.grouped(clusters.of)
    try:
        found = estimate(resampled(moving, rng), moving, 0, clusters.by, clusters.names)
    except Undefined as error:
        return Spread(value=after - before, interval=None, undefined=str(error))
    low, high = found.interval.low, found.interval.high
    return Spread(
        value=after - before,
        interval=Interval(max(-1.0, -high), min(1.0, -low)),
        undefined=None,
        estimate=found,
    )


def mean_spread(spreads: Mapping[str, Sequence[Spread]]) -> Spread | None:
    """The mean change over tasks: each weighs alike, and within it each of its rows.

    Args:
        spreads: Task -> the changes of its rows.

    Returns:
        None for fewer than two tasks.
    """
    if len(spreads) < 2:
        return None
    parts = [(each, 1 / len(spreads) / len(own)) for own in spreads.values() for each in own]
    values = [(each.value, weight) for each, weight in parts if each.value is not None]
    if len(values) < len(parts):
        return Spread(value=None, interval=None, undefined="a task has no change")
    value = sum(own * weight for own, weight in values)
    estimates = [(each.estimate, weight) for each, weight in parts if each.estimate]
    if len(estimates) < len(parts):
        why = "a task's change has no interval"
        return Spread(value=value, interval=None, undefined=why)
    found = mean_of([each for each, _ in estimates], [weight for _, weight in estimates])
    low, high = found.interval.low, found.interval.high
    return Spread(value=value, interval=Interval(-high, -low), undefined=None)


def _sums(records: Sequence[Record], first: Sequence[str], second: Sequence[str]) -> Sums:
    document = _numbered(records, "document")
    metric = _numbered(records, "metric")
    rows = np.array([document[str(record["document"])] for record in records])
    columns = np.array([metric[str(record["metric"])] for record in records])
    sides: list[Floats] = []
    for names in (first, second):
        side = np.zeros((len(document), len(metric), SUMS))
        side[rows, columns] = [[float(str(record[name])) for name in names] for record in records]
        sides.append(side)
    own = {str(record["document"]): record for record in records}
    recall = {str(record["metric"]): bool(record["with_recall"]) for record in records}
    pooling = headline_and_each(
        np.ones(len(metric), dtype=np.bool_),
        np.array([recall[name] for name in metric]),
        every_metric=False,
    )
    return Sums(
        paired=Paired(a=sides[0], b=sides[1], pooling=pooling),
        works=tuple(str(record["work"]) for record in own.values()),
        scenes=tuple(str(record["scene"]) for record in own.values()),
        metric=" + ".join(sorted(metric)),
    )


def _numbered(records: Sequence[Record], name: str) -> dict[str, int]:
    seen = dict.fromkeys(str(record[name]) for record in records)
    return {value: at for at, value in enumerate(seen)}
