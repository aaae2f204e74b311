"""What encoders of sentences share: each distinct text once, longest first, in batches that fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from embedder.encoders.base import Encoded, Identity, Skipped, Target
from embedder.encoders.outcome import Outcomes, by_text
from embedder.encoders.padded import Ids
from embedder.encoders.placement import Placement
from embedder.encoders.running import Runner


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenized:
    """Texts as a model takes them.

    Attributes:
        ids: Token ids of each text that fit the window.
        counts: Tokens of each text in all (count).
    """

    ids: list[Ids]
    counts: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A model, taken apart.

    Attributes:
        tokenize: Texts to tokens.
        forward: Token ids of texts to their vectors, shape (texts, dim), in float32.
        placement: Where it computes.
        budget_tokens: Width times rows of a batch.
    """

    tokenize: Callable[[Sequence[str]], Tokenized]
    forward: Callable[[Sequence[Ids]], Tensor]
    placement: Placement
    budget_tokens: int


class SentenceEncoder:
    """Encodes sentences with one model."""

    def __init__(self, identity: Identity, parts: Parts) -> None:
        """Take what stands for the vectors, and what makes them."""
        self.identity = identity
        self._parts: Parts | None = parts
        self._runner = Runner(identity.model, parts.placement, parts.budget_tokens)

    def encode(
        self, targets: Sequence[Target], skipped: Callable[[Skipped], None] | None = None
    ) -> Iterator[list[Encoded]]:
        """Yield finished batches; see `Encoder`."""
        parts = self._open()
        outcomes = Outcomes(self.identity.dtype, skipped)
        groups = list(by_text(outcomes.sentences(targets)).values())
        told = parts.tokenize([group[0].text for group in groups])
        lengths = [len(each) for each in told.ids]

        def run(rows: Sequence[int]) -> Tensor:
            return parts.forward([told.ids[row] for row in rows]).cpu()

        for done in self._runner.run(run, lengths):
            batch = outcomes.vectors(
                (target, _encoded(target, vector, told.counts[row], lengths[row]))
                for rows, vectors in done
                for row, vector in zip(rows, vectors, strict=True)
                for target in groups[row]
            )
            if batch:
                yield batch

    def close(self) -> None:
        """Let go of the model."""
        if self._parts is not None and self._parts.placement.device.type == "cuda":
            self._parts = None
            torch.cuda.empty_cache()
        self._parts = None

    def _open(self) -> Parts:
        if self._parts is None:
            raise ValueError("the encoder is closed")
        return self._parts


def _encoded(target: Target, vector: Tensor, tokens: int, seen: int) -> Encoded:
    return Encoded(
        target_id=target.target_id, vector=vector.numpy(), tokens=tokens, left_out=tokens - seen
    )
