"""How much of a text stands word for word in another.

ROUGE-L (Lin, 2004) is computed by the package `rouge-score`: the F-measure, in [0, 1], of the
longest run of stemmed words common to both in order, each text taken as one sequence. Words are
runs of a-z and 0-9 there, so texts in other scripts share nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer


def common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    """Elements that both begin with (count)."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def rouge_l(said: str, true: str) -> float:
    """ROUGE-L's F-measure of what is said against the true text, in [0, 1]."""
    return float(scorer(("rougeL",)).score(true, said)["rougeL"].fmeasure)


@lru_cache
def scorer(metrics: tuple[str, ...]) -> RougeScorer:
    """What computes these ROUGE metrics, of stemmed words."""
    # It brings nltk, which takes seconds to load.
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415

    return RougeScorer(list(metrics), use_stemmer=True)
