"""AUC and TPR against scikit-learn and by hand; intervals over samples of a known truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from analysis.membership import Detection, Labelled, detect
from analysis.membership.detection import RATES, curve
from analysis.metrics import Bools, Floats


def labelled(scores: Floats, member: Bools, works: tuple[str, ...] | None = None) -> Labelled:
    """Passages of one work, each in a scene of its own, unless works are named."""
    number = tuple(map(str, range(len(scores))))
    return Labelled(
        scores=scores, member=member, works=works or ("Emma",) * len(scores), scenes=number
    )


def of(known: list[float], others: list[float]) -> Labelled:
    member = np.array([True] * len(known) + [False] * len(others))
    return labelled(np.array([*known, *others], dtype=np.float64), member)


def found(own: Labelled, *, blind: Floats | None = None, draws: int = 200) -> Detection:
    return detect(own, np.random.default_rng(0), blind, draws)


def test_auc_counts_pairs_and_half_the_ties() -> None:
    """Of 3 x 2 pairs: 3 above 2 and 1, 2 above 1 and level with 2, 0 above neither: 3.5 of 6."""
    assert found(of([3, 2, 0], [2, 1])).auc.value == pytest.approx(3.5 / 6)


@pytest.mark.parametrize("levels", [3, 20, 10_000])
def test_auc_and_tpr_are_scikit_learn_s(levels: int) -> None:
    """Over thresholds that share no passage, and over few levels with many ties."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(levels)
    for _ in range(20):
        member = rng.random(300) < 0.4
        scores = rng.integers(0, levels, 300) + 0.2 * levels * member
        false, true, _ = metrics.roc_curve(member, scores, drop_intermediate=False)

        own = found(labelled(scores, member), draws=2)

        assert own.auc.value == pytest.approx(metrics.roc_auc_score(member, scores))
        for rate in RATES:
            assert own.tpr[rate].value == pytest.approx(true[false <= rate].max())


def test_weights_count_a_passage_as_often() -> None:
    """A resample is the sample with passages written out more than once, or not at all."""
    rng = np.random.default_rng(1)
    member = np.array([True, False] * 30)
    scores = rng.integers(0, 12, 60).astype(np.float64)
    counts = rng.integers(0, 4, (5, 60))

    weighted = curve(scores, member, counts.astype(np.float64))

    for row, times in enumerate(counts):
        again = curve(
            np.repeat(scores, times), np.repeat(member, times), np.ones((1, int(times.sum())))
        )
        assert weighted.auc[row] == pytest.approx(again.auc[0])
        for rate in RATES:
            assert weighted.tpr[rate][row] == pytest.approx(again.tpr[rate][0])


def test_tpr_takes_no_more_false_positives_than_allowed() -> None:
    """Of 20 others one may be called known at 5 %, that at 9: known are those above the next, 7.5.

    Two others at 9 are called known together, and that is too many: those above 9 are left.
    """
    known = [10.0, 9.0, 8.0, 7.0]
    one, two = [9.0, 7.5, *range(-18, 0)], [9.0, 9.0, *range(-18, 0)]

    assert found(of(known, one)).tpr[0.05].value == pytest.approx(3 / 4)
    assert found(of(known, two)).tpr[0.05].value == pytest.approx(1 / 4)
    assert found(of([5.0, 4.0], two)).tpr[0.05].value == 0.0


@pytest.mark.parametrize(
    ("others", "rate", "why"),
    [
        (19, 0.05, "an FPR of 5 % needs at least 20 little-known passages"),
        (99, 0.01, "an FPR of 1 % needs at least 100 little-known passages"),
        (20, 0.05, None),
        (100, 0.01, None),
    ],
)
def test_a_low_fpr_needs_as_many_passages_as_it_parts(
    others: int, rate: float, why: str | None
) -> None:
    rng = np.random.default_rng(2)

    own = found(of((rng.normal(size=30) + 1).tolist(), rng.normal(size=others).tolist()))

    assert own.tpr[rate].undefined == why
    assert (own.tpr[rate].value is None) == (why is not None)


def test_without_one_of_the_kinds_nothing_is_told() -> None:
    """It is undefined, not one half."""
    only = found(of([1.0, 2.0], []), blind=np.zeros(2))
    none = found(of([], [1.0, 2.0]))

    assert only.auc.value is None
    assert only.auc.undefined == "no little-known passage has this score"
    assert only.over_blind is not None
    assert only.over_blind.value is None
    assert none.auc.undefined == "no well-known passage has this score"
    assert [own.value for own in none.tpr.values()] == [None, None]


def test_few_passages_have_a_value_and_no_interval() -> None:
    few = found(of([5, 4, 3, 2, 1], [3, 2, 1, 0, 0, 0]))
    parted = found(of(list(range(10, 20)), list(range(10))))

    assert few.auc.value is not None
    assert few.auc.interval is None
    assert few.auc.undefined == "an interval needs at least 6 well-known passages"
    assert (parted.auc.value, parted.auc.interval) == (1.0, None)
    assert parted.auc.undefined == "all resamples are alike"


def test_what_is_over_the_text_alone_is_paired() -> None:
    """A score that is the baseline itself is over it by 0, in every resample."""
    rng = np.random.default_rng(4)
    member = np.array([True, False] * 20)
    blind = rng.normal(size=40) + member

    same = found(labelled(2 * blind + 1, member), blind=blind)
    better = found(labelled(blind + 3 * member, member), blind=blind)

    assert same.over_blind is not None
    assert (same.over_blind.value, same.over_blind.interval) == (0.0, None)
    assert better.over_blind is not None
    assert better.over_blind.value == pytest.approx((better.auc.value or 0) - (same.auc.value or 0))
    assert better.over_blind.interval is not None
    assert better.over_blind.interval.low > 0


def planted(rng: np.random.Generator, each: int, shift: float, works: int) -> Labelled:
    """Normal scores, members higher by a shift; in works that lie higher or lower as a whole."""
    member = np.arange(2 * each) % 2 == 1
    work = np.arange(2 * each) // 2 % max(works, 1)
    scores = rng.normal(size=2 * each) + shift * member
    if works:
        scores += rng.normal(0, 0.3, works)[work]
    return labelled(scores, member, tuple(map(str, work)))


@pytest.mark.parametrize(
    ("each", "shift", "works"), [(12, 0.0, 0), (30, 1.0, 0), (30, 2.0, 0), (48, 1.0, 8)]
)
def test_intervals_of_auc_hold_the_truth(each: int, shift: float, works: int) -> None:
    """In 92 to 99 of 100: with 300 samples a share of 95 % has a standard error of 1.3.

    Two normals a shift apart have an AUC of Phi(shift / sqrt 2), works of one spread added to both
    Phi(shift / sqrt(2 + 2 * 0.3^2)) but for pairs within one work.
    """
    between = 2 * 0.3**2 * (1 - 1 / works) if works else 0.0
    truth = float(norm.cdf(shift / math.sqrt(2 + between)))
    held = 0
    for number in range(300):
        rng = np.random.default_rng([7, number])
        own = detect(planted(rng, each, shift, works), rng, draws=400)
        assert own.clustered_by == ("work" if works else "item")
        assert own.auc.interval is not None
        held += own.auc.interval.low <= truth <= own.auc.interval.high

    assert 0.92 <= held / 300 <= 0.99


def test_the_same_seed_gives_the_same_numbers() -> None:
    own = planted(np.random.default_rng(9), 20, 1.0, 0)

    assert found(own) == found(own)
