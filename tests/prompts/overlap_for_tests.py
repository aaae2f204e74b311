"""Levenshtein's distance by its definition: the table, row by row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def table_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """The last cell of the full table."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for row in range(len(one) + 1):
        for column in range(len(other) + 1):
            if not row or not column:
                table[row][column] = row + column
                continue
            replaced = table[row - 1][column - 1] + (one[row - 1] != other[column - 1])
            table[row][column] = min(
                replaced, table[row - 1][column] + 1, table[row][column - 1] + 1
            )
    return table[-1][-1]
