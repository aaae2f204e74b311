"""Reads the key and response files of the CoNLL scorer's suite, and turns sums into ratios."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import pytest

from prompts.tasks.clusters import Sums

SUITE = Path(__file__).parents[2].parent / "shared" / "data" / "coval" / "tests"
Mention: TypeAlias = tuple[int, int, int]
"""Document, first token and last token, each counted from 0."""
_BRACKET = re.compile(r"(\()?(\d+)(\))?")


def suite_clusters(name: str) -> list[set[Mention]]:
    """The clusters of one file; a mention given again counts in the first cluster alone."""
    if not SUITE.exists():
        pytest.skip("needs shared/data/coval/tests beside the repository")
    found: dict[tuple[int, str], set[Mention]] = {}
    taken: set[Mention] = set()
    for _, cluster, mention in sorted(_mentions(SUITE / name)):
        if mention not in taken:
            taken.add(mention)
            found.setdefault((mention[0], cluster), set()).add(mention)
    return list(found.values())


def _mentions(path: Path) -> Iterator[tuple[Mention, str, Mention]]:
    """Where each mention opens (document, token, bracket), its cluster, and its bounds.

    In the last column `(3` opens a mention of cluster 3, `3)` closes the last one that is open, and
    `(3)` does both.
    """
    document, token = -1, 0
    opened: dict[str, list[Mention]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#begin document"):
            document, token, opened = document + 1, 0, {}
        if not line.strip() or line.startswith("#"):
            continue
        for at, bracket in enumerate(_BRACKET.finditer(line.split()[-1])):
            if bracket[1]:
                opened.setdefault(bracket[2], []).append((document, token, at))
            if bracket[3]:
                first = opened[bracket[2]].pop()
                yield first, bracket[2], (document, first[1], token)
        token += 1


def fraction(counts: str) -> Fraction | None:
    """The value of a text such as `7/18`; None for one over nothing."""
    num, den = counts.split("/")
    return Fraction(int(num), int(den)) if int(den) else None


def ratio(num: float | None, den: float | None) -> float | None:
    """A precision or recall; None where it is over nothing."""
    assert num is not None
    assert den is not None
    return num / den if den else None


def f1(sums: Iterable[Sums]) -> float:
    """The F1 of documents pooled; a precision or recall over nothing counts as 0."""
    pooled = list(sums)
    precision = ratio(sum(each.num for each in pooled), sum(each.den for each in pooled)) or 0.0
    recall = (
        ratio(sum(each.recall_num for each in pooled), sum(each.recall_den for each in pooled))
        or 0.0
    )
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
