"""How well a score tells passages that are known from those that are not, with intervals. Pure.

A passage is called known where its score is at least a threshold. Over all thresholds,

    TPR(t) = share of the known passages with a score of at least t
    FPR(t) = share of the others with a score of at least t

AUC is the chance that a known passage scores above another, a tie counting one half: the area under
TPR over FPR, 0.5 for a score that says nothing. TPR at an FPR of at most f is the highest TPR(t) of
all thresholds t with FPR(t) <= f, 0 if no passage may be called known; nothing is interpolated, and
passages of one score are called alike. It says nothing unless f of the others is at least one: at
1 % there must be 100 of them, at 5 % 20.

Sources: Mann & Whitney (1947), On a test of whether one of two random variables is stochastically
larger, Ann. Math. Stat. 18(1); Carlini et al. (2022), Membership Inference Attacks From First
Principles, section IV, for TPR at a low FPR.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit, logit, stdtrit

from analysis.bootstrap import drawn_counts
from analysis.errors import Undefined
from analysis.metrics import Bools, Floats
from analysis.statistics import DRAWS, Clusters, Interval, clustered

RATES: Final = (0.05, 0.01)
"""False-positive rates at which the true-positive rate is told."""
KNOWN: Final = "well-known"
OTHERS: Final = "little-known"
FEWEST_ALONE: Final = 6
"""Passages of a kind below which an interval says too little to be given (count)."""
_AT_ONCE: Final = 4_000_000
_ROUNDING: Final = 1e-9
_TAIL: Final = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Scored passages, and which of them are known.

    Attributes:
        scores: The higher, the more a passage looks known, shape (passages,), finite.
        member: Whether each is known, shape (passages,).
        works: Of each passage.
        scenes: Of each passage; what it shares with its neighbours in a work.
    """

    scores: Floats
    member: Bools
    works: tuple[str, ...]
    scenes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Estimated:
    """A number with its 95 % interval.

    Attributes:
        undefined: Why there is no number, or no interval.
    """

    value: float | None
    interval: Interval | None = None
    undefined: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """How well one score tells.

    Attributes:
        over_blind: AUC less that of the text alone, over the same passages and resamples; None
            where there is nothing to hold it against.
        tpr: By false-positive rate.
        members: Known passages (count).
        others: The rest (count).
        clustered_by: What was resampled: "work", "scene" or "item".
    """

    auc: Estimated
    over_blind: Estimated | None
    tpr: Mapping[float, Estimated]
    members: int
    others: int
    clustered_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """AUC and TPRs of one weighting of passages each, shape (weightings,); NaN over nothing."""

    auc: Floats
    tpr: Mapping[float, Floats]


def detect(
    own: Labelled, rng: np.random.Generator, blind: Floats | None = None, draws: int = DRAWS
) -> Detection:
    """AUC and TPRs of a score, and how far it is above what the text alone tells.

    Works are resampled with their passages of both kinds where there are six of them, else scenes
    (`analysis.statistics.clustered`); where passages stand alone each kind is resampled by itself.
    AUC's interval is as many bootstrap standard errors as t has it, on the scale of log-odds, which
    keeps it in [0, 1] and held the truth in 93 to 99 of 100 simulated samples. The TPRs', whose
    draws are skewed and lie on few values, are percentiles, and rough: with 20 of a kind they held
    it in 85 to 92 of 100 (see `bench/membership.py`). A text-only classifier counts as given.

    Args:
        own: The passages, of one work or several.
        rng: Of all draws.
        blind: What the text alone says of each passage, shape (passages,).
        draws: Resamples (count).
    """
    members = int(own.member.sum())
    others = len(own.member) - members
    if not members or not others:
        why = f"no {OTHERS if members else KNOWN} passage has this score"
        return _nothing(why, members, others, with_blind=blind is not None)
    clusters = clustered(own.works, own.scenes)
    weights = _weights(own.member, clusters, rng, draws)
    whole = np.ones((1, len(own.member)))
    seen, drawn = (curve(own.scores, own.member, each) for each in (whole, weights))
    errors = _Errors(
        freedom=_freedom(clusters, own.member),
        # A resample of works spreads by their variance over n, not over n - 1 as it should.
        scale=1.0 if clusters.by == "item" else math.sqrt(clusters.count / (clusters.count - 1)),
        few=_too_few(members, others),
    )
    over = None
    if blind is not None:
        base, base_drawn = (curve(blind, own.member, each) for each in (whole, weights))
        apart = float(seen.auc[0] - base.auc[0])
        over = _difference(apart, drawn.auc - base_drawn.auc, errors)
    return Detection(
        auc=_area(float(seen.auc[0]), drawn.auc, errors),
        over_blind=over,
        tpr={
            rate: _rate(rate, float(seen.tpr[rate][0]), drawn.tpr[rate], others) for rate in RATES
        },
        members=members,
        others=others,
        clustered_by=clusters.by,
    )


