"""Scores of membership: each formula worked by hand, and again by a plain loop over the tokens."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.membership import METHODS, Passage, Reading
from analysis.membership.scores import (
    loss,
    lowercase_ratio,
    min_k,
    min_k_plus_plus,
    neighbours,
    neighbours_outside,
    reference_ratio,
    zlib_ratio,
)
from prompts.tasks import Likelihood

TEXT = "Anna went to Rome again"
OFFSETS = (0, 4, 9, 12, 17)


def reading(
    *logprobs: float | None,
    text: str = TEXT,
    offsets: tuple[int, ...] = OFFSETS,
    names: tuple[tuple[int, int], ...] = (),
    spread: tuple[tuple[float | None, ...], tuple[float | None, ...]] = ((), ()),
) -> Reading:
    means, variances = spread
    likelihood = Likelihood(offsets=offsets, logprobs=logprobs, means=means, variances=variances)
    return Reading(text=text, likelihood=likelihood, names=names)


OWN = reading(None, -1.0, -0.5, -4.0, -2.5, names=((0, 4), (13, 17)))


def test_the_loss_is_the_mean_over_tokens_that_have_a_probability() -> None:
    """(1 + 0.5 + 4 + 2.5) / 4 = 2: the first token, which nothing stands before, is no part."""
    assert loss(Passage(own=OWN)) == pytest.approx(-2.0)


def test_the_zlib_ratio_is_nats_a_compressed_byte() -> None:
    """8 nats over the bytes of this text, which zlib makes longer, being so short."""
    size = len(zlib.compress(TEXT.encode()))

    assert size > len(TEXT)
    assert zlib_ratio(Passage(own=OWN)) == pytest.approx(-8.0 / size)


def test_the_zlib_ratio_counts_bytes_not_letters() -> None:
    """Two texts of one length in letters; the letters of one take two bytes each."""
    ascii_text, greek = "abcdefgh" * 3, "αβγδεζηθ" * 3
    of = [
        zlib_ratio(Passage(own=reading(-1.0, text=text, offsets=(0,))))
        for text in (ascii_text, greek)
    ]

    assert of[1] > of[0]


def test_the_lowercase_ratio_is_of_the_two_mean_losses() -> None:
    """2 over 2.5 = (3 + 2 + 2.5) / 3: the lower-case form has tokens of its own."""
    lower = reading(-3.0, -2.0, -2.5, text=TEXT.lower(), offsets=(0, 9, 17))

    assert lowercase_ratio(Passage(own=OWN, lower=lower)) == pytest.approx(-2.0 / 2.5)


def test_min_k_is_the_mean_of_the_least_likely() -> None:
    """Of 4 tokens half are 2: -4 and -2.5. A fifth of 4 is none, and so 1."""
    passage = Passage(own=OWN)

    assert min_k(passage, 0.5) == pytest.approx(-3.25)
    assert min_k(passage) == pytest.approx(-4.0)
    assert min_k(passage, 1.0) == pytest.approx(loss(passage))


def test_min_k_of_many_tokens_is_what_a_loop_gives() -> None:
    """By taking the least away as often as floor(k n) says, for n from 1 to 60 and several k."""
    rng = np.random.default_rng(3)
    for n in range(1, 61):
        values = (-rng.exponential(2.0, n)).tolist()
        own = reading(*values, text="x" * n, offsets=tuple(range(n)))
        for percent in (5, 10, 20, 30, 100):
            left, taken = list(values), list[float]()
            for _ in range(max(1, n * percent // 100)):
                least = min(left)
                left.remove(least)
                taken.append(least)
            expected = sum(taken) / len(taken)
            assert min_k(Passage(own=own), percent / 100) == pytest.approx(expected)


def test_min_k_plus_plus_measures_against_what_could_stand_there() -> None:
    """Two places: p = (1/2, 1/4, 1/4) where a 1/4 came, and p = (0.9, 0.1) where the 0.9 came.

    First: mu = -1.0397, sigma = 0.3466, z = (-1.3863 + 1.0397) / 0.3466 = -1. Second: mu =
    -0.3251, sigma = 0.6592, z = (-0.1054 + 0.3251) / 0.6592 = 1/3. The lowest half is the first.
    """
    places = [np.array([0.5, 0.25, 0.25]), np.array([0.9, 0.1])]
    means = tuple(float(p @ np.log(p)) for p in places)
    variances = tuple(
        float(p @ np.log(p) ** 2) - mean**2 for p, mean in zip(places, means, strict=True)
    )
    own = reading(
        math.log(0.25), math.log(0.9), text="ab", offsets=(0, 1), spread=(means, variances)
    )

    assert means == pytest.approx((-1.0397, -0.3251), abs=1e-4)
    assert min_k_plus_plus(Passage(own=own), 0.5) == pytest.approx(-1.0)
    assert min_k_plus_plus(Passage(own=own), 1.0) == pytest.approx((-1 + 1 / 3) / 2)


def test_a_place_with_one_possible_token_says_nothing() -> None:
    """Variance 0: it is left out rather than divided by, and counts for no share of the tokens."""
    own = reading(-1e-9, -3.0, text="ab", offsets=(0, 1), spread=((-1e-9, -1.0), (0.0, 4.0)))
    sure = reading(0.0, text="a", offsets=(0,), spread=((0.0,), (0.0,)))

    assert min_k_plus_plus(Passage(own=own), 1.0) == pytest.approx(-1.0)
    with pytest.raises(Undefined, match="no place of the passage has a spread"):
        min_k_plus_plus(Passage(own=sure))


def test_the_reference_ratio_counts_what_both_models_know() -> None:
    """The reference lacks its first token, which ends at 9: 7 nats from there over 3.5."""
    other = reading(None, -1.0, -2.5, offsets=(0, 9, 17))

    found = reference_ratio(Passage(own=OWN, reference=other))

    assert found == pytest.approx(-7.0 / 3.5)


def test_neighbours_are_held_against_all_tokens_or_those_outside_names() -> None:
    """Losses 2 and (3 + 2 + 3 + 6) / 4 = 3.5 and 2.5: 1 more on average.

    Outside the names stand the tokens at 4 and 9 and the one at 17: own (1 + 0.5 + 2.5) / 3 = 4/3,
    the neighbours' (3 + 2 + 6) / 3 = 11/3 and (1 + 2 + 3) / 3 = 2.
    """
    first = reading(None, -3.0, -2.0, -3.0, -6.0, names=OWN.names)
    second = reading(None, -1.0, -2.0, -4.0, -3.0, names=OWN.names)
    passage = Passage(own=OWN, renamed=(first, second))

    assert neighbours(passage) == pytest.approx((3.5 + 2.5) / 2 - 2.0)
    assert neighbours_outside(passage) == pytest.approx((11 / 3 + 2) / 2 - 4 / 3)


def test_every_score_is_higher_for_a_passage_that_was_learned() -> None:
    """A model that knows the text finds its tokens likelier, and nothing else changes."""
    rng = np.random.default_rng(5)
    unseen = -rng.exponential(3.0, 5) - 0.5
    spread = (tuple([-3.0] * 5), tuple([2.0] * 5))
    known, unknown = (
        reading(*values.tolist(), names=OWN.names, spread=spread)
        for values in (unseen * 0.3, unseen)
    )
    against = {
        "lower": reading(*unseen.tolist(), text=TEXT.lower()),
        "renamed": (reading(*unseen.tolist(), names=OWN.names),),
        "reference": reading(*unseen.tolist()),
    }

    for method in METHODS:
        learned, not_learned = (
            method.of(Passage(own=own, **against))  # type: ignore[arg-type]
            for own in (known, unknown)
        )
        assert learned > not_learned, method.name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("lowercase", "the lower-case form was not asked"),
        ("min_k_plus_plus", "the endpoint does not tell the distribution"),
        ("reference", "the reference has not read the passage"),
        ("neighbours", "it was asked under no other names"),
        ("neighbours_outside", "it was asked under no other names"),
    ],
)
def test_what_is_not_there_is_said(name: str, why: str) -> None:
    method = next(each for each in METHODS if each.name == name)

    with pytest.raises(Undefined, match=why):
        method.of(Passage(own=OWN))


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.name)
def test_a_passage_without_any_probability_has_no_score(method: object) -> None:
    nothing = reading(None, text="a", offsets=(0,), spread=((None,), (None,)))
    passage = Passage(
        own=nothing,
        lower=reading(-1.0, text="b", offsets=(0,)),
        renamed=(OWN,),
        reference=OWN,
    )

    with pytest.raises(Undefined):
        method.of(passage)  # type: ignore[attr-defined]


def test_a_lower_case_passage_and_a_sure_reference_have_no_ratio() -> None:
    low = reading(-1.0, text="rome", offsets=(0,))
    sure = reading(0.0, text="rome", offsets=(0,))

    with pytest.raises(Undefined, match="no capitals"):
        lowercase_ratio(Passage(own=low, lower=low))
    with pytest.raises(Undefined, match="the reference has a loss of 0"):
        reference_ratio(Passage(own=low, reference=sure))


def test_names_may_cover_every_token() -> None:
    whole = reading(-1.0, text="Rome", offsets=(0,), names=((0, 4),))

    with pytest.raises(Undefined, match="no token lies outside names"):
        neighbours_outside(Passage(own=whole, renamed=(whole,)))


@pytest.mark.parametrize("k", [0.0, -0.1, 1.1])
def test_a_share_of_tokens_is_above_0_and_at_most_1(k: float) -> None:
    with pytest.raises(ValueError, match="k must be above 0"):
        min_k(Passage(own=OWN), k)
