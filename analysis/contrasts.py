"""The paper's two contrasts: what changing the names costs, and what the gist prompt changes then.

Source: memorization paper, section 6.2 and Table 3. The paper prints differences of unpaired means
without intervals; here the same items stand on both sides, and items are resampled.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np

from analysis.errors import Undefined
from analysis.sql import query
from analysis.statistics import Interval, PairedCounts, paired_interval
from store.read import Source, ask


@dataclass(frozen=True, slots=True)
class Condition:
    """A name strategy with a prompt."""

    names: str
    prompt: str


ORIGIN: Final = Condition("original", "baseline")
NR: Final = Condition("cross_culture", "baseline")
NR_GIST: Final = Condition("cross_culture", "gist")
CONTRASTS: Final = {"origin - NR": (ORIGIN, NR), "NR - NR+GIST": (NR, NR_GIST)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One paired difference of accuracies.

    Attributes:
        difference: In [-1, 1]; positive where the first condition does better.
        interval: 95 %, or None with the reason in `undefined`.
        items: Items with replies under both conditions (count).
        differing: Items whose accuracy differs (count).
    """

    task: str
    dataset: str
    choices: str
    model: str
    contrast: str
    difference: float
    interval: Interval | None
    undefined: str | None
    items: int
    differing: int


def contrasts(source: Source, experiment: str, seed: int) -> list[Contrast]:
    """Both contrasts for every task and model of an experiment; none without common items."""
    found: list[Contrast] = []
    for name, (a, b) in CONTRASTS.items():
        pairs = ask(
            source,
            query("pairs"),
            {
                "experiment": experiment,
                "names_a": a.names,
                "prompt_a": a.prompt,
                "names_b": b.names,
                "prompt_b": b.prompt,
            },
        )
        for place, rows in groupby(pairs.rows, key=lambda row: row[:4]):
            numbers = np.array([row[5:] for row in rows], dtype=np.int64).T
            counts = PairedCounts(
                right_a=numbers[0], units_a=numbers[1], right_b=numbers[2], units_b=numbers[3]
            )
            found.append(_contrast(name, tuple(map(str, place)), counts, seed))
    return sorted(found, key=lambda each: (each.task, each.dataset, each.choices, each.model))


def _contrast(name: str, place: tuple[str, ...], counts: PairedCounts, seed: int) -> Contrast:
    interval: Interval | None = None
    undefined: str | None = None
    try:
        interval = paired_interval(counts, rng=np.random.default_rng(seed))
    except Undefined as error:
        undefined = str(error)
    task, dataset, choices, model = place
    return Contrast(
        task=task,
        dataset=dataset,
        choices=choices,
        model=model,
        contrast=name,
        difference=counts.difference,
        interval=interval,
        undefined=undefined,
        items=len(counts.units_a),
        differing=counts.differing,
    )
