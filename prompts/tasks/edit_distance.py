"""Levenshtein's distance between two sequences: letters of texts, or words, or tokens.

Source of the algorithm: Myers (1999), A fast bit-vector algorithm for approximate string matching,
in the form that Hyyrö (2003) gives for whole sequences. A column of the table is two whole numbers,
of which bit i says whether row i+1 is one more, or one less, than row i. Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def edit_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """The least number of insertions, deletions and replacements from one to the other (count)."""
    if not one:
        return len(other)
    at: dict[Hashable, int] = {}
    for row, element in enumerate(one):
        at[element] = at.get(element, 0) | 1 << row
    every = (1 << len(one)) - 1
    more, less, distance = every, 0, len(one)
    for element in other:
        same = at.get(element, 0)
        level = same | less
        across = (((same & more) + more) ^ more) | same
        more_across = (less | ~(across | more)) & every
        less_across = more & across
        distance += (more_across >> len(one) - 1) - (less_across >> len(one) - 1)
        # The first row counts the elements of the other sequence: one more with each.
        more_across = more_across << 1 | 1
        less_across <<= 1
        more = (less_across | ~(level | more_across)) & every
        less = more_across & level & every
    return distance


def distance_share(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """The distance over the length of the longer, in [0, 1]; 0 for two that are empty."""
    return edit_distance(one, other) / max(len(one), len(other), 1)
