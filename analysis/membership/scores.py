"""Scores of one passage that are the higher, the more likely a model has seen it. Pure.

Throughout, log p is the natural logarithm of a token's probability given all before it, and the
tokens are those that have one: a first token that nothing stands before has none. The loss of a
text is -mean(log p), in nats a token (its log-perplexity); its total loss is -sum(log p), in nats.
Each score is turned so that higher says *seen*, and none is a probability.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.errors import Undefined
from analysis.metrics import Floats
from prompts.tasks import Likelihood

K: Final = 0.2
"""Share of a passage's tokens that Min-K% and Min-K%++ look at: the least likely 20 %."""
_SURE: Final = 1e-9
"""Variance up to which only one token is possible: no spread to divide by (nats squared)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A text, and how likely a model finds it.

    Attributes:
        names: Where names stand in the text: start and end (code points, half-open).
    """

    text: str
    likelihood: Likelihood
    names: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage as one model read it, with what it is held against.

    Attributes:
        own: As its work has it.
        lower: Its lower-case form; None where that was not asked.
        renamed: With other names in place of its own, as its neighbours.
        reference: As another model read it; None without one.
    """

    own: Reading
    lower: Reading | None = None
    renamed: tuple[Reading, ...] = ()
    reference: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A score.

    Attributes:
        name: As programs know it.
        label: As tables call it.
        needs: What a model must show for it, in words.
        of: The score of a passage; raises `Undefined` where it has none.
        wants_spread: Whether it needs the spread of each place's distribution, which may be known
            of the likeliest tokens alone; then the score is approximate.
    """

    name: str
    label: str
    needs: str
    of: Callable[[Passage], float]
    wants_spread: bool = False


def loss(passage: Passage) -> float:
    """-L(x), L(x) = -mean(log p): how likely the passage is, in nats a token.

    Needs the log-probability of each token of the passage.

    Source: Yeom, Giacomelli, Fredrikson & Jha (2018), Privacy Risk in Machine Learning, sec. 3.2.
    """
    return -_loss(passage.own)


def zlib_ratio(passage: Passage) -> float:
    """-sum(-log p) / z(x), where z(x) is the length of `zlib.compress(x)` in bytes, x in UTF-8.

    Nats a compressed byte: a text that repeats itself is likely without having been seen, and
    compresses well. The authors divide the mean loss, which makes longer texts look seen; the total
    loss does not grow faster than z, and of texts of equal length in tokens the order is the same.
    The compression level is zlib's usual one (6). Needs the log-probability of each token.

    Source: Carlini et al. (2021), Extracting Training Data from Large Language Models, sec. 5.2.
    """
    own = passage.own
    return -_total(own) / len(zlib.compress(own.text.encode("utf-8")))


def lowercase_ratio(passage: Passage) -> float:
    """-L(x) / L(lower(x)): how much more likely the passage is as it is written.

    Both losses are means over the tokens of their own text. Needs the log-probability of each token
    of the passage and of its lower-case form.

    Source: Carlini et al. (2021), sec. 5.2 ("lowercase").

    Raises:
        Undefined: The lower-case form was not asked, is the passage itself, or has no loss.
    """
    if passage.lower is None:
        raise Undefined("the lower-case form was not asked")
    if passage.lower.text == passage.own.text:
        raise Undefined("the passage has no capitals")
    return -_over(_loss(passage.own), _loss(passage.lower), "the lower-case form")


def min_k(passage: Passage, k: float = K) -> float:
    """The mean log p of the least likely k of the tokens: a seen text has few surprises.

    Of n tokens they are max(1, floor(k n)). Needs the log-probability of each token.

    Source: Shi et al. (2024), Detecting Pretraining Data from Large Language Models, sec. 3.
    """
    return _lowest(_known(passage.own), k)


def min_k_plus_plus(passage: Passage, k: float = K) -> float:
    """The mean of the lowest k of (log p - mu) / sigma, in standard deviations.

    mu and sigma are mean and standard deviation of log p(z) where z is drawn from the model's own
    distribution in that place: whether the token is likely for what could stand there. Of n tokens
    the lowest are max(1, floor(k n)). A place where only one token is possible (variance of
    0) says nothing and is left out. Needs the whole distribution in each place; where only its
    likeliest tokens are known the score is approximate (`Likelihood.exact`).

    Source: Zhang et al. (2025), Min-K%++: Improved Baseline for Detecting Pre-Training Data from
        Large Language Models, sec. 4.

    Raises:
        Undefined: The distribution is not told, or has no spread in any place.
    """
    own = passage.own.likelihood
    if not own.means or not own.variances:
        raise Undefined("the endpoint does not tell the distribution")
    places = zip(own.logprobs, own.means, own.variances, strict=True)
    standard = [
        (logprob - mean) / math.sqrt(variance)
        for logprob, mean, variance in places
        if logprob is not None and mean is not None and variance is not None and variance > _SURE
    ]
    if not standard:
        raise Undefined("no place of the passage has a spread")
    return _lowest(np.array(standard), k)


