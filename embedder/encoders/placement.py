"""Where a model computes, and in which numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch

from embedder.errors import BadSetting

_DTYPES: Final = {
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float32": torch.float32,
}
_CPU_BUDGET_TOKENS: Final = 1_024  # of each core's batch; what a layer makes of it stays near
_GPU_BUDGET_TOKENS: Final = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A device, and the numbers a model's layers compute in there."""

    device: torch.device
    dtype: torch.dtype

    @property
    def dtype_name(self) -> str:
        """Such as `bfloat16`."""
        return str(self.dtype).removeprefix("torch.")

    @property
    def exact_on_cpu(self) -> bool:
        """Whether it is the CPU's float32, which has a faster way to multiply."""
        return self.device.type == "cpu" and self.dtype_name == "float32"

    def budget_tokens(self, asked: int | None) -> int:
        """Tokens of a batch, padding included: what was asked for, or what suits the device."""
        if asked is not None:
            if asked < 1:
                raise BadSetting("batch tokens", f"{asked}", "ask for at least 1")
            return asked
        return _CPU_BUDGET_TOKENS if self.device.type == "cpu" else _GPU_BUDGET_TOKENS


def place(device: str = "auto", dtype: str = "auto") -> Placement:
    """Where and how to compute.

    Args:
        device: As torch names it, such as `cpu` or `cuda:1`; `auto` takes a GPU where there is one.
        dtype: `float32`, `bfloat16`, `float16`, or `auto`: bfloat16 on a GPU that has it, float16
            on other GPUs, float32 on the CPU.

    Raises:
        BadSetting: There is no such device or dtype.
    """
    where = _device(device)
    if dtype == "auto":
        return Placement(device=where, dtype=_best(where))
    if dtype not in _DTYPES:
        raise BadSetting("dtype", f"no {dtype!r}", f"choose auto or one of {', '.join(_DTYPES)}")
    return Placement(device=where, dtype=_DTYPES[dtype])


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    # Torch raises AssertionError where it was built without the device.
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise BadSetting("device", f"{name!r} cannot be used ({reason})", "choose cpu") from error
    return device


def _best(device: torch.device) -> torch.dtype:
    if device.type == "cpu":
        return torch.float32
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    return torch.float16
