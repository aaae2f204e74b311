"""BERT over sentences laid end to end, with no padding, for the CPU.

What a token goes through alone (the products, the GELU, the norms) is done for all tokens of a
batch together; only attention needs to know where a sentence ends, and is done for each run of
sentences of one length. It computes what `transformers.BertModel` computes, up to rounding.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional
from transformers import BertModel, PreTrainedModel

from embedder.encoders.packed import Packed, available
from embedder.encoders.padded import Ids

_TOLERANCE: Final = 1e-3  # of the largest number; rounding stays under a hundredth of it


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: Tensor
    bias: Tensor
    eps: float

    def __call__(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, x.shape[1:], self.weight, self.bias, self.eps)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    qkv: Packed
    joined: Packed
    attention_norm: _Norm
    up: Packed
    down: Packed
    norm: _Norm


@dataclass(frozen=True, slots=True)
class _Run:
    """Sentences of one length that follow each other."""

    first_token: int
    rows: int
    length: int

    @property
    def tokens(self) -> slice:
        return slice(self.first_token, self.first_token + self.rows * self.length)


class PackedBert:
    """The forward pass of a BERT in float32 on the CPU."""

    def __init__(self, model: BertModel) -> None:
        """Take a model's weights over; `model` is left as it is."""
        weights = _Weights(model.state_dict(), model.config.layer_norm_eps)
        self._heads: int = model.config.num_attention_heads
        self._words = weights.all["embeddings.word_embeddings.weight"]
        # All tokens are of the first of BERT's two kinds.
        kind = weights.all["embeddings.token_type_embeddings.weight"][0]
        self._places = weights.all["embeddings.position_embeddings.weight"] + kind
        self._norm = weights.norm("embeddings.LayerNorm")
        layers = range(model.config.num_hidden_layers)
        self._layers = [weights.layer(f"encoder.layer.{layer}") for layer in layers]

    def pooled(self, ids: Sequence[Ids], pooling: str) -> Tensor:
        """One vector a sentence, shape (sentences, dim).

        Args:
            ids: Token ids of each sentence; quickest where those of one length stand together.
            pooling: `mean`, `cls` or `lasttoken`.
        """
        runs = list(_runs(ids))
        flat = torch.as_tensor(list(itertools.chain.from_iterable(ids)), dtype=torch.long)
        places = torch.cat([torch.arange(run.length).repeat(run.rows) for run in runs])
        hidden = self._norm(self._words[flat] + self._places[places])
        for layer in self._layers:
            hidden = self._through(layer, hidden, runs)
        return torch.cat([_pool(hidden[run.tokens], run, pooling) for run in runs])

    def _through(self, layer: _Layer, hidden: Tensor, runs: Sequence[_Run]) -> Tensor:
        mixed = self._attended(layer.qkv(hidden), runs)
        attended = layer.attention_norm(layer.joined.plus(mixed, hidden))
        return layer.norm(layer.down.plus(layer.up.gelu(attended), attended))

    def _attended(self, qkv: Tensor, runs: Sequence[_Run]) -> Tensor:
        dim = qkv.shape[1] // 3
        mixed = qkv.new_empty(len(qkv), dim)
        for run in runs:
            split = qkv[run.tokens].view(run.rows, run.length, 3, self._heads, -1)
            q, k, v = split.permute(2, 0, 3, 1, 4)
            heads = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2)
            mixed[run.tokens].view(run.rows, run.length, self._heads, -1).copy_(heads)
        return mixed


def packed_bert(model: PreTrainedModel) -> PackedBert | None:
    """The quick form of a model, if it is a BERT of the usual kind and both agree on a sample."""
    config = model.config
    if type(model) is not BertModel or not available():
        return None
    usual = config.hidden_act == "gelu" and not config.is_decoder
    if not usual or getattr(config, "position_embedding_type", "absolute") != "absolute":
        return None
    packed = PackedBert(model)
    spread = range(0, config.vocab_size, max(1, config.vocab_size // 6))
    sample = list(spread)[: config.max_position_embeddings]
    with torch.inference_mode():
        there = model(input_ids=torch.tensor([sample])).last_hidden_state.mean(dim=1)
        here = packed.pooled([sample], "mean")
    close = float((here - there).abs().max()) <= _TOLERANCE * float(there.abs().max())
    return packed if close else None


@dataclass(frozen=True, slots=True)
class _Weights:
    """A model's tensors by name."""

    all: Mapping[str, Tensor]
    eps: float

    def layer(self, name: str) -> _Layer:
        attention = f"{name}.attention"
        return _Layer(
            qkv=self.packed(*(f"{attention}.self.{part}" for part in ("query", "key", "value"))),
            joined=self.packed(f"{attention}.output.dense"),
            attention_norm=self.norm(f"{attention}.output.LayerNorm"),
            up=self.packed(f"{name}.intermediate.dense"),
            down=self.packed(f"{name}.output.dense"),
            norm=self.norm(f"{name}.output.LayerNorm"),
        )

    def packed(self, *names: str) -> Packed:
        weight = torch.cat([self.all[f"{name}.weight"] for name in names])
        return Packed(weight, torch.cat([self.all[f"{name}.bias"] for name in names]))

    def norm(self, name: str) -> _Norm:
        return _Norm(self.all[f"{name}.weight"], self.all[f"{name}.bias"], self.eps)


def _runs(ids: Sequence[Ids]) -> Iterator[_Run]:
    at = 0
    for length, group in itertools.groupby(map(len, ids)):
        rows = sum(1 for _ in group)
        yield _Run(at, rows, length)
        at += rows * length


def _pool(hidden: Tensor, run: _Run, pooling: str) -> Tensor:
    tokens = hidden.view(run.rows, run.length, -1)
    if pooling == "mean":
        return tokens.mean(dim=1)
    return tokens[:, 0 if pooling == "cls" else -1]