def reference_ratio(passage: Passage) -> float:
    """-T(x) / T_ref(x), the total loss over that of a reference model: is it likely for this model?

    Both are over the tokens that begin where both models have a log-probability, since models that
    part a text otherwise may lack one for more or less of its beginning. For models with one
    vocabulary this is the ratio of their losses. Needs the log-probability of each token from both.

    Source: Carlini et al. (2021), sec. 5.2 ("small" and "medium"), log-perplexities.

    Raises:
        Undefined: There is no reference, or its loss is 0.
    """
    if passage.reference is None:
        raise Undefined("the reference has not read the passage")
    both = (passage.own, passage.reference)
    start = max(_start(each) for each in both)
    own, reference = (_total(each, start) for each in both)
    return -_over(own, reference, "the reference")


def neighbours(passage: Passage) -> float:
    """mean_n L(x_n) - L(x): how much likelier the passage is than its neighbours, nats a token.

    The neighbours x_n are the passage with other names, in place of the authors' texts with some
    words replaced by a masked language model; all tokens count, those of the names too. Needs the
    log-probability of each token of the passage and of each neighbour.

    Source: Mattern et al. (2023), Membership Inference Attacks against Language Models via
        Neighbourhood Comparison, sec. 3.

    Raises:
        Undefined: It was asked under no other names.
    """
    if not passage.renamed:
        raise Undefined("it was asked under no other names")
    others = [_loss(each) for each in passage.renamed]
    return sum(others) / len(others) - _loss(passage.own)


def neighbours_outside(passage: Passage) -> float:
    """The same over the tokens outside the names, of the passage and of each neighbour.

    What rare names cost by themselves is no part of it: only how much the rest, which is the same
    text, is likelier after the names that belong there.

    Raises:
        Undefined: It was asked under no other names, or nothing lies outside them.
    """
    if not passage.renamed:
        raise Undefined("it was asked under no other names")
    others = [_outside(each) for each in passage.renamed]
    return sum(others) / len(others) - _outside(passage.own)


_TOKENS: Final = "the log-probability of each token"
METHODS: Final = (
    Method(name="loss", label="Loss", needs=_TOKENS, of=loss),
    Method(name="zlib", label="Zlib ratio", needs=_TOKENS, of=zlib_ratio),
    Method(
        name="lowercase",
        label="Lowercase ratio",
        needs=f"{_TOKENS}, also of the lower-case form",
        of=lowercase_ratio,
    ),
    Method(name="min_k", label="Min-K%", needs=_TOKENS, of=min_k),
    Method(
        name="min_k_plus_plus",
        label="Min-K%++",
        needs="the distribution in each place",
        of=min_k_plus_plus,
        wants_spread=True,
    ),
    Method(
        name="reference",
        label="Reference ratio",
        needs=f"{_TOKENS} from a second model",
        of=reference_ratio,
    ),
    Method(
        name="neighbours",
        label="Neighbours",
        needs=f"{_TOKENS}, also under other names",
        of=neighbours,
    ),
    Method(
        name="neighbours_outside",
        label="Neighbours, outside names",
        needs=f"{_TOKENS}, also under other names",
        of=neighbours_outside,
    ),
)
"""Every score, in the order of the tables."""


def _known(reading: Reading) -> Floats:
    """The log-probabilities that there are, shape (tokens,)."""
    found = [each for each in reading.likelihood.logprobs if each is not None]
    if not found:
        raise Undefined("no token has a log-probability")
    return np.array(found, dtype=np.float64)


def _loss(reading: Reading) -> float:
    return -float(_known(reading).mean())


def _start(reading: Reading) -> int:
    """Where the first token with a log-probability begins (code points)."""
    own = reading.likelihood
    starts = zip(own.offsets, own.logprobs, strict=True)
    found = next((offset for offset, logprob in starts if logprob is not None), None)
    if found is None:
        raise Undefined("no token has a log-probability")
    return found


def _total(reading: Reading, start: int = 0) -> float:
    """-sum(log p) over the tokens from a code point on."""
    own = reading.likelihood
    found = [
        logprob
        for offset, logprob in zip(own.offsets, own.logprobs, strict=True)
        if logprob is not None and offset >= start
    ]
    if not found:
        raise Undefined("no token has a log-probability")
    return -math.fsum(found)


def _outside(reading: Reading) -> float:
    """The loss over the tokens outside names."""
    own = reading.likelihood
    found = [own.logprobs[at] for at in own.outside(reading.text, reading.names)]
    known = [each for each in found if each is not None]
    if not known:
        raise Undefined("no token lies outside names")
    return -math.fsum(known) / len(known)


def _lowest(values: Floats, k: float) -> float:
    """The mean of the lowest share of some values."""
    if not 0 < k <= 1:
        raise ValueError(f"k must be above 0 and at most 1, got {k}")
    count = max(1, math.floor(k * len(values) + 1e-9))
    return float(np.sort(values)[:count].mean())


def _over(own: float, other: float, what: str) -> float:
    if other <= 0:
        raise Undefined(f"{what} has a loss of 0")
    return own / other