def curve(scores: Floats, member: Bools, weights: Floats) -> Curve:
    """AUC and TPRs with each passage counted as often as a row of weights says.

    Args:
        scores: Shape (passages,), finite.
        member: Shape (passages,).
        weights: Shape (weightings, passages), at least 0.
    """
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, [True]))
    known, others = (
        np.cumsum(weights[:, order] * kind[order], axis=1)[:, last] for kind in (member, ~member)
    )
    totals = known[:, -1], others[:, -1]
    something = (totals[0] > 0) & (totals[1] > 0)
    true, false = (
        np.divide(each, total[:, None], out=np.zeros_like(each), where=something[:, None])
        for each, total in zip((known, others), totals, strict=True)
    )
    before = np.concatenate([np.zeros((len(true), 1)), true[:, :-1]], axis=1)
    widths = np.diff(false, axis=1, prepend=0.0)
    auc = (widths * (true + before) / 2).sum(axis=1)
    tpr = {
        rate: np.where(false <= rate + _ROUNDING, true, 0.0).max(axis=1, initial=0.0)
        for rate in RATES
    }
    return Curve(
        auc=np.where(something, auc, np.nan),
        tpr={rate: np.where(something, each, np.nan) for rate, each in tpr.items()},
    )


def _weights(member: Bools, clusters: Clusters, rng: np.random.Generator, draws: int) -> Floats:
    """How often each passage is drawn, shape (draws, passages)."""
    if clusters.by != "item":
        return drawn_counts(clusters.count, rng, draws)[:, clusters.of]
    # Both kinds are as many in each draw as they are: nothing is known of how common either is.
    found = np.zeros((draws, len(member)))
    for kind in (member, ~member):
        found[:, kind] = drawn_counts(int(kind.sum()), rng, draws)
    return found


def _freedom(clusters: Clusters, member: Bools) -> float:
    """Degrees of freedom of the errors: two samples of the smaller kind, or works of one size.

    Source: Kish (1965), Survey Sampling, for the count of unequal clusters.
    """
    if clusters.by == "item":
        return max(1.0, 2.0 * min(int(member.sum()), int((~member).sum())) - 2)
    sizes = np.bincount(clusters.of).astype(np.float64)
    return max(1.0, float(sizes.sum() ** 2 / (sizes**2).sum()) - 1)


def _too_few(members: int, others: int) -> str | None:
    for count, kind in ((members, KNOWN), (others, OTHERS)):
        if count < FEWEST_ALONE:
            return f"an interval needs at least {FEWEST_ALONE} {kind} passages"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errors:
    """How the spread of resamples becomes an interval.

    Attributes:
        few: Why there is none, whatever the resamples.
    """

    freedom: float
    scale: float
    few: str | None

    def reach(self, drawn: Floats) -> float:
        """Half an interval of 95 %: as many standard errors as t has it.

        Raises:
            Undefined: There is no interval.
        """
        if self.few is not None:
            raise Undefined(self.few)
        return float(stdtrit(self.freedom, 1 - _TAIL)) * self.scale * _spread(drawn)


def _spread(drawn: Floats) -> float:
    """Standard deviation of what resamples gave.

    Raises:
        Undefined: Too many of them lack a kind, or all are alike.
    """
    known = np.isfinite(drawn)
    if (lost := int((~known).sum())) > len(known) * _TAIL:
        raise Undefined(f"{lost} of {len(known)} resamples lack a kind of passage")
    if np.ptp(drawn[known]) < _ROUNDING:
        raise Undefined("all resamples are alike")
    return float(drawn[known].std(ddof=1))


def _area(value: float, drawn: Floats, errors: _Errors) -> Estimated:
    try:
        reach = errors.reach(drawn)
    except Undefined as why:
        return Estimated(value, undefined=str(why))
    reach /= value * (1 - value)  # on the scale of log-odds; at 0 and 1 all resamples are alike
    middle = float(logit(value))
    return Estimated(value, Interval(float(expit(middle - reach)), float(expit(middle + reach))))


def _difference(value: float, drawn: Floats, errors: _Errors) -> Estimated:
    try:
        reach = errors.reach(drawn)
    except Undefined as why:
        return Estimated(value, undefined=str(why))
    return Estimated(value, Interval(max(-1.0, value - reach), min(1.0, value + reach)))


def _rate(rate: float, value: float, drawn: Floats, others: int) -> Estimated:
    needed = math.ceil(1 / rate - _ROUNDING)
    if others < needed:
        why = f"an FPR of {100 * rate:g} % needs at least {needed} {OTHERS} passages"
        return Estimated(None, undefined=why)
    try:
        _spread(drawn)
    except Undefined as why:
        return Estimated(value, undefined=str(why))
    low, high = np.quantile(drawn[np.isfinite(drawn)], [_TAIL, 1 - _TAIL])
    return Estimated(value, Interval(float(low), float(high)))


def _nothing(why: str, members: int, others: int, *, with_blind: bool) -> Detection:
    none = Estimated(None, undefined=why)
    return Detection(
        auc=none,
        over_blind=none if with_blind else None,
        tpr=dict.fromkeys(RATES, none),
        members=members,
        others=others,
        clustered_by="item",
    )
