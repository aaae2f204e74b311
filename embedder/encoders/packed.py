"""Matrix products in float32 on the CPU by oneDNN, with weights in the layout it computes in.

Torch sends float32 products to MKL, which makes less of some processors than oneDNN does; oneDNN's
are of the same accuracy. The operators are the ones torch's own compiler emits. They are no
promised interface, so they are tried against the promised one before they are used, and where they
are missing or differ nothing changes but the speed.
"""

from __future__ import annotations

import functools
import platform
from typing import Final

import torch
from torch import Tensor, nn

_ROWS: Final = 2_048  # what the layout is chosen for; other numbers of rows work as well
_TOLERANCE: Final = 1e-4


class Packed:
    """A linear layer whose weight lies in oneDNN's layout."""

    __slots__ = ("_add", "_bias", "_run", "weight")

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        operators = torch.ops.mkldnn
        self.weight = operators._reorder_linear_weight(weight.detach().contiguous(), _ROWS)  # noqa: SLF001
        self._bias = None if bias is None else bias.detach().contiguous()
        self._run = operators._linear_pointwise  # noqa: SLF001 - see the module's docstring
        self._add = operators._linear_pointwise.binary  # noqa: SLF001

    def __call__(self, x: Tensor) -> Tensor:
        """The layer's product with shape (..., in), of shape (..., out)."""
        y: Tensor = self._run(x, self.weight, self._bias, "none", [], "")
        return y

    def gelu(self, x: Tensor) -> Tensor:
        """The same, through the exact GELU."""
        y: Tensor = self._run(x, self.weight, self._bias, "gelu", [], "none")
        return y

    def plus(self, x: Tensor, other: Tensor) -> Tensor:
        """The same, plus `other` of the result's shape."""
        y: Tensor = self._add(x, other, self.weight, self._bias, "add")
        return y


def pack(model: nn.Module) -> None:
    """Have the linear layers of a float32 model on the CPU computed by oneDNN, if that works."""
    if not available():
        return
    for module in model.modules():
        if type(module) is nn.Linear:
            packed = Packed(module.weight, module.bias)
            # Models look at the weight's dtype, so it stays; the plain copy is let go.
            module.weight = nn.Parameter(packed.weight, requires_grad=False)
            # In place of the class's method, for this layer alone.
            module.__dict__["forward"] = packed


@functools.cache
def available() -> bool:
    """Whether the operators are here and agree with torch's promised ones."""
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return False
    generator = torch.Generator().manual_seed(0)
    x, weight = (torch.randn(17, 64, generator=generator) for _ in range(2))
    bias = torch.randn(17, generator=generator)
    with torch.inference_mode():
        product = nn.functional.linear(x, weight, bias)
        try:
            packed = Packed(weight, bias)
            pairs = [
                (packed(x), product),
                (packed.gelu(x), nn.functional.gelu(product)),
                (packed.plus(x, product), 2 * product),
            ]
        except (AttributeError, RuntimeError, NotImplementedError, TypeError):
            return False
        return all(torch.allclose(a, b, atol=_TOLERANCE) for a, b in pairs)
