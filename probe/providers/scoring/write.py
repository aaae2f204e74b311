"""Continues texts: several at once, each by its own wish and with its own chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from transformers import PreTrainedTokenizerFast

from probe.providers.scoring.batches import Ids, cut_by_length, padded
from probe.providers.scoring.network import Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A text to continue.

    Attributes:
        ids: Its tokens, at least one.
        max_tokens: Tokens to write at most (count, at least 1).
        temperature: Of the distribution; 0 takes the likeliest token.
        top_p: Probability that the tokens to draw from come to; 1 takes all.
        seed: Of the draws.
        stop: Texts that end it; it ends before the first that comes.
    """

    ids: Ids
    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written.

    Attributes:
        text: Without special tokens, and without the stop text.
        ids: All tokens written, with an end of text where one was written.
    """

    text: str
    ids: tuple[int, ...]
    finish_reason: Literal["stop", "length"]


@dataclass(slots=True)
class _Pen:
    """One text being written."""

    wish: Wish
    chance: torch.Generator
    ids: list[int] = field(default_factory=list)
    finish_reason: Literal["stop", "length"] | None = None
    text: str = ""


class Writer:
    """Continues texts with one model."""

    def __init__(
        self,
        network: Network,
        tokenizer: PreTrainedTokenizerFast,
        ends: frozenset[int],
        batch_tokens: int,
    ) -> None:
        """Ready to write.

        Args:
            network: The model, with a cache.
            tokenizer: Its tokenizer.
            ends: Tokens that end a text.
            batch_tokens: What a batch may come to, with what is still to be written (count).
        """
        self._network = network
        self._tokenizer = tokenizer
        self._ends = ends
        self._batch_tokens = batch_tokens

    def write(self, wishes: Sequence[Wish]) -> list[Written]:
        """A continuation of each text, in their order."""
        pens = [_Pen(wish, torch.Generator().manual_seed(wish.seed)) for wish in wishes]
        lengths = [len(wish.ids) + wish.max_tokens for wish in wishes]
        with torch.inference_mode():
            for batch in cut_by_length(lengths, self._batch_tokens):
                self._batch([pens[at] for at in batch])
        return [
            Written(text=pen.text, ids=tuple(pen.ids), finish_reason=pen.finish_reason or "length")
            for pen in pens
        ]

    def _batch(self, pens: list[_Pen]) -> None:
        """Write all of some texts: filled up before, so that all go on in the same place."""
        longest = max(len(pen.wish.ids) for pen in pens)
        ids = self._network.rows(padded([pen.wish.ids for pen in pens], longest, left=True))
        seen = self._network.rows(
            padded([[1] * len(pen.wish.ids) for pen in pens], longest, left=True)
        )
        positions = (seen.cumsum(-1) - 1).clamp(min=0)
        cache = self._network.new_cache()
        while True:
            more = {"attention_mask": seen, "position_ids": positions}
            states = self._network.states(ids, cache, **more)
            logits = self._network.logits(states[:, -1])
            for pen, row in zip(pens, logits, strict=True):
                self._go_on(pen, row)
            left = [at for at, pen in enumerate(pens) if pen.finish_reason is None]
            if not left:
                return
            if len(left) < len(pens):
                kept = torch.tensor(left, device=seen.device)
                cache.batch_select_indices(kept)
                seen, positions = seen[kept], positions[kept]
                pens = [pens[at] for at in left]
            ids = self._network.rows([[pen.ids[-1]] for pen in pens])
            seen = torch.cat([seen, torch.ones_like(seen[:, :1])], dim=1)
            positions = positions[:, -1:] + 1

    def _go_on(self, pen: _Pen, logits: torch.Tensor) -> None:
        wish = pen.wish
        token = drawn(logits, wish.temperature, wish.top_p, pen.chance)
        pen.ids.append(token)
        if token in self._ends:
            pen.finish_reason = "stop"
        elif len(pen.ids) >= wish.max_tokens:
            pen.finish_reason = "length"
        if wish.stop or pen.finish_reason:
            text = self._decoded(pen)
            cut = min((at for stop in wish.stop if (at := text.find(stop)) >= 0), default=None)
            pen.text = text if cut is None else text[:cut]
            pen.finish_reason = pen.finish_reason if cut is None else "stop"

    def _decoded(self, pen: _Pen) -> str:
        """What was written, as it stands behind the text: some tokenizers drop a leading space."""
        ids = pen.ids[:-1] if pen.ids[-1] in self._ends else pen.ids
        before = self._words(list(pen.wish.ids))
        whole = self._words([*pen.wish.ids, *ids])
        return whole[len(before) :] if whole.startswith(before) else self._words(ids)

    def _words(self, ids: list[int]) -> str:
        return str(
            self._tokenizer.decode(
                ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )


def drawn(logits: torch.Tensor, temperature: float, top_p: float, chance: torch.Generator) -> int:
    """The next token: the likeliest, or one drawn.

    Args:
        logits: Shape (vocabulary,).
        temperature: 0 takes the likeliest.
        top_p: The likeliest tokens that together reach it are drawn from.
        chance: Moves on by one draw.
    """
    if temperature == 0:
        return int(logits.argmax())
    chances = torch.softmax(logits / temperature, dim=-1).cpu()
    if top_p < 1:
        likeliest, order = chances.sort(descending=True)
        before = likeliest.cumsum(-1) - likeliest
        chances[order[before >= top_p]] = 0
    return int(torch.multinomial(chances, 1, generator=chance))
