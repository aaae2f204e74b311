"""Exact match and F1 of extracted answers, as for SQuAD v1.1.

Source: Rajpurkar et al. (2016), SQuAD: 100,000+ Questions for Machine Comprehension of Text,
section 6.1, and its evaluation script: lower case, no ASCII punctuation, no articles, white space
set aside; the best over the accepted answers.

v1.1 leaves open what the F1 of two answers without words is, such as "." and "the", though they
match exactly. As in the script for v2.0 it is 1, and 0 where only one of them has no words.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable
from typing import Final

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")


def normalise(text: str) -> str:
    """A text in the form that is compared; empty where it consists of punctuation and articles."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(said: str, golds: Iterable[str]) -> int:
    """1 where an answer has the words of one of those accepted, in their order; else 0.

    Raises:
        ValueError: There are no accepted answers.
    """
    return max(int(normalise(said) == normalise(gold)) for gold in golds)


def f1(said: str, golds: Iterable[str]) -> float:
    """F1 of the words an answer shares with an accepted one, in [0, 1]; the best over them.

    Raises:
        ValueError: There are no accepted answers.
    """
    return max(_token_f1(normalise(said).split(), normalise(gold).split()) for gold in golds)


def _token_f1(said: list[str], gold: list[str]) -> float:
    if not said or not gold:
        return float(said == gold)
    shared = sum((Counter(said) & Counter(gold)).values())
    return 2 * shared / (len(said) + len(gold))
