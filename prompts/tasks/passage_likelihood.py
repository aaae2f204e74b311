"""Passage likelihood: how likely a model finds a passage, token by token, beside its names.

Source: the measure is ours; replacing names is the memorization paper's (section 5.1), and this is
its question without a threshold. Who remembers a passage finds its words more likely under the
names it was read with than under others, also the words that are no names.

Let z be the tokens of a passage, and O those of them that share no code point with a name and have
a log-probability (the first has none where nothing stands before it). Then

    logprob     = 1/|O| sum over t in O of ln p(z_t | z_<t)       nats a token, at most 0; headline
    logprob_all = the same over all tokens that have one, those of the names too
    rank1       = share of O whose token is the likeliest in its place
    entropy     = 1/|O| sum over t in O of -sum over v of p(v | z_<t) ln p(v | z_<t)       nats

O holds the same words under every name strategy, so that `logprob` of the passage under its own
names less that under replaced ones is paired word for word; where a word's tokens depend on what
stands before it, all but a few are the same. New names also make what follows them less likely to
models that remember nothing, as rare names do: a little-known passage under the same strategies is
the reference.

Access: log-probabilities of the prompt's tokens; for `rank1` their ranks, for `entropy` the whole
distribution in each place. What an endpoint does not tell is measured over no tokens, and so is
undefined rather than 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from prompts.likelihood import Likelihood, Place
from prompts.tasks.bare_passage import LikelihoodTask, mean_of, values_at
from prompts.tasks.base import Marked

METRICS: Final = ("logprob", "logprob_all", "rank1", "entropy")
"""The first is the headline."""


class PassageLikelihood(LikelihoodTask):
    """How likely the words of a passage are, those of its names left out."""

    name = "passage_likelihood"
    source = "ours, after the memorization paper, section 5.1"
    version = 1

    def measure(self, likelihood: Likelihood, text: str, names: Sequence[Place]) -> Marked:
        """Sums over tokens, so that passages pool to means over tokens."""
        outside = likelihood.outside(text, names)
        every = likelihood.outside(text, ())
        ranks = [None if rank is None else float(rank == 1) for rank in likelihood.ranks]
        # Over the likeliest tokens alone a mean is no entropy.
        means = likelihood.means if likelihood.exact else ()
        measures = (
            mean_of("logprob", values_at(likelihood.logprobs, outside), headline=True),
            mean_of("logprob_all", values_at(likelihood.logprobs, every)),
            mean_of("rank1", values_at(ranks, outside)),
            mean_of("entropy", [-mean for mean in values_at(means, outside)]),
        )
        return Marked(right=0, units=0, measures=measures)


PASSAGE_LIKELIHOOD = PassageLikelihood()
