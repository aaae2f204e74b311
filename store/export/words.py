"""What stands in the place of text that may not be shared, and which texts may stay.

Five words in a row say where they are from; fewer are a name, a title or an answer. What is longer
becomes its hash and its length. A hash hides a text only from those who cannot guess it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Final

FEWEST_WORDS: Final = 5
"""So many words in a row are a quotation."""
_MOST_CHARACTERS: Final = 80
_WORD: Final = re.compile(r"\w+")
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
)
"""Letters of languages that write words without spaces between them."""
_LETTERS_A_WORD: Final = 2
_WITHHELD: Final = re.compile(r"sha256:[0-9a-f]{64};characters:\d+")


def withheld(text: str) -> str:
    """What stands in a text's place: its SHA-256 over UTF-8, in hex, and its length (code points).

    An empty text stays empty, and what is withheld already stays as it is.
    """
    if not text or _WITHHELD.fullmatch(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()};characters:{len(text)}"


def is_short(text: str) -> bool:
    """Whether a text is too short to be a quotation."""
    unspaced = len(_UNSPACED.findall(text))
    words = len(_WORD.findall(_UNSPACED.sub(" ", text))) + -(-unspaced // _LETTERS_A_WORD)
    return words < FEWEST_WORDS and len(text) <= _MOST_CHARACTERS


def shortened(titles: Collection[str]) -> Callable[[str], str]:
    """A function that withholds a text unless it is short, or the title of a work."""

    def short(text: str) -> str:
        return text if is_short(text) or text in titles else withheld(text)

    return short


def within(change: Callable[[str], str]) -> Callable[[str], str]:
    """A function that changes every text in a JSON text, names of objects' members too."""

    def changed(value: object) -> object:
        if isinstance(value, dict):
            return {change(str(key)): changed(each) for key, each in value.items()}
        if isinstance(value, list):
            return [changed(each) for each in value]
        return change(value) if isinstance(value, str) else value

    def in_json(text: str) -> str:
        try:
            value = json.loads(text)
        except ValueError:
            return change(text)
        return json.dumps(changed(value), ensure_ascii=False, separators=(",", ":"))

    return in_json


def runs_of_words(text: str) -> Iterator[tuple[str, ...]]:
    """Every five words in a row of a text, in lower case; those that are numbers alone are none."""
    words = [word.casefold() for word in _WORD.findall(text)]
    starts = [islice(words, at, None) for at in range(FEWEST_WORDS)]
    for run in zip(*starts, strict=False):
        if not all(word.isdigit() for word in run):
            yield run


def texts_in(value: str) -> Iterator[str]:
    """The texts in a value: those within it where it is JSON, else itself."""
    if value[:1] in {"{", "["}:
        try:
            yield from _leaves(json.loads(value))
        except ValueError:
            yield value
    else:
        yield value


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
