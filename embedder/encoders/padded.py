"""Token ids of several texts through a transformer at once, padded to the longest."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

Ids = Sequence[int]


def pad(ids: Sequence[Ids], *, pad_id: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Token ids and their mask, 1 for a token and 0 for padding, both of shape (rows, width)."""
    width = max(map(len, ids))
    padded = torch.full((len(ids), width), pad_id, dtype=torch.long)
    mask = torch.zeros((len(ids), width), dtype=torch.long)
    for row, each in enumerate(ids):
        padded[row, : len(each)] = torch.as_tensor(each, dtype=torch.long)
        mask[row, : len(each)] = 1
    return padded.to(device), mask.to(device)


def pool(hidden: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """One vector a row, in float32.

    Args:
        hidden: What the model makes of each token, shape (rows, width, dim).
        mask: 1 for a token and 0 for padding, which is at the end; shape (rows, width).
        pooling: `mean`, `cls` for the first token, or `lasttoken`.

    Returns:
        Shape (rows, dim).
    """
    if pooling == "cls":
        return hidden[:, 0].float()
    if pooling == "lasttoken":
        rows = torch.arange(len(hidden), device=hidden.device)
        return hidden[rows, mask.sum(dim=1) - 1].float()
    weight = mask.unsqueeze(-1).float()
    return (hidden.float() * weight).sum(dim=1) / weight.sum(dim=1)
