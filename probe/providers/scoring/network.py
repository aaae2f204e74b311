"""A causal language model as scoring and writing use it: last states, logits, and a cache.

How a model is built is found out by trying it on a few tokens, not by its name: whether logits are
the output layer's work alone, and whether a text in two parts gives what it gives whole.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import torch
from transformers import DynamicCache

from probe.providers.scoring.weights import Loaded

_NEAR: Final = 1e-3
"""How far a check may be off, in units of the largest number: far more than rounding."""
_CHECK_TOKENS: Final = 12
_NO_LIMIT: Final = 1 << 30
_CACHE_NAMES: Final = ("cache", "past_key_values")
"""What transformers calls the cache among a model's arguments, the newer name first."""
Cache: TypeAlias = Any
"""Transformers' own; it grows by what goes through the model with it."""


class Network:
    """One model in its place."""

    def __init__(self, loaded: Loaded) -> None:
        """Find out how the model is built."""
        self._model: Any = loaded.model
        self._body: Any = self._model.base_model
        self._head: Callable[[torch.Tensor], torch.Tensor] | None
        self._head = self._model.get_output_embeddings()
        taken = inspect.signature(self._model.forward).parameters
        self._cache_name = next((name for name in _CACHE_NAMES if name in taken), None)
        config = self._model.config.get_text_config()
        self.vocabulary: int = config.vocab_size
        self.entries = int(self._model.get_input_embeddings().weight.shape[0])
        self.positions: int = getattr(config, "max_position_embeddings", None) or _NO_LIMIT
        with torch.inference_mode():
            if not self._is_split():
                self._head = None
            self.has_cache = self._bears_a_cache()
        """Whether the cache gives what the model gives without, also for several texts at once."""

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        device: torch.device = self._model.device
        return device

    def rows(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """Token ids in the model's place, shape (texts, tokens)."""
        return torch.tensor(rows, dtype=torch.long, device=self.device)

    def new_cache(self) -> Cache:
        """An empty cache."""
        return DynamicCache(config=self._model.config)

    def states(self, ids: torch.Tensor, cache: Cache | None = None, **more: torch.Tensor) -> Any:  # noqa: ANN401 - a tensor, from an untyped package
        """What `logits` takes, for every token; shape (texts, tokens, n).

        Args:
            ids: Shape (texts, tokens), behind what the cache holds.
            cache: Grows by the tokens.
            more: `attention_mask` or `position_ids`, where they are not the plain ones.
        """
        asked: dict[str, Any] = {"input_ids": ids, "use_cache": cache is not None, **more}
        if cache is not None and self._cache_name is not None:
            asked[self._cache_name] = cache
        if self._head is None:
            return self._model(**asked).logits
        return self._body(**asked).last_hidden_state

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Of some states, the logits: shape (…, vocabulary), float32."""
        return (states if self._head is None else self._head(states)).float()

    def _sample(self) -> torch.Tensor:
        return self.rows([[(7 * at + 1) % self.vocabulary for at in range(_CHECK_TOKENS)]])

    def _is_split(self) -> bool:
        if self._head is None or self._body is self._model:
            return False
        ids = self._sample()
        out = self._body(input_ids=ids, use_cache=False)
        if not hasattr(out, "last_hidden_state"):
            return False
        logits = self._model(input_ids=ids, use_cache=False).logits
        return _near(self._head(out.last_hidden_state), logits)

    def _bears_a_cache(self) -> bool:
        if self._cache_name is None:
            return False
        ids, half = self._sample(), _CHECK_TOKENS // 2
        cache = self.new_cache()
        first = self.states(ids[:, :half], cache)
        second = self.states(ids[:, half:].expand(2, -1), repeated(cache, 2))
        return _near(torch.cat([first, second[1:]], dim=1), self.states(ids))


def repeated(cache: Cache, times: int) -> Cache:
    """A cache of one text for several with the same beginning; the first stays as it is."""
    own = copy.deepcopy(cache)
    own.batch_repeat_interleave(times)
    return own


def _near(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape:
        return False
    furthest, scale = float((one - other).abs().max()), float(other.abs().max())
    return furthest <= _NEAR * max(scale, 1e-6)
