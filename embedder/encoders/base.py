"""What goes into an encoder and what comes out of it.

Nothing here needs torch, so whoever stores vectors can speak of encoders without loading one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What gets one vector: a sentence, or a word in its context.

    Attributes:
        target_id: The caller's name for it; results carry it back.
        text: The sentence, or the context that the word stands in.
        start: Where the word begins in `text` (characters, from 0); None for a whole sentence.
        end: Where it ends there (characters, exclusive); None for a whole sentence.
    """

    target_id: str
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """The vector of a target.

    Attributes:
        vector: Shape (dim,), finite.
        tokens: Of the text, special ones and an instruction included (count); as the server counts
            them where one encodes.
        left_out: Of those, how many the model did not see because they lie beyond its window.
        pieces: Sub-word pieces the vector is the mean of, for a word; 0 for a sentence.
    """

    target_id: str
    vector: Vector
    tokens: int
    left_out: int
    pieces: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A target that cannot have a vector from this encoder, and why."""

    target_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Everything that changes a vector, and nothing else: where the model lies does not.

    Attributes:
        encoder: The encoder's name, as the user gives it.
        unit: What it encodes.
        model: The model's name.
        revision: The commit of a model of the hub, the sha256 over the files of a local one; of a
            served one, the server's address, for what it serves is not ours to know.
        pooling: How one vector is made of the tokens', and whether it is scaled to length 1.
        dtype: What the model computes in.
        max_tokens: The window, special tokens included; None where there is none or the server
            has its own.
        instruction: What is put before each text.
        dim: Numbers in a vector (count).
        form: Goes up when the encoder's code changes what comes out.
    """

    encoder: str
    unit: Literal["sentence", "word"]
    model: str
    revision: str
    pooling: str
    dtype: str
    max_tokens: int | None
    instruction: str | None
    dim: int
    form: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How an encoder is to work; what is None is the encoder's own choice.

    Attributes:
        device: As torch names it, such as `cpu` or `cuda:1`; `auto` takes a GPU where there is one.
        dtype: `float32`, `bfloat16`, `float16` or `auto`: bfloat16 on a GPU that has it, float16 on
            other GPUs, float32 on the CPU.
        pooling: Of words, `own` or `published`.
        max_tokens: The window, special tokens included; no wider than the model's.
        instruction: What is put before each text; the empty text for nothing.
        batch_tokens: Width times rows of a batch, padding included. It does not change vectors.
        api_key_env: The environment variable that holds a server's key; its name, never the key.
    """

    device: str = "auto"
    dtype: str = "auto"
    pooling: str | None = None
    max_tokens: int | None = None
    instruction: str | None = None
    batch_tokens: int | None = None
    api_key_env: str | None = None


class Encoder(Protocol):
    """Turns targets into vectors."""

    @property
    def identity(self) -> Identity:
        """What stands for the vectors' origin."""
        ...

    def encode(
        self, targets: Sequence[Target], skipped: Callable[[Skipped], None] | None = None
    ) -> Iterator[list[Encoded]]:
        """Yield finished batches, none empty, so that a kill loses only what is in hand.

        Longest texts come first; every target comes once, in no promised order: its id says which
        it is. A target's vector does not depend on what else is asked for, up to rounding.

        Args:
            targets: What to encode. Equal texts go through the model once.
            skipped: Told of each target that cannot be encoded, in place of a vector.

        Raises:
            CannotEncode: A target cannot be encoded and `skipped` is None.
            OutOfMemory: There is not enough memory for even one text.
            EndpointError: A server does not answer as it should.
        """
        ...

    def close(self) -> None:
        """Let go of the model and its memory. Closing twice does no harm."""
        ...
