"""A thousand experiments of a known truth: intervals hold it, tests reject what is not there."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.statistics import estimate, resampled
from tests.analysis.planted_for_tests import (
    Design,
    episodes,
    f1s,
    mcnemar_rejected,
    rejected,
    samples,
    speakers,
    titles,
)

EXPERIMENTS = 1_000
NULLS = 3_000


@pytest.mark.parametrize(
    ("design", "by"),
    [
        (speakers(works=12), "work"),
        (speakers(works=12, unequal=True), "work"),
        (titles(items=60), "item"),
        (samples(items=40), "item"),
        (f1s(works=15), "work"),
        (episodes(scenes=18), "scene"),
    ],
    ids=lambda value: value.name if isinstance(value, Design) else value,
)
def test_intervals_of_95_percent_hold_the_planted_difference(design: Design, by: str) -> None:
    """In 93 to 97 of 100 experiments; 1.4 in 100 is what 1,000 experiments leave to chance."""
    held = 0
    for number in range(EXPERIMENTS):
        rng = np.random.default_rng([1, number])
        one = design.draw(rng, True)  # noqa: FBT003
        moving = one.paired.grouped(one.clusters.of)
        assert one.clusters.by == by
        found = estimate(resampled(moving, rng, 1_000), moving, 0, by).interval
        held += found.low <= design.truth <= found.high

    assert 0.93 <= held / EXPERIMENTS <= 0.97


@pytest.mark.parametrize(
    "design",
    [speakers(works=20, scenes=20), samples(items=120), f1s(works=15)],
    ids=lambda design: design.name,
)
def test_the_sign_flip_test_rejects_a_true_null_at_its_level(design: Design) -> None:
    """4 to 6 in 100. Where answers are few, flips tie with what was seen, and it rejects less."""
    assert 0.04 <= rejected(design, NULLS, 999) <= 0.06


@pytest.mark.parametrize(
    "design", [speakers(works=6), episodes(scenes=12)], ids=lambda design: design.name
)
def test_with_little_data_the_sign_flip_test_rejects_less_and_never_more(design: Design) -> None:
    """Six works have 64 flips, of which 2 are the farthest: 3.1 % is the most below 5 %."""
    assert rejected(design, NULLS, 999) <= 0.05


def test_mcnemars_test_rejects_a_true_null_at_its_level() -> None:
    """It counts whole items, and so stays below 5 % by half the chance of one count of them.

    With 480 items that differ of 2,000 that is 0.5 in 100; with 10 of 40 it is far more, which is
    the price of being exact.
    """
    assert 0.04 <= mcnemar_rejected(2_000, 8_000) <= 0.05
    assert mcnemar_rejected(40, 4_000) <= 0.03
