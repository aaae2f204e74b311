"""When two titles name the same work: case, punctuation, articles and part numbers set aside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_NUMBERS = {
    "one": "1", "two": "2", "three": "3", "first": "1", "second": "2", "third": "3",
    "i": "1", "ii": "2", "iii": "3",
}  # fmt: skip
_ARTICLES = re.compile(r"^(?:the|a|an)\s+")
_BY = re.compile(r"\s*(?:,|\(|—|–|-)?\s*\b(?:by|written by)\s+[A-Z].*$")
_PLACE = re.compile(r"[,;:(\s]+(?:act|scene|chapter|book)\s+(?:[ivxlc]+|\d+)\b.*$", re.IGNORECASE)
_AROUND = " \t\"'“”‘’*_.,;:!`#"
_FROM = re.compile(r"^from ")
_YEAR = re.compile(r"\s*\(?\b1\d{3}\b\)?\s*$")


@lru_cache(maxsize=1 << 12)  # the same titles are offered again and again
def normalise(title: str) -> str:
    """A title in the form that is compared."""
    plain = unicodedata.normalize("NFKD", title)
    plain = "".join(char for char in plain if not unicodedata.combining(char)).casefold()
    plain = plain.replace("’", "'").replace("'", "").replace("&", " and ")
    tokens = re.sub(r"[\W_]+", " ", plain).split()
    numbered = [
        _NUMBERS.get(token, token) if index and tokens[index - 1] == "part" else token
        for index, token in enumerate(tokens)
    ]
    return _ARTICLES.sub("", " ".join(numbered))


def bare(title: str) -> str:
    """A title without the author, act or year a reply may add to it."""
    title = " ".join(title.split())  # the patterns below try every split of a run of spaces
    for ending in (_BY, _PLACE, _YEAR):
        title = ending.sub("", title).strip(_AROUND) or title
    return title.strip(_AROUND)


def same_title(one: str, other: str) -> bool:
    """Whether two titles name the same work."""
    return normalise(one) == normalise(other)


def accepted(title: str, titles: Iterable[str]) -> bool:
    """Whether a reply's title is one of those that count as right."""
    wanted = {normalise(known) for known in titles}
    said = {normalise(title), normalise(bare(title))}
    # "From Hamlet" answers with Hamlet; "From Here to Eternity" is a title of its own.
    said |= {normalise(_FROM.sub("", form)) for form in said}
    return not wanted.isdisjoint(said - {""})
