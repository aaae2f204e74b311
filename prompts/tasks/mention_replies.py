"""Reads which numbered mentions a reply names.

A reply may give bare numbers, copy marks ("[3: the man]"), write one a line with words beside them,
or put them into a sentence. Nothing is guessed: a number counts where its line is a list, or where
the words before it announce one. Pure.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from prompts.tasks.base import Unparsed
from prompts.tasks.plain_replies import EMPTY, undecorated

_SILENT: Final = "names no numbers, and does not say that there are none"
_QUOTES: Final = "quotes the passage"
_SEVERAL: Final = "gives several lists of numbers"
_NUMBERED: Final = "counts its own lines, so that their numbers need not be those of mentions"
_NO_LIST: Final = "JSON whose 'mentions' is no list of numbers"

_MARK: Final = re.compile(r"\[\s*([0-9]{1,6})\s*:")
_NUMBER: Final = re.compile(r"(?<![\w.])[0-9]{1,6}(?!\w|\.[0-9])")
_RANGE: Final = re.compile(
    r"(?<![\w.–-])([0-9]{1,6})\s?(?:[–-]|\bto\b)\s?([0-9]{1,6})(?![\w]|\s?[–-]\s?[0-9])"
)
_LONGEST_RANGE: Final = 1000
_BETWEEN: Final = re.compile(
    r"[\s,;&/|.\[\](){}*_`#\"'“”•–—+-]|\b(?:and|mentions?|numbers?|nos?|labels?)\b", re.IGNORECASE
)
_COUNTER: Final = re.compile(r"\s*[0-9]{1,3}[.)]\s+(?=[\W_]*(?:mention\s+)?[\[#(*_`]*[0-9])")
_ENTRY: Final = re.compile(
    r"[\s*_`#•-]*(?:mention\s+)?\[?(?P<number>[0-9]{1,6})\]?[*_`]*\s*"
    r"(?P<sep>[:=–—(\"“|-]|→|[.)]\s)\s*(?=\S)",
    re.IGNORECASE,
)
_NEXT_ENTRY: Final = re.compile(r"[,;]\s*(?:and\s+)?(?=\[?[0-9]{1,6}\]?\s*[:=(–—])")
_QUOTED_MARK: Final = re.compile(r"\[[0-9]{1,6}\]")
_ASIDE: Final = re.compile(r"(?<=[0-9\]*])\s*\([^()0-9]*\)")
_DOTS: Final = frozenset({".", ")"})
_LEAD_END: Final = re.compile(r":|\b(?:are|is)\b\s*:?|\(", re.IGNORECASE)
_ANNOUNCES: Final = re.compile(
    r"perpetrator|answer|culprit|killer|murderer|criminal|guilty|mention|number", re.IGNORECASE
)
_OF_OTHERS: Final = re.compile(
    r"\b(?:not|non|isn['’]t|aren['’]t|don['’]t|victims?|others?|total|excluding|except|number\s+of)\b",
    re.IGNORECASE,
)
_RUN: Final = r"\[?[0-9]{1,6}\]?(?:(?:\s*[,;&]\s*(?:and\s+)?|\s+and\s+)\[?[0-9]{1,6}\]?)*"
_IN_SENTENCE: Final = re.compile(
    rf"\b(?:mentions?|numbers?|labels?)\s+#?(?P<after>{_RUN})(?=[\s.,;)]|\Z)"
    rf"|(?<![\w.])(?P<before>{_RUN})\s+(?:(?:all|both)\s+)?refers?\s+to\b",
    re.IGNORECASE,
)
_NONE: Final = re.compile(
    r"[\W_]*(?:none|no\s+one|nobody|no\s+(?:\w+\s+){0,2}mentions?)\b|\W*\[\s*\]\W*\Z", re.IGNORECASE
)
_NONE_SAID: Final = re.compile(
    r"\bnone\s+of\s+the\b|\b(?:is|are)\s+no\s+(?:\w+\s+){0,2}mentions?\b"
    r"|\bno\s+(?:\w+\s+){0,2}mentions?\s+(?:of|refers?|that|which|in)\b"
    r"|\b(?:perpetrator|culprit|killer|murderer)\b[^.\n]{0,40}\b(?:is|are)(?:\s+not|\s+never|n['’]t)\s+"
    r"(?:\w+\s+){0,2}(?:mentioned|named|present|referred)\b",
    re.IGNORECASE,
)
_DECLINES: Final = re.compile(
    r"\b(?:cannot|can['’]t|could\s+not|unable|impossible|unclear|unknown|not\s+(?:possible|clear|sure"
    r"|enough|able))\b",
    re.IGNORECASE,
)
_MOST_READ: Final = 20_000
_LONGEST_LINE: Final = 2_000


@dataclass(frozen=True, slots=True)
class _Line:
    """What one line says.

    Attributes:
        kind: `list` is numbers and nothing else, or that there are none; `led` the same after
            words that announce it; `entry` a number at the start with words after it.
        lead: The words that announce a list.
        counted: Whether the number of an entry may be one that the reply counts its lines with.
        quotes: Whether the words hold marks of the passage.
    """

    kind: Literal["list", "led", "entry", "words"]
    numbers: tuple[int, ...] = ()
    lead: str = ""
    counted: bool = False
    quotes: bool = False


def mentions_in(words: str) -> tuple[int, ...] | Unparsed:
    """The numbers a reply in prose names; empty where it says that there are none.

    A first line that is a list is the answer, with the lists right below it; then the list that is
    announced as the perpetrator's; then lists and lines that begin with a mention; then the
    mentions of a sentence.
    """
    if not undecorated(words.replace("[]", "none")):
        return Unparsed(EMPTY)
    texts = [_folded(text[:_LONGEST_LINE]) for text in words[:_MOST_READ].splitlines()]
    texts = [text for text in texts if text.strip()]
    lines = [line for text in texts for line in _read(text)]
    for reading in (_first_list, _announced, _listed):
        found = reading(lines)
        if found is not None:
            return found
    return _in_sentences("\n".join(texts))


def mentions_listed(value: object) -> tuple[int, ...] | Unparsed:
    """The numbers of a JSON value: a list of numbers or of texts that begin with one; a text."""
    if isinstance(value, str):
        return mentions_in(value)
    entries = value if isinstance(value, list) else [value]
    numbers = [number for entry in entries if (number := _number_of(entry)) is not None]
    return Unparsed(_NO_LIST) if entries and not numbers else tuple(numbers)


def _number_of(entry: object) -> int | None:
    if isinstance(entry, str):
        found = re.match(r"[\W_]*(?:mention\s+)?([0-9]{1,6})(?!\w)", entry, re.IGNORECASE)
        return int(found[1]) if found else None
    return entry if isinstance(entry, int) and not isinstance(entry, bool) else None


def _folded(line: str) -> str:
    """A line with every copied mark as its number alone; what lies within a mark goes with it."""
    kept: list[str] = []
    at = 0
    while mark := _MARK.search(line, at):
        kept += (line[at : mark.start()], f"[{mark[1]}]")
        depth, at = 1, mark.end()
        while depth and at < len(line):
            depth += {"[": 1, "]": -1}.get(line[at], 0)
            at += 1
    return "".join((*kept, line[at:]))


def _read(text: str) -> list[_Line]:
    """What a line says; several entries on one line count as lines of their own."""
    counter = _COUNTER.match(text)
    rest = text[counter.end() :] if counter else text
    numbers = _list_of(rest)
    if numbers is not None:
        return [_Line("list", numbers)]
    for lead in _leads(rest):
        numbers = _list_of(rest[len(lead) :])
        if numbers is not None:
            return [_Line("led", numbers, lead)]
    entries: list[_Line] = []
    for piece in _NEXT_ENTRY.split(rest):
        entry = _ENTRY.match(piece)
        if entry is None or _QUOTED_MARK.search(piece, entry.end()):
            return [_Line("words", quotes=bool(_QUOTED_MARK.search(rest)))]
        counted = not counter and entry["sep"].strip() in _DOTS
        entries.append(_Line("entry", (int(entry["number"]),), counted=counted))
    return entries


def _leads(text: str) -> Iterator[str]:
    """What may announce a list in a line, the shortest first."""
    for end in _LEAD_END.finditer(text):
        if re.search(r"[^\W\d_]", text[: end.start()]):
            yield text[: end.end()]


def _list_of(text: str) -> tuple[int, ...] | None:
    """The numbers of a text that is a list of them and nothing else, or says there are none."""
    if not re.search(r"[0-9]", text):
        return () if _NONE.match(text) else None
    spread = _RANGE.sub(_spread, _ASIDE.sub("", text))
    if undecorated(_BETWEEN.sub("", _NUMBER.sub("", spread))):
        return None
    return tuple(int(number[0]) for number in _NUMBER.finditer(spread)) or None


def _spread(found: re.Match[str]) -> str:
    first, last = int(found[1]), int(found[2])
    if not first <= last <= first + _LONGEST_RANGE:
        return found[0]
    return " ".join(map(str, range(first, last + 1)))


def _first_list(lines: Sequence[_Line]) -> tuple[int, ...] | None:
    if not lines or lines[0].kind != "list":
        return None
    alone = len(lines[0].numbers) == 1 and any(line.kind == "entry" for line in lines)
    return None if alone else _block(lines)


def _block(lines: Sequence[_Line]) -> tuple[int, ...]:
    """The numbers of the first list and of the lists right below it."""
    rest = itertools.dropwhile(lambda line: line.kind != "list", lines)
    lists = itertools.takewhile(lambda line: line.kind == "list", rest)
    return tuple(number for line in lists for number in line.numbers)


def _announced(lines: Sequence[_Line]) -> tuple[int, ...] | Unparsed | None:
    lists = {
        tuple(sorted(set(line.numbers)))
        for line in lines
        if line.kind == "led" and _ANNOUNCES.search(line.lead) and not _OF_OTHERS.search(line.lead)
    }
    if len(lists) > 1:
        return Unparsed(_SEVERAL)
    return next(iter(lists), None)


def _listed(lines: Sequence[_Line]) -> tuple[int, ...] | Unparsed | None:
    """The numbers of lists and entries; where lists sum up the entries, those of the lists."""
    lists = [line for line in lines if line.kind == "list"]
    entries = [line for line in lines if line.kind == "entry"]
    if lists and (not entries or any(len(line.numbers) != 1 for line in lists)):
        return _block(lines)
    said = {number for line in lists for number in line.numbers}
    if lists and said <= {number for line in entries for number in line.numbers}:
        return tuple(sorted(said))
    if any(line.quotes for line in lines):
        return Unparsed(_QUOTES)
    numbers = tuple(n for line in lines if line.kind in {"list", "entry"} for n in line.numbers)
    if entries and all(line.counted for line in entries) and _counts_up(numbers):
        return Unparsed(_NUMBERED)
    return numbers or None


def _counts_up(numbers: Sequence[int]) -> bool:
    return list(numbers) == list(range(1, len(numbers) + 1))


def _in_sentences(text: str) -> tuple[int, ...] | Unparsed:
    lists = {
        tuple(int(number) for number in re.findall(r"[0-9]+", found["after"] or found["before"]))
        for found in _IN_SENTENCE.finditer(text)
    }
    if len(lists) > 1:
        return Unparsed(_SEVERAL)
    if lists:
        return next(iter(lists))
    says_none = _NONE_SAID.search(text) and not _DECLINES.search(text)
    return () if says_none else Unparsed(_SILENT)
