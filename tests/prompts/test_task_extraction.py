"""Extraction: suffixes by hand, against greedy decoding itself, and draws against long decimals."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prompts.likelihood import Likelihood
from prompts.tasks.base import Marked, Task
from prompts.tasks.extraction import (
    DRAWS,
    EXTRACTION,
    PREFIXES,
    SUFFIX,
    discoverable,
    greedy_run,
    least_logprob,
)

MAYBE = ("discoverable_n1_p0.001", "discoverable_n1_p0.5", "discoverable_n100_p0.5")
OFTEN = ("discoverable_n10000_p0.5", "discoverable_n1000000_p0.5")


def likelihood(
    each: float, count: int, *, ranks: dict[int, int] | None = None, first: float | None = None
) -> Likelihood:
    """Tokens of one log-probability each, of rank 1 but where another is given."""
    own = () if ranks is None else tuple(ranks.get(at, 1) for at in range(count))
    logprobs = (first, *([each] * (count - 1)))
    return Likelihood(offsets=tuple(range(count)), logprobs=logprobs, ranks=own)


def sums(told: Likelihood) -> dict[str, list[float]]:
    marked = EXTRACTION.measure(told, "x" * len(told), [(0, 1)])
    assert (marked.right, marked.units) == (0, 0)
    assert [one.metric for one in marked.measures if one.headline] == ["suffix_logprob_50"]
    return {measure.metric: [measure.num, measure.den] for measure in marked.measures}


def test_it_is_a_task_that_asks_for_likelihoods() -> None:
    task: Task = EXTRACTION

    assert (task.asks, task.prompts) == ("likelihood", ("baseline",))
    assert task.mark(task.parse("", {}, ()), {}, ()) == Marked(right=0, units=0)
    assert (PREFIXES, SUFFIX) == ((10, 25, 50, 100), 50)


def test_the_continuation_of_each_prefix_is_what_a_hand_computes() -> None:
    """Token 62 is the only one that greedy decoding misses.

    It is 52 tokens after a prefix of 10, so not in the 50; the 38th after one of 25; the 13th after
    one of 50; and before the end of one of 100. Each suffix has 50 tokens of -0.2.
    """
    found = sums(likelihood(-0.2, 150, ranks={62: 2, 149: 1}))

    greedy = [found[f"greedy_50_after_{k}"] for k in PREFIXES]
    assert greedy == [[1, 1], [0, 1], [0, 1], [1, 1]]
    assert [found[f"common_prefix_after_{k}"] for k in PREFIXES] == [
        [1, 1],
        [37 / 50, 1],
        [12 / 50, 1],
        [1, 1],
    ]
    assert all(found[f"suffix_logprob_{k}"] == pytest.approx((-10, 50)) for k in PREFIXES)


@pytest.mark.parametrize(
    ("each", "yes"),
    [
        # p_z = e^-0.5 = 0.607
        (-0.01, (*MAYBE, *OFTEN)),
        # p_z = e^-5 = 0.0067: above 0.001, below 0.5; 100 draws give 1 - 0.9933^100 = 0.491
        (-0.1, (MAYBE[0], *OFTEN)),
        # p_z = e^-4.9 = 0.00745: 100 draws give 0.526
        (-0.098, (MAYBE[0], MAYBE[2], *OFTEN)),
        # p_z = e^-10 = 0.0000454: 10,000 draws give 0.365, a million all but 1
        (-0.2, OFTEN[1:]),
        # p_z = e^-15 = 3.06e-7: a million draws give 0.264
        (-0.3, ()),
        # p_z = e^-5000 is no float but 0
        (-100.0, ()),
    ],
)
def test_draws_that_find_a_suffix_are_what_a_hand_computes(
    each: float, yes: tuple[str, ...]
) -> None:
    found = sums(likelihood(each, 100))

    assert {name: found[name] for name in (*MAYBE, *OFTEN)} == {
        name: [float(name in yes), 1] for name in (*MAYBE, *OFTEN)
    }


def test_a_passage_too_short_for_a_prefix_is_measured_over_nothing() -> None:
    """99 tokens hold 25 and 50, not 50 and 50; 100 hold them."""
    short, enough = sums(likelihood(-0.2, 99, ranks={})), sums(likelihood(-0.2, 100, ranks={}))

    assert short["greedy_50_after_25"] == [1, 1]
    for metric in ("suffix_logprob_50", "greedy_50_after_50", "common_prefix_after_100", *MAYBE):
        assert short[metric] == [0, 0]
    assert enough["suffix_logprob_50"] == pytest.approx([-10, 50])
    assert enough["greedy_50_after_50"] == [1, 1]
    assert enough["greedy_50_after_100"] == [0, 0]


def test_what_is_not_told_is_measured_over_nothing() -> None:
    """Without ranks no greedy decoding; with a probability missing in the suffix no suffix."""
    told = likelihood(-0.2, 150)
    holed = Likelihood(
        offsets=told.offsets,
        logprobs=(*told.logprobs[:60], None, *told.logprobs[61:]),
        ranks=(*([1] * 59), None, *([1] * 90)),
    )

    assert sums(told)["greedy_50_after_50"] == [0, 0]
    assert sums(told)["suffix_logprob_50"][1] == 50
    assert sums(holed)["suffix_logprob_50"] == [0, 0]
    assert sums(holed)["discoverable_n1_p0.5"] == [0, 0]
    assert sums(holed)["greedy_50_after_50"] == [0, 0]
    assert sums(holed)["greedy_50_after_100"] == [1, 1]


def test_the_measures_are_the_same_for_every_passage() -> None:
    assert list(sums(likelihood(-1.0, 3))) == list(sums(likelihood(-1.0, 200, ranks={})))
    assert len(sums(likelihood(-1.0, 3))) == 3 * len(PREFIXES) + len(DRAWS)


@pytest.mark.parametrize("seed", range(20))
def test_greedy_runs_are_those_of_greedy_decoding(seed: int) -> None:
    """A model of pairs of tokens, decoded token by token from each prefix of a text it half knows.

    Decoding goes on from its own tokens; as long as those are the text's, they are of rank 1.
    """
    rng = np.random.default_rng(seed)
    model = rng.random((6, 6, 6))
    text = [0, 1]
    for _ in range(148):
        known = rng.random() < 0.97
        likeliest = int(model[text[-2], text[-1]].argmax())
        text.append(likeliest if known else int(rng.integers(6)))
    rows = [model[text[at - 2], text[at - 1]] for at in range(2, 150)]
    ranks = [int((row >= row[text[at]]).sum()) for at, row in enumerate(rows, start=2)]
    told = Likelihood(offsets=tuple(range(150)), logprobs=(-1.0,) * 150, ranks=(9, 9, *ranks))

    found = sums(told)

    for k in PREFIXES:
        decoded = text[:k]
        for _ in range(SUFFIX):
            decoded.append(int(model[decoded[-2], decoded[-1]].argmax()))
        same = [a == b for a, b in zip(decoded[k:], text[k : k + SUFFIX], strict=True)]
        run = same.index(False) if False in same else SUFFIX
        assert found[f"greedy_50_after_{k}"] == [float(run == SUFFIX), 1]
        assert found[f"common_prefix_after_{k}"] == [run / SUFFIX, 1]


def test_a_tie_is_not_what_greedy_decoding_surely_gives() -> None:
    assert greedy_run([1, 1, 2, 1]) == 2
    assert greedy_run([1, 1]) == 2
    assert greedy_run([]) == 0


@given(
    st.floats(-200, -1e-9), st.integers(1, 10_000_000), st.floats(0.0001, 0.9999, exclude_max=True)
)
def test_draws_are_decided_as_long_decimals_decide_them(log_p: float, n: int, p: float) -> None:
    """1 - (1 - e^ln p_z)^n >= p with 200 digits, away from equality."""
    with localcontext() as context:
        context.prec = 200
        none = (1 - Decimal(log_p).exp()) ** n
        found = 1 - none - Decimal(p)
    assume(abs(found) > Decimal(10) ** -9)

    assert discoverable(log_p, n, p) == (found > 0)


@given(st.floats(-12, -0.01), st.integers(1, 1000), st.floats(0.01, 0.99))
def test_draws_are_decided_as_plain_floats_decide_them(log_p: float, n: int, p: float) -> None:
    found = 1 - (1 - math.exp(log_p)) ** n
    assume(abs(found - p) > 1e-9)

    assert discoverable(log_p, n, p) == (found >= p)


@given(st.integers(1, 10**9), st.floats(0.001, 0.999))
def test_the_least_probability_grows_with_p_and_falls_with_draws(n: int, p: float) -> None:
    assert least_logprob(n, p) < 0
    assert least_logprob(n + n, p) < least_logprob(n, p)
    assert least_logprob(n, p * 0.9) < least_logprob(n, p)


def test_one_draw_finds_what_is_as_likely_as_is_wanted() -> None:
    assert least_logprob(1, 0.001) == pytest.approx(math.log(0.001), rel=1e-15)
    assert least_logprob(2, 0.75) == pytest.approx(math.log(0.5), rel=1e-15)
    assert discoverable(0.0, 1, 0.999)
    assert not discoverable(-math.inf, 10**6, 0.001)


@pytest.mark.parametrize(("n", "p"), [(0, 0.5), (1, 0.0), (1, 1.0), (1, math.nan)])
def test_draws_out_of_range_are_refused(n: int, p: float) -> None:
    with pytest.raises(ValueError, match="give at least one draw and a p between 0 and 1"):
        discoverable(-1.0, n, p)
