"""Holds clusters of mentions against gold clusters: MUC, B-cubed, CEAF and LEA, as sums.

Each metric gives the numerators and denominators of its precision and recall, for one document;
added up over documents they pool as in the reference scorer of the CoNLL-2012 shared task. The mean
of the F1 of MUC, B-cubed and CEAF-e is that task's score. A mention is whatever can be hashed, and
the clusters of one side share none. Mentions that only one side has count, as in that scorer's
version 8: in the recall where the response lacks them, in the precision where gold does. Pure.

Source:
    Pradhan et al. (2014), Scoring Coreference Partitions of Predicted Mentions: A Reference
    Implementation, section 3; for LEA Moosavi & Strube (2016), Which Coreference Evaluation Metric
    Do You Trust?, section 4.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Clusters: TypeAlias = Iterable[Collection[Hashable]]
_Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What one document adds to a metric; a denominator of 0 leaves its ratio undefined.

    Attributes:
        num: Numerator of the precision.
        den: Denominator of the precision; 0 where the response holds nothing to be precise about.
        recall_num: Numerator of the recall.
        recall_den: Denominator of the recall; 0 where gold holds nothing to be found.
    """

    num: float
    den: float
    recall_num: float
    recall_den: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Which gold clusters and response clusters share mentions, and how many.

    Attributes:
        gold: Mentions of each gold cluster (count), shape (gold clusters,).
        found: Mentions of each response cluster (count), shape (response clusters,).
        gold_at: Gold cluster of each pair that shares a mention, shape (pairs,).
        found_at: Response cluster of each pair, shape (pairs,).
        common: Mentions that each pair shares (count, at least 1), shape (pairs,).
    """

    gold: _Floats
    found: _Floats
    gold_at: npt.NDArray[np.intp]
    found_at: npt.NDArray[np.intp]
    common: _Floats


def overlap(gold: Clusters, found: Clusters, *, keep_singletons: bool = True) -> Overlap:
    """What the metrics need to know of two clusterings of the same document.

    Args:
        gold: The right clusters; empty ones are left out.
        found: The clusters of the response; empty ones are left out.
        keep_singletons: Whether clusters of one mention count; else they are left out on either
            side, and their mentions with them.

    Raises:
        ValueError: A mention is in two clusters of one side.
    """
    at_least = 1 if keep_singletons else 2
    golds = [cluster for cluster in map(frozenset, gold) if len(cluster) >= at_least]
    founds = [cluster for cluster in map(frozenset, found) if len(cluster) >= at_least]
    gold_of, found_of = _cluster_of(golds, "gold"), _cluster_of(founds, "response")
    pairs = Counter(
        (at, found_of[mention]) for mention, at in gold_of.items() if mention in found_of
    )
    return Overlap(
        gold=np.array([len(cluster) for cluster in golds], dtype=np.float64),
        found=np.array([len(cluster) for cluster in founds], dtype=np.float64),
        gold_at=np.array([at for at, _ in pairs], dtype=np.intp),
        found_at=np.array([at for _, at in pairs], dtype=np.intp),
        common=np.array(list(pairs.values()), dtype=np.float64),
    )


def _cluster_of(clusters: list[frozenset[Hashable]], side: str) -> dict[Hashable, int]:
    cluster_of: dict[Hashable, int] = {}
    for at, cluster in enumerate(clusters):
        for mention in cluster:
            if mention in cluster_of:
                raise ValueError(
                    f"mention {mention!r} is in two {side} clusters; leave it in one of them"
                )
            cluster_of[mention] = at
    return cluster_of


def muc(pairs: Overlap) -> Sums:
    """Links kept: of the links that hold each cluster together, those that the other side has.

    A cluster of n mentions takes n - 1 links, and each piece beyond the first that the other side
    breaks it into costs one. Singletons have no link, so they never count.

    Source:
        Vilain et al. (1995), A Model-Theoretic Coreference Scoring Scheme.
    """
    # Mentions that the other side lacks are pieces of their own: what is left of n less the pieces
    # is, from either side, the mentions shared less the pairs that share any.
    kept = math.fsum(pairs.common - 1)
    return Sums(
        num=kept,
        den=math.fsum(pairs.found - 1),
        recall_num=kept,
        recall_den=math.fsum(pairs.gold - 1),
    )


def b_cubed(pairs: Overlap) -> Sums:
    """Per mention, the share of its cluster that the two sides have in common.

    Source:
        Bagga & Baldwin (1998), Algorithms for Scoring Coreference Chains.
    """
    squares = pairs.common**2
    return Sums(
        num=math.fsum(squares / pairs.found[pairs.found_at]),
        den=math.fsum(pairs.found),
        recall_num=math.fsum(squares / pairs.gold[pairs.gold_at]),
        recall_den=math.fsum(pairs.gold),
    )


def ceaf_m(pairs: Overlap) -> Sums:
    """Mentions shared by clusters that are aligned one to one, at best (the measure phi 3).

    Source:
        Luo (2005), On Coreference Resolution Performance Metrics.
    """
    shared = _aligned(pairs, pairs.common)
    return Sums(
        num=shared,
        den=math.fsum(pairs.found),
        recall_num=shared,
        recall_den=math.fsum(pairs.gold),
    )


def ceaf_e(pairs: Overlap) -> Sums:
    """Likeness of clusters that are aligned one to one, at best (the measure phi 4).

    The likeness of two clusters is twice the mentions they share over the mentions of both, from 0
    to 1; every cluster weighs the same, whatever its size.

    Source:
        Luo (2005), On Coreference Resolution Performance Metrics.
    """
    sizes = pairs.gold[pairs.gold_at] + pairs.found[pairs.found_at]
    likeness = _aligned(pairs, 2 * pairs.common / sizes)
    return Sums(
        num=likeness,
        den=float(len(pairs.found)),
        recall_num=likeness,
        recall_den=float(len(pairs.gold)),
    )


def _aligned(pairs: Overlap, worth: _Floats) -> float:
    """The greatest sum of worths, shape (pairs,), of pairs that have no cluster in common."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import

    table = np.zeros((len(pairs.gold), len(pairs.found)))
    table[pairs.gold_at, pairs.found_at] = worth
    return math.fsum(table[linear_sum_assignment(table, maximize=True)])


def lea(pairs: Overlap) -> Sums:
    """Links resolved: per cluster, the share of its pairs of mentions, weighted by its size.

    A singleton has one link, to itself, which only a singleton resolves.

    Source:
        Moosavi & Strube (2016), Which Coreference Evaluation Metric Do You Trust?, section 4.
    """
    gold, found = pairs.gold[pairs.gold_at], pairs.found[pairs.found_at]
    both_single = (gold == 1) & (found == 1)
    links = np.where(both_single, 1.0, _links(pairs.common))
    return Sums(
        num=math.fsum(found * links / np.maximum(_links(found), 1)),
        den=math.fsum(pairs.found),
        recall_num=math.fsum(gold * links / np.maximum(_links(gold), 1)),
        recall_den=math.fsum(pairs.gold),
    )


def _links(mentions: _Floats) -> _Floats:
    """Pairs of mentions in clusters of so many."""
    return mentions * (mentions - 1) / 2
