"""Batches by token budget, longest first, and the way back to the caller's order.

A batch is as wide as its longest text, so texts of like length go together and little is padding.
Longest first means that memory runs out at the start, if it does, and not after hours.
Pure: lengths in, indices out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def batches(lengths: Sequence[int], *, budget_tokens: int) -> list[list[int]]:
    """Indices of the texts of each batch, longest text first, equal ones in the order given.

    Args:
        lengths: Tokens of each text (count, not negative).
        budget_tokens: What width times rows of a batch may come to, padding included (at least 1).
            A text longer than that makes a batch of its own.

    Raises:
        ValueError: The budget is under 1.
    """
    if budget_tokens < 1:
        raise ValueError(f"budget_tokens must be at least 1, got {budget_tokens}")
    ordered = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    return list(_cut(ordered, lengths, budget_tokens))


def _cut(ordered: list[int], lengths: Sequence[int], budget_tokens: int) -> Iterator[list[int]]:
    at = 0
    while at < len(ordered):
        width = max(1, lengths[ordered[at]])
        rows = max(1, budget_tokens // width)
        yield ordered[at : at + rows]
        at += rows


def in_order(cut: Sequence[Sequence[int]], results: Sequence[Sequence[T]]) -> list[T]:
    """The results of batches in the order of the texts they are for.

    Args:
        cut: As `batches` returned them.
        results: For each batch, one result for each of its texts.

    Raises:
        ValueError: A batch has no result for each of its texts.
    """
    found: dict[int, T] = {}
    for indices, batch in zip(cut, results, strict=True):
        found.update(zip(indices, batch, strict=True))
    return [found[index] for index in range(len(found))]
