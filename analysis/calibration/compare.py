"""Planted effects against those estimated of many subjects, contrast by contrast. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from scipy.special import ndtri

from analysis.calibration.planted import Planted
from analysis.contrasts import Contrast
from analysis.statistics import Interval, holm

LEVEL: Final = 0.05
"""Of the tests, and what intervals of 95 % leave out."""
_NOTHING: Final = 1e-12
_NORMAL: Final = float(ndtri(0.975))


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Subjects of one kind, asked the same items.

    Attributes:
        name: Of the kind.
        limit: Items asked of each task and dataset at most (count); None for all there are.
    """

    name: str
    limit: int | None
    planted: Planted
    contrasts: Sequence[Contrast]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """One contrast: what is planted and what was found, over the subjects of a group.

    Effects are fractions, not percentage points. What is None is undefined: there are too few
    subjects with an estimate.

    Attributes:
        planted: The difference to be found.
        subjects: With an estimate of it (count).
        mean: Of their estimates.
        bias: `mean` less `planted`.
        bias_error: Its Monte-Carlo standard error: the estimates' standard deviation over the
            square root of their number.
        undefined: Subjects without an interval (count); coverage and width leave them out.
        intervals: Those that are defined (count).
        held: Of them, those that hold the planted difference (count).
        coverage: Their share.
        coverage_interval: 95 % (Wilson).
        width: Mean width of the intervals.
        significant: Subjects whose p is at most 0.05 (count): found, where something is planted,
            else false alarms.
        significant_share: Of those with a p.
        significant_interval: 95 % (Wilson).
        tested: Subjects with a p (count).
        items: Documents of a subject (count), the median over subjects.
        clusters: What is resampled (count), likewise.
        clustered_by: "work", "scene" or "item".
    """

    group: str
    limit: int | None
    task: str
    dataset: str
    choices: str
    wording: str
    descriptions: str
    contrast: str
    planted: float
    subjects: int
    mean: float | None
    bias: float | None
    bias_error: float | None
    undefined: int
    intervals: int
    held: int
    coverage: float | None
    coverage_interval: Interval | None
    width: float | None
    significant: int
    significant_share: float | None
    significant_interval: Interval | None
    tested: int
    items: int
    clusters: int
    clustered_by: str

    @property
    def nothing_planted(self) -> bool:
        """Whether what is significant is a false alarm."""
        return abs(self.planted) < _NOTHING


def calibrated(group: Group) -> list[Calibrated]:
    """Each headline contrast of a group, in the order of its contrasts."""
    return [
        found
        for _, own in _by_contrast(group.contrasts)
        if (found := _calibrated(group, own)) is not None
    ]


def alarmed(contrasts: Iterable[Contrast]) -> tuple[int, int]:
    """Subjects with a significant contrast of any, each adjusted within its subject; and all.

    Source: Holm (1979); the family is what one subject is asked, as for one model of a run.
    """
    by_subject: dict[str, dict[object, float]] = {}
    for each in contrasts:
        # A pair of conditions that goes by two names is tested once.
        place = each.task, each.dataset, each.choices, each.wording, each.descriptions
        own = by_subject.setdefault(each.model, {})
        if each.p is not None:
            own[place, frozenset((each.a, each.b))] = each.p
    found = sum(
        any(p <= LEVEL for p in holm(list(own.values()))) for own in by_subject.values() if own
    )
    return found, len(by_subject)


def wilson(count: int, of: int) -> Interval | None:
    """95 % of a share; None of nothing.

    Source: Wilson (1927), JASA 22(158).
    """
    if not of:
        return None
    share, squared = count / of, _NORMAL**2
    middle = share + squared / (2 * of)
    reach = _NORMAL * math.sqrt(share * (1 - share) / of + squared / (4 * of**2))
    whole = 1 + squared / of
    return Interval(max(0.0, (middle - reach) / whole), min(1.0, (middle + reach) / whole))


def _by_contrast(
    contrasts: Iterable[Contrast],
) -> Iterator[tuple[tuple[str, ...], list[Contrast]]]:
    def own(each: Contrast) -> tuple[str, ...]:
        return (
            each.task, each.dataset, each.choices, each.wording, each.descriptions, each.contrast,
        )  # fmt: skip

    order = {own(each): at for at, each in reversed(list(enumerate(contrasts)))}
    for name, group in groupby(sorted(contrasts, key=lambda each: order[own(each)]), key=own):
        yield name, list(group)


def _calibrated(group: Group, own: Sequence[Contrast]) -> Calibrated | None:
    first = own[0]
    planted = group.planted.difference(first)
    if planted is None:
        return None
    estimates = [each.difference for each in own if each.difference is not None]
    intervals = [each.interval for each in own if each.interval is not None]
    p = [each.p for each in own if each.p is not None]
    held = sum(each.low <= planted <= each.high for each in intervals)
    significant = sum(each <= LEVEL for each in p)
    mean = float(np.mean(estimates)) if estimates else None
    return Calibrated(
        group=group.name,
        limit=group.limit,
        task=first.task,
        dataset=first.dataset,
        choices=first.choices,
        wording=first.wording,
        descriptions=first.descriptions,
        contrast=first.contrast,
        planted=planted,
        subjects=len(estimates),
        mean=mean,
        bias=None if mean is None else mean - planted,
        bias_error=_error(estimates),
        undefined=len(own) - len(intervals),
        intervals=len(intervals),
        held=held,
        coverage=held / len(intervals) if intervals else None,
        coverage_interval=wilson(held, len(intervals)),
        width=float(np.mean([each.high - each.low for each in intervals])) if intervals else None,
        significant=significant,
        significant_share=significant / len(p) if p else None,
        significant_interval=wilson(significant, len(p)),
        tested=len(p),
        items=int(np.median([each.items for each in own])),
        clusters=int(np.median([each.clusters for each in own])),
        clustered_by=first.clustered_by,
    )


def _error(estimates: Sequence[float]) -> float | None:
    """Standard error of their mean."""
    if len(estimates) < 2:
        return None
    return float(np.std(estimates, ddof=1)) / math.sqrt(len(estimates))
