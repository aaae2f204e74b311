"""The metrics agree with an independent scorer, and LEA with its definition, on random clusters."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scorch import scores as scorch  # type: ignore[import-untyped]

from prompts.tasks.clusters import Overlap, Sums, b_cubed, ceaf_e, ceaf_m, lea, muc, overlap
from tests.prompts.coval_for_tests import ratio

Clusters: TypeAlias = list[set[int]]
METRICS: tuple[Callable[[Overlap], Sums], ...] = (muc, b_cubed, ceaf_m, ceaf_e, lea)
PEERS = {muc: scorch.muc, b_cubed: scorch.b_cubed, ceaf_m: scorch.ceaf_m, ceaf_e: scorch.ceaf_e}
moderate = settings(max_examples=100, deadline=None)


def clusters_of(cluster_of: dict[int, int]) -> Clusters:
    found: dict[int, set[int]] = {}
    for mention, cluster in cluster_of.items():
        found.setdefault(cluster, set()).add(mention)
    return list(found.values())


def random_clusters(rng: random.Random) -> Clusters:
    """Up to 40 of 40 mentions in few large or many small clusters."""
    most = rng.choice([1, 3, 8, 40])
    share = rng.choice([0.3, 0.8, 1.0])
    return clusters_of({m: rng.randrange(most) for m in range(40) if rng.random() < share})


@st.composite
def clusterings(draw: st.DrawFn) -> Clusters:
    mentions = draw(st.sets(st.integers(0, 14)))
    return clusters_of({mention: draw(st.integers(0, 5)) for mention in sorted(mentions)})


def lea_by_links(key: Clusters, response: Clusters) -> Fraction | None:
    """The recall of LEA, link by link: a link is a pair, or a singleton with itself."""

    def links(cluster: set[int]) -> set[tuple[int, ...]]:
        pairs: set[tuple[int, ...]] = set(itertools.combinations(sorted(cluster), 2))
        return pairs or {tuple(cluster)}

    answered = {link for cluster in response for link in links(cluster)}
    resolved = [
        len(cluster) * Fraction(len(links(cluster) & answered), len(links(cluster)))
        for cluster in key
    ]
    return sum(resolved, Fraction(0)) / sum(map(len, key)) if key else None


@pytest.mark.parametrize("singletons", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_an_independent_scorer_says_the_same(seed: int, singletons: bool) -> None:  # noqa: FBT001
    """Thirty pairs of clusterings a seed, with singletons and without."""
    rng = random.Random(seed)
    for _ in range(30):
        gold, found = random_clusters(rng), random_clusters(rng)

        pairs = overlap(gold, found, keep_singletons=singletons)

        if not len(pairs.common):  # the peer fails on the F1 of zeros
            assert all(metric(pairs).num == metric(pairs).recall_num == 0 for metric in PEERS)
            continue
        kept = [
            [cluster for cluster in side if singletons or len(cluster) > 1]
            for side in (gold, found)
        ]
        for metric, peer in PEERS.items():
            sums = metric(pairs)
            recall, precision, _ = peer(*kept)
            assert (ratio(sums.recall_num, sums.recall_den) or 0) == pytest.approx(recall)
            assert (ratio(sums.num, sums.den) or 0) == pytest.approx(precision)


@moderate
@given(clusterings(), clusterings())
def test_lea_is_what_counting_links_gives(gold: Clusters, found: Clusters) -> None:
    sums = lea(overlap(gold, found))

    recall, precision = lea_by_links(gold, found), lea_by_links(found, gold)

    assert ratio(sums.recall_num, sums.recall_den) == (
        None if recall is None else pytest.approx(float(recall))
    )
    assert ratio(sums.num, sums.den) == (
        None if precision is None else pytest.approx(float(precision))
    )


@moderate
@given(clusterings(), clusterings(), st.randoms(use_true_random=False))
def test_the_order_of_clusters_is_of_no_account(
    gold: Clusters, found: Clusters, rng: random.Random
) -> None:
    golds, founds = rng.sample(gold, len(gold)), rng.sample(found, len(found))

    for metric in METRICS:
        one, other = metric(overlap(gold, found)), metric(overlap(golds, founds))
        assert one.num == pytest.approx(other.num, abs=1e-12)
        assert one.recall_num == pytest.approx(other.recall_num, abs=1e-12)
        assert (one.den, one.recall_den) == (other.den, other.recall_den)


@moderate
@given(clusterings(), clusterings())
def test_precision_is_recall_with_the_sides_changed(gold: Clusters, found: Clusters) -> None:
    for metric in METRICS:
        one, other = metric(overlap(gold, found)), metric(overlap(found, gold))
        assert one.num == pytest.approx(other.recall_num, abs=1e-12)
        assert one.den == other.recall_den


@moderate
@given(clusterings(), clusterings(), clusterings(), clusterings())
def test_sums_of_documents_are_the_sums_of_their_union(
    gold: Clusters, found: Clusters, more_gold: Clusters, more_found: Clusters
) -> None:
    """Clusters of two documents share no mention, so each metric falls apart into theirs."""
    others = [[{mention + 100 for mention in c} for c in side] for side in (more_gold, more_found)]

    for metric in METRICS:
        one, other = metric(overlap(gold, found)), metric(overlap(*others))
        union = metric(overlap(gold + others[0], found + others[1]))
        assert union.num == pytest.approx(one.num + other.num, abs=1e-12)
        assert union.den == one.den + other.den
        assert union.recall_num == pytest.approx(one.recall_num + other.recall_num, abs=1e-12)
        assert union.recall_den == one.recall_den + other.recall_den


@moderate
@given(clusterings())
def test_gold_itself_is_perfect(gold: Clusters) -> None:
    for metric in METRICS:
        sums = metric(overlap(gold, gold))
        assert sums.num == pytest.approx(sums.den)
        assert sums.recall_num == pytest.approx(sums.recall_den)


@pytest.mark.timeout(20)
def test_a_long_document_takes_no_time() -> None:
    """Two thousand mentions in a thousand clusters on either side; 500 are usual."""
    rng = random.Random(0)
    gold = clusters_of({mention: rng.randrange(1000) for mention in range(2000)})
    found = clusters_of({mention: rng.randrange(1000) for mention in range(2000)})

    sums = ceaf_e(overlap(gold, found))

    assert 0 < sums.num < min(sums.den, sums.recall_den)
