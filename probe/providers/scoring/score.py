"""Scores texts with a causal language model: batches by length, shared beginnings once.

Texts are filled up behind, where no token can see it, so a text's numbers do not depend on the
others in its batch but for rounding. The vocabulary is worked through some places at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import torch

from probe.providers.scoring.batches import LEAST_SHARED, Group, Ids, padded, plan
from probe.providers.scoring.errors import NotFinite
from probe.providers.scoring.network import Cache, Network, repeated
from probe.providers.scoring.places import Places, at_once, read_places

_NEVER: Final = 1 << 30


class Scorer:
    """Says how likely one model finds texts."""

    def __init__(self, network: Network, batch_tokens: int, least: int = LEAST_SHARED) -> None:
        """Ready to score.

        Args:
            network: The model.
            batch_tokens: What a batch may come to, filled up (count).
            least: Tokens that a beginning must have to be shared (count, at least 1).
        """
        self._network = network
        self._batch_tokens = batch_tokens
        self._least = least if network.has_cache else _NEVER

    def score(self, texts: Sequence[Ids]) -> list[Places]:
        """What the model says of every token of some texts; of a first one, nothing.

        Args:
            texts: Token ids, none of them empty.

        Raises:
            NotFinite: The model gives no numbers.
        """
        scored = [Places.unknown(len(text)) for text in texts]
        with torch.inference_mode():
            for group in plan(texts, self._batch_tokens, self._least):
                self._group(group, texts, scored)
        unknown = sum(int((~np.isfinite(each.logprobs[1:])).sum()) for each in scored)
        if unknown:
            raise NotFinite(unknown)
        return scored

    def _group(self, group: Group, texts: Sequence[Ids], scored: list[Places]) -> None:
        cache = None
        if group.shared:
            cache = self._beginning(group, texts, scored)
        for batch in group.batches:
            # One that ends with the beginning is done: its last token was read from there.
            left = [at for at in batch if len(texts[at]) > group.shared + 1]
            if left:
                ends = [texts[at][group.shared :] for at in left]
                own = repeated(cache, len(left)) if cache is not None else None
                for at, known in zip(left, self._ends(ends, own), strict=True):
                    scored[at].put(slice(group.shared + 1, None), known.part(slice(1, None)))

    def _beginning(self, group: Group, texts: Sequence[Ids], scored: list[Places]) -> Cache:
        """Score the shared beginning and the token behind it, which is shared as well."""
        some = texts[group.batches[0][0]][: group.shared + 1]
        cache = self._network.new_cache()
        states = self._network.states(self._network.rows([some[:-1]]), cache)
        known = Places.unknown(len(some))
        self._read(states[0], some, known)
        for batch in group.batches:
            for at in batch:
                scored[at].put(slice(1, len(some)), known.part(slice(1, None)))
        return cache

    def _ends(self, ends: Sequence[Ids], cache: Cache | None) -> list[Places]:
        # The last token is not run: nothing is asked of what follows it.
        run = [end[:-1] for end in ends]
        rows = padded(run, max(len(each) for each in run))
        states = self._network.states(self._network.rows(rows), cache)
        places = [Places.unknown(len(end)) for end in ends]
        for row, (end, known) in enumerate(zip(ends, places, strict=True)):
            self._read(states[row], end, known)
        return places

    def _read(self, states: torch.Tensor, text: Ids, places: Places) -> None:
        """Read what stands behind each token but the last, into the place of the next."""
        for first, last in _stretches(len(text), at_once(self._network.vocabulary)):
            logits = self._network.logits(states[first - 1 : last - 1])
            targets = torch.tensor(text[first:last], device=logits.device)
            places.put(slice(first, last), read_places(logits, targets))


def _stretches(tokens: int, most: int) -> Iterator[tuple[int, int]]:
    """The places from 1 on, some at a time: the first, and one past the last."""
    for first in range(1, tokens, most):
        yield first, min(first + most, tokens)
