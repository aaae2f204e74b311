"""Cells out of rows: means over characters and correlations over pairs, with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.bootstrap import Pairs, correlation, correlation_interval, mean_interval
from analysis.cells import Cell
from analysis.errors import Undefined
from analysis.similarity.rows import PairRow
from analysis.statistics import Interval


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number stands."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Case:
    """One row that a mean is taken over, and the character whose row it is."""

    character: str
    value: float


def mean_cell(place: Place, cases: Iterable[Case], seed: int) -> Cell:
    """The mean of all cases; a character's cases move together in its interval.

    Without a case it is undefined, not 0.
    """
    by_character: dict[str, list[float]] = {}
    for case in cases:
        by_character.setdefault(case.character, []).append(case.value)
    counts = np.array([len(own) for own in by_character.values()], dtype=np.float64)
    totals = np.array([sum(own) for own in by_character.values()], dtype=np.float64)
    n = sum(len(own) for own in by_character.values())
    if not n:
        return _cell(place, None, 0, undefined="no character to measure it on")
    value = sum(sum(own) for own in by_character.values()) / n
    try:
        interval = mean_interval(totals, counts, rng=np.random.default_rng(seed))
    except Undefined as error:
        return _cell(place, value, n, undefined=str(error))
    return _cell(place, value, n, interval=interval)


def correlation_cell(place: Place, rows: Sequence[PairRow], seed: int) -> Cell:
    """Pearson's correlation of cosines and counts; characters move in its interval, with pairs."""
    names = sorted({name for row in rows for name in (row.a, row.b)})
    numbers = {name: at for at, name in enumerate(names)}
    pairs = Pairs(
        first=np.array([numbers[row.a] for row in rows], dtype=np.int64),
        second=np.array([numbers[row.b] for row in rows], dtype=np.int64),
        x=np.array([row.cosine for row in rows], dtype=np.float64),
        y=np.array([row.count for row in rows], dtype=np.float64),
        characters=len(names),
    )
    try:
        value = correlation(pairs.x, pairs.y)
    except Undefined as error:
        return _cell(place, None, len(rows), undefined=str(error))
    try:
        interval = correlation_interval(pairs, rng=np.random.default_rng(seed))
    except Undefined as error:
        return _cell(place, value, len(rows), undefined=str(error))
    return _cell(place, value, len(rows), interval=interval)


def _cell(
    place: Place,
    value: float | None,
    n: int,
    *,
    interval: Interval | None = None,
    undefined: str | None = None,
) -> Cell:
    return Cell(
        table=place.table,
        row=place.row,
        column=place.column,
        value=value,
        n=n,
        interval=interval,
        undefined=undefined,
    )
