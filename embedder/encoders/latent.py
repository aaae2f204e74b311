"""The latent attention that NV-Embed pools with (Lee et al. 2024, arXiv 2405.17428, section 3.2).

Each token asks a set of trained vectors, the latents, and goes through a gated layer; the mean over
the tokens is the sentence's vector. The latents do not depend on the text, so what they say is
computed once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from torch import Tensor
from torch.nn import functional

_ATTENTION: Final = "cross_attend_blocks.0"
_FEED: Final = "cross_attend_blocks.1"

NAMES: Final = frozenset(
    {
        "latents",
        *(f"{_ATTENTION}.fn.{part}.weight" for part in ("to_q", "to_kv", "to_out")),
        *(f"{_FEED}.fn.net.{part}.{kind}" for part in (0, 2) for kind in ("weight", "bias")),
        *(
            f"{block}.{norm}.{kind}"
            for block, norm in (
                (_ATTENTION, "norm"),
                (_ATTENTION, "norm_context"),
                (_FEED, "norm"),
            )
            for kind in ("weight", "bias")
        ),
    }
)
"""The published names of its weights, without the model's prefix."""


class LatentAttention:
    """Pools what a model makes of tokens to one vector a text."""

    def __init__(self, weights: Mapping[str, Tensor], *, heads: int) -> None:
        """Take weights over.

        Args:
            weights: By their published names (`NAMES`), in one dtype on one device.
            heads: How many heads the attention has (count).
        """
        self._weights = {
            name: weight
            for name, weight in weights.items()
            if name not in {"latents", f"{_ATTENTION}.fn.to_kv.weight"}
        }
        self._heads = heads
        latents = _normed(weights, f"{_ATTENTION}.norm_context", weights["latents"])
        both = functional.linear(latents, weights[f"{_ATTENTION}.fn.to_kv.weight"])
        keys, values = both.chunk(2, dim=-1)
        self._keys, self._values = self._split(keys), self._split(values)

    def pooled(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """One vector a text, in float32, not scaled; shape (texts, dim).

        Args:
            hidden: What the model makes of each token, shape (texts, width, dim).
            mask: 1 for the tokens that count, 0 for padding and an instruction's; each text has
                one that counts. Shape (texts, width).
        """
        attended = self._attended(hidden) + hidden
        fed = self._fed(attended) + attended
        weight = mask.unsqueeze(-1).float()
        return (fed.float() * weight).sum(dim=1) / weight.sum(dim=1)

    def _attended(self, hidden: Tensor) -> Tensor:
        asked = _normed(self._weights, f"{_ATTENTION}.norm", hidden)
        queries = self._split(functional.linear(asked, self._of(f"{_ATTENTION}.fn.to_q.weight")))
        shape = (len(hidden), *self._keys.shape)
        heads = functional.scaled_dot_product_attention(
            queries, self._keys.expand(shape), self._values.expand(shape)
        )
        together = heads.transpose(1, 2).flatten(2)
        return functional.linear(together, self._of(f"{_ATTENTION}.fn.to_out.weight"))

    def _fed(self, x: Tensor) -> Tensor:
        wide = functional.linear(
            _normed(self._weights, f"{_FEED}.norm", x),
            self._of(f"{_FEED}.fn.net.0.weight"),
            self._of(f"{_FEED}.fn.net.0.bias"),
        )
        content, gate = wide.chunk(2, dim=-1)
        return functional.linear(
            content * functional.gelu(gate),
            self._of(f"{_FEED}.fn.net.2.weight"),
            self._of(f"{_FEED}.fn.net.2.bias"),
        )

    def _split(self, x: Tensor) -> Tensor:
        """From shape (..., length, heads x head) to (..., heads, length, head)."""
        return x.view(*x.shape[:-1], self._heads, -1).transpose(-3, -2)

    def _of(self, name: str) -> Tensor:
        return self._weights[name]


def _normed(weights: Mapping[str, Tensor], name: str, x: Tensor) -> Tensor:
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    return functional.layer_norm(x, x.shape[-1:], weight, bias)
