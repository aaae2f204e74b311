"""Which texts go through a model together, and which share the work on a beginning. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

LEAST_SHARED: Final = 32
"""Tokens that texts must have in common for it to be worth a pass of its own (count)."""
_KEPT_AS: Final = 8
Ids: TypeAlias = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Texts with the same beginning.

    Attributes:
        shared: Tokens of the beginning that go through the model once for all (count); 0: none.
            Every text has at least one more.
        batches: The texts' numbers, batch by batch.
    """

    shared: int
    batches: tuple[tuple[int, ...], ...]


def plan(texts: Sequence[Ids], budget_tokens: int, least: int = LEAST_SHARED) -> list[Group]:
    """Every text in one batch.

    Args:
        texts: Token ids, none of them empty.
        budget_tokens: What a batch may come to, filled up to its longest text (count); one text
            alone may be longer. An eighth of the beginning counts for each text that shares it:
            it takes memory, and no work.
        least: Tokens that a beginning must have to be shared (count, at least 1).

    Returns:
        Groups that share a beginning, then one with all other texts, the longest first.
    """
    groups: list[Group] = []
    alone: list[int] = []
    for members, shared in _families(texts, least):
        if shared:
            groups.append(_group(texts, members, shared, budget_tokens))
        else:
            alone.extend(members)
    if alone:
        groups.append(_group(texts, alone, 0, budget_tokens))
    return groups


def _group(texts: Sequence[Ids], members: Sequence[int], shared: int, budget_tokens: int) -> Group:
    kept = shared // _KEPT_AS
    cut = cut_by_length([len(texts[at]) - shared + kept for at in members], budget_tokens)
    batches = tuple(tuple(members[at] for at in batch) for batch in cut)
    return Group(shared=shared, batches=batches)


def padded(texts: Sequence[Ids], longest: int, *, left: bool = False) -> list[list[int]]:
    """Texts filled up with 0 to one length, behind or before."""
    fill = [[0] * (longest - len(text)) for text in texts]
    pairs = zip(texts, fill, strict=True)
    return [[*more, *text] if left else [*text, *more] for text, more in pairs]


def cut_by_length(lengths: Sequence[int], budget_tokens: int) -> list[tuple[int, ...]]:
    """Batches of texts of similar length, the longest first, each within a budget when filled up.

    Args:
        lengths: Of each text (tokens).
        budget_tokens: What a batch may come to (count); one text alone may be longer.
    """
    order = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    cut: list[list[int]] = []
    for at in order:
        if cut and (len(cut[-1]) + 1) * lengths[cut[-1][0]] <= budget_tokens:
            cut[-1].append(at)
        else:
            cut.append([at])
    return [tuple(batch) for batch in cut]


def _families(texts: Sequence[Ids], least: int) -> Iterator[tuple[list[int], int]]:
    """Texts that share a beginning, and how much of it (tokens); 0 for one that shares none.

    In the order of their tokens, each text joins the family before it where that saves work.
    """
    order = sorted(range(len(texts)), key=lambda at: (list(texts[at]), at))
    family: list[int] = []
    common = 0  # tokens that all of the family have in common
    for at in order:
        if family:
            both = min(common, _common(texts[family[-1]], texts[at]))
            if both - 1 >= least and (len(family) - 1) * (common - both) < both:
                family.append(at)
                common = both
                continue
            yield family, common - 1 if len(family) > 1 else 0
        family, common = [at], len(texts[at])
    if family:
        yield family, common - 1 if len(family) > 1 else 0


def _common(one: Ids, other: Ids) -> int:
    """Tokens that two texts begin with alike (count)."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
