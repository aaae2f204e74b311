"""How likely a model finds a text, token by token: what a likelihood probe reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Place: TypeAlias = tuple[int, int]
"""A stretch of a text: its first code point, and one past its last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """The tokens of a text under one model, in order; every list that is not empty has one of each.

    Attributes:
        offsets: First code point of each token in the text; tokens that share a code point, as
            parts of one character do, share its offset.
        logprobs: Natural logarithm of each token's probability given all before it, at temperature
            1; None where it is not known, as for a first token that nothing stands before.
        token_ids: In the model's vocabulary; empty where the endpoint does not tell.
        ranks: Tokens at least as likely in this place, itself included, so 1 for the likeliest
            (count); empty where the endpoint does not tell.
        means: Mean log-probability of a token drawn from the model's own distribution in this
            place, which is less its entropy (nats); empty where the distribution is not told.
        variances: Variance of the same (nats squared).
        exact: Whether means and variances are over the whole vocabulary, or over its likeliest
            tokens alone.
    """

    offsets: tuple[int, ...]
    logprobs: tuple[float | None, ...]
    token_ids: tuple[int, ...] = ()
    ranks: tuple[int | None, ...] = ()
    means: tuple[float | None, ...] = ()
    variances: tuple[float | None, ...] = ()
    exact: bool = True

    def __len__(self) -> int:
        """Tokens (count)."""
        return len(self.offsets)

    def places(self, text: str) -> list[Place]:
        """Where each token stands in its text."""
        return list(zip(self.offsets, (*self.offsets[1:], len(text)), strict=True))

    def outside(self, text: str, stretches: Sequence[Place]) -> list[int]:
        """The tokens that have a log-probability and share no code point with some stretches.

        Args:
            text: What the likelihood is of.
            stretches: In any order, such as where names stand.

        Returns:
            Their numbers, from 0.
        """
        return [
            at
            for at, (start, end) in enumerate(self.places(text))
            if self.logprobs[at] is not None
            and not any(start < last and first < max(end, start + 1) for first, last in stretches)
        ]
