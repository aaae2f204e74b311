"""Contrasts and expectations made up by hand."""

from __future__ import annotations

from dataclasses import replace

from analysis.calibration import Expected, Planted, Where
from analysis.contrasts import ORIGIN, Contrast
from analysis.pairs import Condition
from analysis.statistics import Interval

NR = Condition("cross_culture", "baseline")
WHERE = Where("character_guessing", "plays", "options", "own", "none")


def contrast(
    subject: str, difference: float | None, reach: float | None = 0.1, *, p: float | None = 0.5
) -> Contrast:
    """A subject's contrast; without a reach it has no interval."""
    known = difference is not None and reach is not None
    return Contrast(
        task=WHERE.task,
        dataset=WHERE.dataset,
        choices=WHERE.choices,
        wording=WHERE.wording,
        descriptions=WHERE.descriptions,
        model=subject,
        contrast="origin - NR",
        a=ORIGIN,
        b=NR,
        metric="headline",
        value_a=difference,
        value_b=0.0,
        difference=difference,
        interval=Interval(difference - reach, difference + reach)
        if difference is not None and reach is not None
        else None,
        undefined=None if known else "no item differs",
        p=p,
        test="sign-flip permutation",
        p_holm=p,
        share=None,
        share_interval=None,
        lowest=None,
        highest=None,
        missing=0,
        items=40,
        differing=10,
        clusters=20,
        clustered_by="work",
        needed=None,
        detectable=None,
    )


def expectation(
    item: str, condition: Condition, units: int, right: float, where: Where = WHERE
) -> Expected:
    return Expected(where=where, condition=condition, item_id=item, units=units, right=right)


def planting(difference: float) -> Planted:
    """One item, whose units are that much likelier to be right under the first condition."""
    return Planted.of([expectation("i", ORIGIN, 1, difference), expectation("i", NR, 1, 0.0)])


def over_tasks(one: Contrast) -> Contrast:
    """The same as a mean over tasks."""
    return replace(one, task="all tasks", dataset="all", choices="all", descriptions="all")
