"""What a model's distribution says in each place of a text: sums over its whole vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

_NUMBERS: Final = 1 << 23
"""Numbers of distributions held at once: places times vocabulary (count)."""
_IN_CACHE: Final = 1 << 19
"""The same where a CPU goes over them several times, which makes it four times as fast (count)."""
_FEWEST: Final = 16
_NO_CHANCE: Final = -1e4
"""Log-probability that stands for minus infinity where it is weighted by a probability of 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """What a model says of some places; all of shape (places,).

    Attributes:
        logprobs: Natural logarithm of the token's probability.
        ranks: Tokens at least as likely, itself included (count).
        means: Mean log-probability of a token drawn from the distribution (nats).
        variances: Variance of the same (nats squared).
    """

    logprobs: npt.NDArray[np.float32]
    ranks: npt.NDArray[np.int32]
    means: npt.NDArray[np.float32]
    variances: npt.NDArray[np.float32]

    @classmethod
    def unknown(cls, places: int) -> Places:
        """Places of which nothing is known yet: not a number, and rank 0."""
        return cls(
            logprobs=np.full(places, np.nan, np.float32),
            ranks=np.zeros(places, np.int32),
            means=np.full(places, np.nan, np.float32),
            variances=np.full(places, np.nan, np.float32),
        )

    def put(self, at: slice, other: Places) -> None:
        """Take over what is known of some places."""
        self.logprobs[at] = other.logprobs
        self.ranks[at] = other.ranks
        self.means[at] = other.means
        self.variances[at] = other.variances

    def part(self, at: slice) -> Places:
        """Some of the places."""
        return Places(
            logprobs=self.logprobs[at],
            ranks=self.ranks[at],
            means=self.means[at],
            variances=self.variances[at],
        )


def at_once(vocabulary: int) -> int:
    """Places whose distributions are held at once (count)."""
    return max(_FEWEST, _NUMBERS // max(1, vocabulary))


def read_places(logits: torch.Tensor, targets: torch.Tensor) -> Places:
    """What distributions say of the tokens that stand there.

    Args:
        logits: Shape (places, vocabulary), of any float type; computed on in float32.
        targets: The tokens' ids, shape (places,).
    """
    places = Places.unknown(len(targets))
    rows = max(1, _IN_CACHE // logits.shape[-1]) if logits.device.type == "cpu" else len(targets)
    for first in range(0, len(targets), rows):
        some = slice(first, first + rows)
        places.put(some, _read(logits[some], targets[some]))
    return places


def _read(logits: torch.Tensor, targets: torch.Tensor) -> Places:
    # Not `log_softmax`, whose plain sum over a large vocabulary is off by up to some 1e-5.
    logprobs = logits.float() - logits.float().amax(-1, keepdim=True)
    logprobs -= logprobs.exp().sum(-1, keepdim=True).log()
    own = logprobs.gather(-1, targets.unsqueeze(-1))
    ranks = (logprobs >= own).sum(-1)
    logprobs.clamp_(min=_NO_CHANCE)
    chances = logprobs.exp()
    means = (chances * logprobs).sum(-1)
    logprobs.sub_(means.unsqueeze(-1)).square_()
    variances = (chances * logprobs).sum(-1)
    return Places(
        logprobs=own.squeeze(-1).cpu().numpy(),
        ranks=ranks.to(torch.int32).cpu().numpy(),
        means=means.cpu().numpy(),
        variances=variances.cpu().numpy(),
    )
