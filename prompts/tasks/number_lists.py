"""Reads a text that is a list of numbers and nothing else: "1, 4 and 7", "[1, 4]", "5-8"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LIST_LEAD: Final = r"(?:mentions?|numbers?|nos?\.|labels?|members?)?\s*:?\s*"
"""What may stand before the numbers (a pattern, for any case)."""
_LEAD: Final = re.compile(LIST_LEAD, re.IGNORECASE)
_TOKEN: Final = re.compile(
    r"(?<![-–])(?P<first>[0-9]{1,5})[-–](?P<last>[0-9]{1,5})(?![\w–-])"
    r"|[#mM]?(?P<number>[0-9]{1,5})(?!\w|\.[0-9])"
    r"|(?P<aside>\([^()]*\)|\"[^\"]*\"|“[^”]*”)"
    r"|(?P<open>[\[({<])|(?P<close>[\])}>])"
    r"|(?P<gap>(?:[\s,;/&+=.'\"-]|\band\b)+)"
)
_LONGEST_RANGE: Final = 1000


@dataclass(frozen=True, slots=True)
class NumberList:
    """Numbers without leading zeros, cluster by cluster, and the words in brackets among them."""

    clusters: tuple[tuple[str, ...], ...]
    aside: str = ""

    @property
    def is_one(self) -> bool:
        """Whether it is one number."""
        return len(self.clusters) == 1 and len(self.clusters[0]) == 1


def has_letter(text: str) -> bool:
    """Whether a text has words, in any script."""
    return any(char.isalpha() for char in text)


def read_list(text: str) -> NumberList | None:
    """The numbers of a text that is a list of them; None for any other.

    Words in brackets or quotation marks are passed over. Brackets around lists of
    several numbers make a cluster each; else all the numbers are one.
    """
    text = text.strip()
    lead = _LEAD.match(text)
    at = lead.end() if lead else 0
    loose: list[str] = []
    bracketed: list[list[str]] = []
    open_at: list[list[str]] = []
    asides: list[str] = []
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at = token.end()
        if token["aside"] and has_letter(token["aside"]):
            asides.append(token["aside"])
        elif token["aside"] or token["open"]:
            at = token.start() + 1
            if text[token.start()] in "[({<":
                bracketed.append([])
                open_at.append(bracketed[-1])
        elif token["close"]:
            if open_at:
                open_at.pop()
        else:
            (open_at[-1] if open_at else loose).extend(_numbers(token))
    return _told(loose, [group for group in bracketed if group], " ".join(asides))


def _numbers(token: re.Match[str]) -> list[str]:
    if token["number"]:
        return [_bare(token["number"])]
    if token["first"]:
        first, last = int(token["first"]), int(token["last"])
        if first < last <= first + _LONGEST_RANGE:
            return [str(number) for number in range(first, last + 1)]
        return [_bare(token["first"]), _bare(token["last"])]
    return []


def _bare(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _told(loose: list[str], bracketed: list[list[str]], aside: str) -> NumberList | None:
    several = len(bracketed) > 1 and any(len(group) > 1 for group in bracketed)
    if several and not loose:
        return NumberList(tuple(map(tuple, bracketed)), aside)
    numbers = [*loose, *(number for group in bracketed for number in group)]
    return NumberList((tuple(numbers),), aside) if numbers else None
