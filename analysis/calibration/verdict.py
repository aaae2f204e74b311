"""What a calibration says of the instrument, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scipy.special import bdtr, bdtrc, stdtr

from analysis.calibration.compare import LEVEL, Calibrated
from analysis.power import POWER

_SUSPECT: Final = 0.01
"""How rarely chance alone may call a sound instrument off, over all that is looked at."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether estimates, intervals and tests are as they should be.

    Attributes:
        sound: Whether nothing is off beyond chance.
        lines: What was found, and what is off; the first line is the verdict.
    """

    sound: bool
    lines: tuple[str, ...]


def verdict(found: Sequence[Calibrated]) -> Verdict:
    """The verdict on the contrasts of all groups and numbers of items.

    An estimate is off where its bias is more than Monte-Carlo error, an interval where it holds
    what is planted too rarely, a test where it finds too often what is not. Each is held against
    chance at 1 % over all of them (Bonferroni).
    """
    looked_at = max(1, 3 * len(found))
    off = [line for each in found for line in _off(each, _SUSPECT / looked_at)]
    undefined = sum(each.undefined for each in found)
    tries = undefined + sum(each.intervals for each in found)
    lines = [_headline(off, found)]
    lines += off
    if undefined:
        lines.append(
            f"{undefined} of {tries} intervals are undefined (no item or cluster"
            " differs) and count neither way"
        )
    return Verdict(sound=not off, lines=tuple(lines))


def enough_items(found: Sequence[Calibrated]) -> list[str]:
    """For each planted effect that was tried with several numbers of items, the fewest that do."""
    lines = []
    effects = dict.fromkeys((each.group, each.task, each.contrast) for each in found)
    for effect in effects:
        own = [
            each
            for each in found
            if (each.group, each.task, each.contrast) == effect and not each.nothing_planted
        ]
        if len({each.limit for each in own}) < 2:
            continue
        enough = [each for each in own if (each.significant_share or 0.0) >= POWER]
        fewest = min(enough, key=lambda each: each.items, default=None)
        name = f"{effect[2]}, {effect[1]}"
        lines.append(
            f"{name}: {fewest.items} items find it with a chance of {POWER:.0%} or more"
            if fewest
            else f"{name}: none of these numbers of items finds it with a chance of {POWER:.0%}"
        )
    return lines


def _headline(off: Sequence[str], found: Sequence[Calibrated]) -> str:
    if not found:
        return "nothing is compared: the experiment asks no two conditions that make a contrast"
    if off:
        return f"{len(off)} of what was looked at is off beyond chance"
    return (
        "nothing is off that so many subjects could show: what is planted is found without bias,"
        " intervals of 95 % hold it as often as they should, and where nothing is planted chance"
        " alone finds something"
    )


def _off(each: Calibrated, suspect: float) -> list[str]:
    name = f"{each.group}: {each.contrast}, {each.task} ({each.items} items)"
    lines = []
    if each.coverage is not None and bdtr(each.held, each.intervals, 1 - LEVEL) < suspect:
        lines.append(f"{name}: intervals hold what is planted for {each.coverage:.1%}, not 95 %")
    if each.bias is not None and each.bias_error is not None:
        errors = abs(each.bias) / each.bias_error if each.bias_error else float("inf")
        if each.bias and 2 * stdtr(each.subjects - 1, -errors) < suspect:
            lines.append(f"{name}: the mean estimate is off by {100 * each.bias:+.2f} points")
    if each.nothing_planted and each.tested:
        by_chance = bdtrc(each.significant - 1, each.tested, LEVEL) if each.significant else 1.0
        if by_chance < suspect:
            share = f"{each.significant_share:.1%}"
            lines.append(f"{name}: {share} false alarms where 5 % is the most there should be")
    return lines
