"""Extraction: would a model go on with a passage word for word, read in one forward pass.

Sources: Carlini et al. (2023), Quantifying Memorization Across Neural Language Models, section 3
(greedy continuation of k tokens); Hayes et al. (2024), Measuring memorization in language models
via probabilistic extraction, section 3 ((n, p)-discoverable extraction); Cooper et al. (2025),
Extracting memorized pieces of (copyrighted) books from open-weight language models, section 3
(p_z above a threshold).

A passage's tokens are parted into a prefix of k and the suffix z of the 50 after it. For each k of
10, 25, 50 and 100, where the passage is long enough,

    suffix_logprob_k       = ln p_z / 50, with ln p_z = sum over t in z of ln p(z_t | z_<t)
    greedy_50_after_k      = 1 where each token of z has rank 1, else 0
    common_prefix_after_k  = share of z before its first token of another rank

Greedy decoding takes the likeliest token in each place, so it gives z just where all of z has rank
1; a token as likely as another has a rank above 1, and so a tie counts as not given. For k = 50,

    discoverable_n{n}_p{p} = 1 where 1 - (1 - p_z)^n >= p, else 0

says whether n draws at temperature 1 give z at least once with probability p. It is decided on
logarithms, as ln p_z >= ln(1 - (1 - p)^(1/n)), since p_z is often too small for a float. The pairs
are n = 1, 100, 10,000 and 1,000,000 with p = 0.5, Hayes et al.'s curve at one p, and n = 1 with
p = 0.001, which is Cooper et al.'s threshold of p_z.

The headline is `suffix_logprob_50` (nats a token): every `discoverable` is a threshold of it, it
needs no ranks, and it tells models apart that give no passage in full, as small ones do not.

Three things make this a lower bound of what can be had: only the tokens of the text as it is
tokenised count, though others may spell the same words; the draws are from the whole distribution,
while the papers draw from the 40 likeliest tokens, which can only raise p_z where z is among them;
and the prefix is cut at a token, wherever that falls. k is in the model's own tokens, so models
with different tokenizers continue different stretches: compare works and conditions rather than
models. Names count like other words, so under replaced ones a suffix is less likely for that alone;
`passage_likelihood` leaves them out.

Access: log-probabilities of the prompt's tokens, and for `greedy` and `common_prefix` their ranks.
What is not told, or needs a longer passage, is measured over nothing, and so is undefined, not 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from prompts.likelihood import Likelihood, Place
from prompts.tasks.bare_passage import LikelihoodTask, mean_of
from prompts.tasks.base import Marked, Measure

PREFIXES: Final = (10, 25, 50, 100)
"""Tokens of a prefix (count)."""
SUFFIX: Final = 50
"""Tokens of a suffix (count)."""
DRAWN_AFTER: Final = 50
"""Tokens of the prefix for which draws are counted: the papers' (count)."""
DRAWS: Final = ((1, 0.001), (1, 0.5), (100, 0.5), (10_000, 0.5), (1_000_000, 0.5))
"""Draws (count), and the probability with which one of them at least must be the suffix."""


class Extraction(LikelihoodTask):
    """Whether a passage's 50 tokens after a prefix would be given word for word."""

    name = "extraction"
    source = "Carlini et al. (2023), Hayes et al. (2024), Cooper et al. (2025), sections 3"
    version = 1

    def measure(self, likelihood: Likelihood, text: str, names: Sequence[Place]) -> Marked:
        """The measures of each prefix; names count like any other words."""
        del text, names
        measures: list[Measure] = []
        for k in PREFIXES:
            measures += _continued(likelihood, k)
        return Marked(right=0, units=0, measures=(*measures, *_drawn(likelihood)))


def _continued(likelihood: Likelihood, k: int) -> Iterator[Measure]:
    logprobs = _suffix(likelihood.logprobs, k)
    headline = k == DRAWN_AFTER
    yield mean_of(f"suffix_logprob_{k}", logprobs or (), headline=headline)
    ranks = _suffix(likelihood.ranks, k)
    run = None if ranks is None else greedy_run(ranks)
    yield _one(f"greedy_{SUFFIX}_after_{k}", None if run is None else run == SUFFIX)
    yield _one(f"common_prefix_after_{k}", None if run is None else run / SUFFIX)


def _drawn(likelihood: Likelihood) -> Iterator[Measure]:
    logprobs = _suffix(likelihood.logprobs, DRAWN_AFTER)
    for n, p in DRAWS:
        found = None if logprobs is None else discoverable(math.fsum(logprobs), n, p)
        yield _one(f"discoverable_n{n}_p{p:g}", found)


def _suffix(values: Sequence[float | None], k: int) -> list[float] | None:
    """What is told of the suffix after k tokens; None unless all of it is there and told."""
    told = [value for value in values[k : k + SUFFIX] if value is not None]
    return told if len(told) == SUFFIX else None


def _one(metric: str, value: float | None) -> Measure:
    """A metric of one passage, over nothing where there is no value."""
    return Measure(metric=metric, num=float(value or 0), den=float(value is not None))


def greedy_run(ranks: Sequence[float]) -> int:
    """Tokens that greedy decoding gives before the first that it does not (count)."""
    return next((at for at, rank in enumerate(ranks) if rank != 1), len(ranks))


def discoverable(log_p: float, n: int, p: float) -> bool:
    """Whether n draws give a suffix at least once with probability p: 1 - (1 - p_z)^n >= p.

    Args:
        log_p: ln p_z, its log-probability in one draw (nats, at most 0).
        n: Draws (count, at least 1).
        p: Wanted probability, in (0, 1).

    Raises:
        ValueError: n or p is out of range.
    """
    return log_p >= least_logprob(n, p)


def least_logprob(n: int, p: float) -> float:
    """The least ln p_z that n draws find with probability p: ln(1 - (1 - p)^(1/n)), in nats.

    Raises:
        ValueError: n is below 1, or p is not between 0 and 1.
    """
    if n < 1 or not 0 < p < 1:
        raise ValueError(f"n = {n}, p = {p}: give at least one draw and a p between 0 and 1")
    return math.log(-math.expm1(math.log1p(-p) / n))


EXTRACTION = Extraction()
