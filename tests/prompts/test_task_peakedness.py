"""Peakedness: the share of samples about the greedy reply, by hand and by its definition."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.tasks.peakedness import ALPHA, MOST_TOKENS, XI, peakedness
from tests.prompts.overlap_for_tests import table_distance

GREEDY = "a b c d e f g h i j k l m n o p q r s t".split()  # 20 words


def changed(count: int) -> list[str]:
    """The greedy reply with that many words replaced."""
    return ["X"] * count + GREEDY[count:]


def test_the_constants_are_the_papers() -> None:
    assert (ALPHA, XI, MOST_TOKENS) == (0.05, 0.01, 100)


def test_the_share_of_close_samples_is_what_a_hand_counts() -> None:
    """Of 20 words 0.05 lets one differ: the first two of four samples are close.

    With one of 40 words among them, the longest is 40, and two may differ: then three of five.
    """
    samples = [GREEDY, changed(1), changed(2), changed(9)]

    assert peakedness(GREEDY, samples) == 2 / 4
    assert peakedness(GREEDY, [*samples, [*GREEDY, *GREEDY]]) == 3 / 5
    assert peakedness(GREEDY, samples, alpha=0.0) == 1 / 4
    assert peakedness(GREEDY, samples, alpha=0.45) == 1


def test_a_share_of_a_length_is_whole_where_it_should_be() -> None:
    """0.05 of 20, 40 ... 100 words are 1, 2 ... 5, for floats too."""
    for times in range(1, 6):
        greedy = [*GREEDY * times]
        close = [*["X"] * times, *greedy[times:]]
        far = [*["X"] * (times + 1), *greedy[times + 1 :]]
        assert peakedness(greedy, [close, far]) == 0.5


def test_what_stands_after_a_hundred_tokens_does_not_count() -> None:
    long = GREEDY * 5

    assert peakedness([*long, *"xyz"], [[*long, *"rest of it"]], alpha=0.0) == 1


def test_a_sample_of_nothing_is_as_far_as_the_reply_is_long() -> None:
    assert peakedness(GREEDY, [[]]) == 0
    assert peakedness([], [GREEDY, []]) == 0.5


def test_nothing_said_has_no_peakedness() -> None:
    with pytest.raises(ValueError, match="of no samples"):
        peakedness(GREEDY, [])
    with pytest.raises(ValueError, match="of empty replies"):
        peakedness([], [[], []])


def test_it_is_the_definition_over_drawn_replies() -> None:
    """F(d <= alpha l) = sum over d up to alpha l of the share of samples at distance d."""
    rng = random.Random(2024)
    seen = set()
    for _ in range(60):
        greedy = [rng.randint(0, 4) for _ in range(rng.randint(1, 30))]
        samples = [
            [rng.randint(0, 4) if rng.random() < 0.1 else token for token in greedy]
            + [0] * rng.randint(0, 2)
            for _ in range(10)
        ]
        length = max(len(greedy), *map(len, samples))
        distances = [table_distance(greedy, sample) for sample in samples]
        shares = [distances.count(d) / 10 for d in range(length + 1)]
        value = sum(share for d, share in enumerate(shares) if 10 * d <= length)

        assert peakedness(greedy, samples, alpha=0.1) == pytest.approx(value)
        seen.add(round(value, 1))
    assert len(seen) > 5


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=5))
def test_it_grows_with_alpha_up_to_all(samples: list[list[int]]) -> None:
    values = [peakedness(samples[0], samples, alpha / 4) for alpha in range(5)]

    assert values == sorted(values)
    assert values[0] >= 1 / len(samples)
    assert values[-1] == 1
