"""Well-known passages beside little-known ones: a number of each, and their difference.

A number is a ratio of pooled sums, or how such a ratio differs between two conditions of the same
passages. Pure; the intervals are those of `analysis.statistics`. Works move with their passages of
both kinds where there are six of them. Where passages move alone, the two kinds are independent
samples, whose difference has the variance of both and Satterthwaite's degrees of freedom (Welch).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from analysis.errors import Undefined
from analysis.joint import mean_of
from analysis.metrics import SUMS, Floats, Pooling
from analysis.statistics import (
    Estimate,
    Interval,
    Paired,
    clustered,
    estimate,
    resampled,
)

WELL_KNOWN: Final = "well_known"
LITTLE_KNOWN: Final = "little_known"
DIFFERENCE: Final = "difference"
COLUMNS: Final = (WELL_KNOWN, LITTLE_KNOWN, DIFFERENCE)
"""The kinds of passages, and well known less little known."""
NONE_OF: Final = {WELL_KNOWN: "no well-known passage", LITTLE_KNOWN: "no little-known passage"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a passage adds: numerator and denominator under one condition, and under another.

    Attributes:
        b: None where a level is asked for and no change.
    """

    kind: str
    work: str
    scene: str
    a: tuple[float, float]
    b: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number, in the unit of its ratio.

    Attributes:
        value: None where it is over nothing.
        undefined: Why there is no value, or no interval.
        n: Passages it rests on (count).
        clusters: What was resampled (count).
        clustered_by: "work", "scene" or "item".
    """

    value: float | None
    interval: Interval | None = None
    undefined: str | None = None
    n: int = 0
    clusters: int = 0
    clustered_by: str = "item"

    @property
    def in_percent(self) -> Interval | None:
        """The interval of a share."""
        own = self.interval
        return None if own is None else Interval(100 * own.low, 100 * own.high)


@dataclass(frozen=True, slots=True)
class _Found:
    number: Number
    estimate: Estimate | None = None


def by_kind(
    documents: Sequence[Document], rng: np.random.Generator, *, share: bool = False
) -> dict[str, Number]:
    """The number of the well known, that of the little known, and the former less the latter.

    Args:
        documents: Of both kinds, or of one.
        rng: Of all draws.
        share: Whether the ratio lies in [0, 1], and so the intervals.
    """
    told = [each for each in documents if each.a[1] and (each.b is None or each.b[1])]
    own = {kind: [each for each in told if each.kind == kind] for kind in COLUMNS[:2]}
    found = {kind: _one(rows, rng, kind) for kind, rows in own.items()}
    found[DIFFERENCE] = _difference(told, found, rng)
    lowest = {DIFFERENCE: -1.0}
    return {
        column: _within(each.number, lowest.get(column, 0.0)) if share else each.number
        for column, each in found.items()
    }


def _one(rows: Sequence[Document], rng: np.random.Generator, kind: str) -> _Found:
    if not rows:
        return _Found(Number(value=None, undefined=NONE_OF[kind]))
    return _estimated(rows, rng, np.array([[1.0, 0.0] if kind == WELL_KNOWN else [0.0, 1.0]]))


def _difference(
    rows: Sequence[Document], kinds: Mapping[str, _Found], rng: np.random.Generator
) -> _Found:
    well, little = (kinds[kind] for kind in COLUMNS[:2])
    if well.number.value is None or little.number.value is None:
        lacking = well if well.number.value is None else little
        return _Found(Number(value=None, undefined=lacking.number.undefined, n=len(rows)))
    clusters = clustered([each.work for each in rows], [each.scene for each in rows])
    if clusters.by != "item":
        return _estimated(rows, rng, np.array([[1.0, -1.0]]))
    known = Number(value=well.number.value - little.number.value, n=len(rows), clusters=len(rows))
    if well.estimate is None or little.estimate is None:
        lacking = well if well.estimate is None else little
        return _Found(replace(known, undefined=lacking.number.undefined))
    own = mean_of([well.estimate, little.estimate], [1.0, -1.0])
    return _Found(replace(known, interval=own.interval), own)


def _estimated(rows: Sequence[Document], rng: np.random.Generator, weights: Floats) -> _Found:
    pooling = Pooling(with_recall=np.zeros(2, dtype=np.bool_), weights=weights)
    a, b = np.zeros((2, len(rows), 2, SUMS))
    for at, each in enumerate(rows):
        kind = COLUMNS.index(each.kind)
        a[at, kind, :2] = each.a
        # A level is its change from nothing.
        b[at, kind, :2] = (0.0, each.a[1]) if each.b is None else each.b
    paired = Paired(a=a, b=b, pooling=pooling)
    clusters = clustered([each.work for each in rows], [each.scene for each in rows])
    known = Number(
        value=float(paired.values_a[0] - paired.values_b[0]),
        n=len(rows),
        clusters=clusters.count,
        clustered_by=clusters.by,
    )
    moving = paired.grouped(clusters.of)
    if len(rows) > 1 and not paired.differing[0]:
        return _Found(replace(known, undefined="all passages have 0"))
    try:
        own = estimate(resampled(moving, rng), moving, 0, clusters.by)
    except Undefined as error:
        return _Found(replace(known, undefined=str(error)))
    return _Found(replace(known, interval=own.interval), own)


def _within(number: Number, low: float) -> Number:
    own = number.interval
    if own is None:
        return number
    return replace(number, interval=Interval(max(low, own.low), min(1.0, own.high)))


def stream(seed: int, *words: str) -> np.random.Generator:
    """Draws of their own for everything that is drawn for."""
    return np.random.default_rng([seed, zlib.crc32("\n".join(words).encode())])
