"""Passage likelihood, with its capitals and without: sums by hand, and over whole distributions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import log_softmax
from scipy.stats import entropy

from prompts import Item
from prompts.likelihood import Likelihood
from prompts.tasks import Unparsed
from prompts.tasks.base import Marked, Measure, Task
from prompts.tasks.lowercase_likelihood import LOWERCASE_LIKELIHOOD, lowered
from prompts.tasks.passage_likelihood import METRICS, PASSAGE_LIKELIHOOD

TEXT = "Ann ran. Bo hid."
NAMES = [(0, 3), (9, 11)]
# Ann | ran | . | Bo | hid | .
OFFSETS = (0, 3, 7, 8, 11, 15)
LOGPROBS = (None, -1.0, -0.5, -4.0, -2.0, -0.25)
TOLD = Likelihood(
    offsets=OFFSETS,
    logprobs=LOGPROBS,
    ranks=(None, 1, 1, 9, 3, 1),
    means=(None, -1.0, -2.0, -3.0, -0.5, -0.5),
    variances=(None, 1.0, 1.0, 1.0, 1.0, 1.0),
)
BARE = Likelihood(offsets=OFFSETS, logprobs=LOGPROBS)


def item(text: str = TEXT) -> Item:
    return Item(item_id="1", task="", dataset="", work="", text=text, gold={}, question="Who hid?")


def sums(marked: Marked) -> dict[str, list[float]]:
    return {measure.metric: [measure.num, measure.den] for measure in marked.measures}


@pytest.mark.parametrize("task", [PASSAGE_LIKELIHOOD, LOWERCASE_LIKELIHOOD])
def test_it_is_a_task_that_sends_the_passage_alone_and_reads_no_reply(task: Task) -> None:
    marked = task.measure(TOLD, TEXT, NAMES)

    assert (task.asks, task.prompts, task.needs_options) == ("likelihood", ("baseline",), False)
    assert (task.instruction("baseline"), task.answer_format({}, ())) == ("", "")
    assert task.passage(item()).casefold() == TEXT.casefold()
    assert task.schema({}, ()) is None
    assert task.chance({}, ()) is None
    assert isinstance(task.parse("Ann", {}, ()), Unparsed)
    assert task.mark(Unparsed(""), {}, ()) == Marked(right=0, units=0)
    assert [one.metric for one in marked.measures if one.headline] == ["logprob"]
    assert tuple(one.metric for one in marked.measures) == METRICS


def test_means_over_the_words_that_are_no_names_are_what_a_hand_computes() -> None:
    """Outside the names stand ` ran`, `.`, ` hid` and `.`; the first token has no probability."""
    assert sums(PASSAGE_LIKELIHOOD.measure(TOLD, TEXT, NAMES)) == {
        "logprob": [-1 - 0.5 - 2 - 0.25, 4],
        "logprob_all": [-1 - 0.5 - 4 - 2 - 0.25, 5],
        "rank1": [3, 4],
        "entropy": [1 + 2 + 0.5 + 0.5, 4],
    }


def test_what_an_endpoint_does_not_tell_is_over_nothing() -> None:
    assert sums(PASSAGE_LIKELIHOOD.measure(BARE, TEXT, NAMES)) == {
        "logprob": [-3.75, 4],
        "logprob_all": [-7.75, 5],
        "rank1": [0, 0],
        "entropy": [0, 0],
    }


def test_a_mean_over_the_likeliest_tokens_is_not_given_as_an_entropy() -> None:
    some = Likelihood(offsets=OFFSETS, logprobs=LOGPROBS, means=TOLD.means, exact=False)

    assert sums(PASSAGE_LIKELIHOOD.measure(some, TEXT, NAMES))["entropy"] == [0, 0]


def test_a_passage_that_is_all_name_measures_nothing_outside() -> None:
    found = sums(PASSAGE_LIKELIHOOD.measure(TOLD, TEXT, [(0, len(TEXT))]))

    assert found["logprob"] == [0, 0]
    assert found["logprob_all"] == [-7.75, 5]


def test_sums_agree_with_numpy_and_scipy_over_whole_distributions() -> None:
    """Forty places over thirty tokens: log-softmax, order and entropy come from elsewhere."""
    rng = np.random.default_rng(5)
    logits, tokens = rng.normal(0, 3, (40, 30)), rng.integers(0, 30, 40)
    logs = log_softmax(logits, axis=1)
    own = logs[np.arange(40), tokens]
    means = (np.exp(logs) * logs).sum(axis=1)
    spreads = [float(entropy(row)) for row in np.exp(logs)]
    told = Likelihood(
        offsets=tuple(range(0, 80, 2)),
        logprobs=tuple(map(float, own)),
        ranks=tuple(int(rank) for rank in (logs >= own[:, None]).sum(axis=1)),
        means=tuple(map(float, means)),
    )
    outside = np.r_[0:5, 8:30, 31:40]  # 10-16 hides the tokens 5, 6 and 7, and 61-62 the token 30

    found = sums(PASSAGE_LIKELIHOOD.measure(told, "x" * 80, [(61, 62), (10, 16)]))

    assert found["logprob"] == pytest.approx([own[outside].sum(), 36])
    assert found["logprob_all"] == pytest.approx([own.sum(), 40])
    assert found["rank1"] == [(logs.argmax(axis=1) == tokens)[outside].sum(), 36]
    assert found["entropy"] == pytest.approx([sum(spreads[at] for at in outside), 36])


def test_passages_pool_to_the_mean_over_their_tokens() -> None:
    """-3.75 over 4 tokens and -6 over 1 are -9.75 over 5, not the mean of two means."""
    short = Likelihood(offsets=(0, 1), logprobs=(None, -6.0))
    pooled = [
        sums(PASSAGE_LIKELIHOOD.measure(likelihood, text, names))["logprob"]
        for likelihood, text, names in ((TOLD, TEXT, NAMES), (short, "a b", []))
    ]

    assert sum(num for num, _ in pooled) / sum(den for _, den in pooled) == pytest.approx(-1.95)


def test_the_lowercase_ratio_of_a_passage_by_hand() -> None:
    """7.75 nats over 5 tokens with capitals, 9.3 over 5 without: log-perplexities as 1.55 to 1.86.

    In lower case the names are where they were, and are left out alike.
    """
    low = Likelihood(offsets=OFFSETS, logprobs=(None, -1.5, -0.5, -5.0, -2.0, -0.3))
    with_case = sums(PASSAGE_LIKELIHOOD.measure(TOLD, TEXT, NAMES))["logprob_all"]
    without = sums(LOWERCASE_LIKELIHOOD.measure(low, TEXT.lower(), NAMES))

    ratio = (without["logprob_all"][0] / 5) / (with_case[0] / 5)
    assert ratio == pytest.approx(1.86 / 1.55)
    assert without["logprob"] == pytest.approx([-4.3, 4])


def test_a_passage_in_lower_case_keeps_its_line_ends_and_accents() -> None:
    assert LOWERCASE_LIKELIHOOD.passage(item("ÉMILE\n Ran TO\tΣΟΦΌΣ")) == "émile\n ran to\tσοφόσ"


@given(st.text())
@example("İZMİR")
def test_lower_case_moves_no_offset(text: str) -> None:
    """`İ` has a lower case of two code points, and stays."""
    low = lowered(text)

    assert len(low) == len(text)
    assert all(b in {a.lower(), a} for a, b in zip(text, low, strict=True))


def test_measures_are_plain_sums_that_pool() -> None:
    for measure in PASSAGE_LIKELIHOOD.measure(TOLD, TEXT, NAMES).measures:
        assert measure == Measure(
            metric=measure.metric,
            num=measure.num,
            den=measure.den,
            headline=measure.metric == METRICS[0],
        )
