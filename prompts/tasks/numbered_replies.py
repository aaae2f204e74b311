"""Reads what a reply to a numbered list of names says, line by line.

A reply may give numbers, names or both, one or many, on a line or down the page, and count its
lines with numbers of its own. Here its lines become entries; what they add up to is for the task to
say. Nothing is guessed: a number or a name counts where a line consists of it or begins with it, or
where a sentence that speaks of the choice ends in it, never in its middle. Pure.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from prompts.names.replace import is_name_word, is_title

Kind: TypeAlias = Literal["list", "aside", "told", "answer", "prose"]
After: TypeAlias = Literal["nothing", "kin", "stranger", "words"]
Words: TypeAlias = tuple[str, ...]

_TYPED: Final = str.maketrans(
    "’‘“”–—‐‑−", "''\"\"-----", "*_`$"
)  # bold, italics and code would stand between a number and its end
_BOXED: Final = re.compile(r"\\boxed\{([^{}]*)\}")
_WORD: Final = re.compile(r"\w+")
_GAP: Final = re.compile(r"[^\w\n]{1,3}")
_BULLET: Final = re.compile(r"[\s>#•|-]*")
_OPEN: Final = re.compile(r"[\s\"'(\[{#<]*")
_FILLER: Final = re.compile(
    r"(?:(?:the|an?|character|number|option|choice|of|named|called|no\.|probably|most\s+likely)"
    r"(?:\s+|\s*[:#]\s*))*"
)
# Not "45th", "45%", "4.5" or "45's".
_NUMBER: Final = re.compile(r"(\d{1,4})(?![\w%]|\.\d|'\w)")
_TO_NAME: Final = re.compile(r"[\s\"']*[.):\]|=-]*\s*[\"'(\[]*")
_TO_NUMBER: Final = re.compile(
    r"[\"']?(?:[.:\]|]\s+|\)\s*|\s+[|-]\s+)[\"'(\[#]*(?:(?:character|number)\s+)?"
)
_NUMBER_OF_NAME: Final = re.compile(
    r"[\"']?(?:\s*[(\[]\s*(?:number\s+|no\.\s*|#\s*)?(\d{1,4})\s*[)\]]"
    r"|(?:[:=]\s*#?|\s-\s#?|,?\s*(?:(?:who|which)\s+is\s+)?(?:character\s+)?number\s+)"
    r"(\d{1,4})(?![\w%]|\.\d))"
)
_CLOSE: Final = re.compile(r"[\"')\]}>]*")
_BETWEEN: Final = re.compile(r"(?:[\s,;/|&.+)\]\"']|\band\b)+")
_END: Final = re.compile(r"[\s.!,;)\]}\"'|]*\Z")
_ASIDE: Final = re.compile(r"\s*[(\[]|[:;,.!)\]]+\s|\s+-\s|\s+(?:because|since|as)\b")
_NOTE: Final = re.compile(r"\s*[(\[]|:\s|\s-\s")
_ORDINAL: Final = re.compile(r"(?<![^\s,;:(])(\d{1,4})[.)]\s")
_ANSWER: Final = re.compile(r"(?:[a-z',]+\s+){0,3}answer\b(?:\s+is)?\s*:?\s*")
_TELLS: Final = re.compile(r"\b(?:is|are|be|was|choose|pick|choice|answer)\b\s*:?|:")
_ASKED: Final = re.compile(r"\b(?:similar\w*|alike|like|closest|choose|choice|pick|answer)\b")
_LEADS: Final = re.compile(rf"{_ASKED.pattern}|\bhere\b|\blist\b")
_NOT: Final = re.compile(r"\b(?:not|never|cannot|unlike|least|neither|nor|except)\b|n't\b")
_LEAD_LETTERS: Final = 300
_NAME_WORDS: Final = 4
_STARTERS: Final = frozenset(
    "a an the this that he she it they both because since as is was in for".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one place of a reply gives.

    Attributes:
        first: The number it begins with: of the list, or of the reply's own counting.
        second: A number after that one ("1. 45"), or after the name ("Viola (20)").
        name: The name it gives, as a place in the list from 0.
        after: What follows a number that stands alone: words of the name that it has in the list
            (`kin`), what looks like another name (`stranger`), or other words (`words`).
        end: Where it ends in its line.
    """

    first: int | None = None
    second: int | None = None
    name: int | None = None
    after: After = "nothing"
    end: int = 0

    @property
    def is_bare(self) -> bool:
        """Whether it is a number and nothing else."""
        return self.second is None and self.name is None and self.after == "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a reply, folded.

    Attributes:
        kind: `list`: entries alone. `aside`: one entry, then words about it. `told`: entries that
            a sentence ends in. `answer`: the same after the word "answer". `prose`: none.
    """

    kind: Kind
    text: str
    entries: tuple[Entry, ...] = ()


def fold(text: str) -> str:
    """A text as it is compared: case, accents, typography and bold set aside, its lines kept."""
    plain = unicodedata.normalize("NFKD", _BOXED.sub(r"\1", text)).translate(_TYPED)
    kept = (char for char in plain if unicodedata.category(char) not in {"Mn", "Cf"})
    return "".join(kept).casefold()


def name_key(name: str) -> str:
    """What is left of a name when it is looked for: two names with one key cannot be told apart."""
    return " ".join(_WORD.findall(fold(name)))


@dataclass(frozen=True, slots=True)
class Roster:
    """The names of a list, as replies write them.

    Attributes:
        forms: First word -> the forms that begin with it, longest first, each with its place in
            the list from 0.
        whole: The forms that hold all words of a name but its titles, two at least, or all.
        words: The words of each name but its titles, in the order of the list.
    """

    forms: dict[str, list[tuple[Words, int]]]
    whole: frozenset[Words]
    words: tuple[frozenset[str], ...]

    def name_at(self, text: str, at: int, *, whole: bool = False) -> tuple[int, int] | None:
        """The name that stands at a place of a folded text, and where it ends."""
        first = _WORD.match(text, at)
        if first is None or (at and text[at - 1].isalnum()):
            return None
        for words, place in self.forms.get(first[0], ()):
            end = _end_of(words, text, at) if not whole or words in self.whole else None
            if end is not None:
                return place, end
        return None

    def named_in(self, text: str) -> set[int]:
        """Everyone whose name stands whole in a folded text; short forms may be common words."""
        found: set[int] = set()
        reached = 0
        for word in _WORD.finditer(text):
            named = (
                self.name_at(text, word.start(), whole=True) if word.start() >= reached else None
            )
            if named:
                found.add(named[0])
                reached = named[1]
        return found


def _end_of(words: Words, text: str, at: int) -> int | None:
    for index, word in enumerate(words):
        if index:
            gap = _GAP.match(text, at)
            if gap is None:
                return None
            at = gap.end()
        found = _WORD.match(text, at)
        if found is None or found[0] != word:
            return None
        at = found.end()
    return at


@lru_cache(maxsize=64)  # a list comes again with each of its characters and each reply
def roster(options: tuple[str, ...]) -> Roster:
    """The names of a list in the forms that are no one else's.

    Beside the whole name these are the name without its titles and single words of it: "Falstaff"
    for "Sir John Falstaff", where nobody else of the list has that word.
    """
    whole = {tuple(name_key(name).split()): place for place, name in enumerate(options)}
    short: dict[Words, set[int]] = {}
    owners: dict[str, set[int]] = {}
    for words, place in whole.items():
        untitled = tuple(word for word in words if not is_title(word))
        short.setdefault(untitled, set()).add(place)
        for word in words:
            owners.setdefault(word, set()).add(place)
    untitled_forms = {
        words: next(iter(places))
        for words, places in short.items()
        if len(words) > 1 and len(places) == 1
    }
    single = {
        (word,): next(iter(places))
        for word, places in owners.items()
        if len(places) == 1 and is_name_word(word) and not word.isdigit()
    }
    forms: dict[str, list[tuple[Words, int]]] = {}
    for words, place in (single | untitled_forms | whole).items():
        if words:
            forms.setdefault(words[0], []).append((words, place))
    for found in forms.values():
        found.sort(key=lambda form: (-len(form[0]), form[0]))
    words_of = (name_key(name).split() for name in options)
    return Roster(
        forms=forms,
        whole=frozenset(whole) | frozenset(untitled_forms),
        words=tuple(frozenset(word for word in own if not is_title(word)) for own in words_of),
    )


def read_lines(reply: str, options: Sequence[str]) -> list[Line]:
    """The lines of a reply with words in them, and the entries of each.

    Args:
        reply: As it came.
        options: The names of the list, in order.
    """
    names = roster(tuple(options))
    lines: list[Line] = []
    for text in _texts(fold(reply)):
        last = lines[-1] if lines else None
        line = _read_line(text, names)
        if last and last.kind == "answer" and not last.entries and line.kind in {"list", "aside"}:
            lines[-1] = Line(kind="answer", text=text, entries=line.entries)
        else:
            lines.append(line)
    return lines


def _texts(reply: str) -> Iterator[str]:
    """The lines without their bullets; a list that runs on in one line is unrolled."""
    for line in reply.splitlines():
        for start, end in itertools.pairwise((0, *_unrolled(line), len(line))):
            text = " ".join(line[start:end].split())
            if _WORD.search(text):
                yield text[_past(_BULLET, text, 0) :]


def _unrolled(line: str) -> list[int]:
    """Where the places of a list begin inside a line: "1. 45, 2. 17", or "The list: 1. 45"."""
    cuts: list[int] = []
    for mark in _ORDINAL.finditer(line):
        if int(mark[1]) == len(cuts) + 1:
            cuts.append(mark.start())
    begins = bool(cuts) and line[: cuts[0]].rstrip().endswith(":")
    return cuts if begins or len(cuts) > 1 else []


def _read_line(text: str, names: Roster) -> Line:
    answer = _ANSWER.match(text)
    if answer and not _NOT.search(answer[0]):
        entries, end = _entries(text, answer.end(), names)
        if _END.match(text, end) or (entries and _ASIDE.match(text, end)):
            return Line(kind="answer", text=text, entries=entries)
    entries, end = _entries(text, 0, names)
    if entries and _END.match(text, end):
        return Line(kind="list", text=text, entries=entries)
    # What follows a colon or stands in brackets may hold numbers and names of its own.
    if entries and (_ASIDE if len(entries) == 1 else _NOTE).match(text, entries[0].end):
        entry = _with_words(entries[0], text, names) if entries[0].is_bare else entries[0]
        return Line(kind="aside", text=text, entries=(entry,))
    entries = _told(text, names)
    return Line(kind="told" if entries else "prose", text=text, entries=entries)


def _with_words(entry: Entry, text: str, names: Roster) -> Entry:
    """A number that stands alone, with what the words after it are."""
    words = _WORD.findall(text, entry.end)
    if not words:
        return entry
    place = (entry.first or 0) - 1
    own = names.words[place] if 0 <= place < len(names.words) else frozenset()
    is_name = is_title(words[0]) or (len(words) <= _NAME_WORDS and words[0] not in _STARTERS)
    after: After = "stranger" if is_name else "words"
    if is_name and own & set(words[:_NAME_WORDS]):
        after = "kin"
    return Entry(first=entry.first, after=after, end=entry.end)


def _told(text: str, names: Roster) -> tuple[Entry, ...]:
    """The entries a sentence ends in: "The most similar one is 45"."""
    for mark in _TELLS.finditer(text, 0, _LEAD_LETTERS):
        head = text[: mark.end()]
        if _NOT.search(head):
            break
        if _LEADS.search(head):
            entries, end = _entries(text, mark.end(), names)
            if entries and _END.match(text, end):
                return entries
    return ()


def sentence_asks(text: str) -> bool:
    """Whether a folded line speaks of likeness or choice, and denies nothing."""
    return bool(_ASKED.search(text)) and not _NOT.search(text)


def _entries(text: str, at: int, names: Roster) -> tuple[tuple[Entry, ...], int]:
    """The entries that follow one another from a place on, and where they end."""
    found: list[Entry] = []
    end = at
    while True:
        entry = _entry(text, at, names)
        if entry is None:
            return tuple(found), end
        found.append(entry)
        end = entry.end
        between = _BETWEEN.match(text, end)
        if between is None:
            return tuple(found), end
        at = between.end()


def _entry(text: str, at: int, names: Roster) -> Entry | None:
    at = _past(_OPEN, text, at)
    filled = _past(_FILLER, text, at)
    filled = _past(_OPEN, text, filled)
    for start in dict.fromkeys((at, filled)):
        named = names.name_at(text, start)
        if named:
            return _from_name(text, *named)
    number = _NUMBER.match(text, filled)
    return _from_number(text, number, names) if number else None


def _from_name(text: str, place: int, end: int, first: int | None = None) -> Entry:
    number = _NUMBER_OF_NAME.match(text, end)
    second = int(number[1] or number[2]) if number else None
    end = _past(_CLOSE, text, number.end() if number else end)
    return Entry(first=first, second=second, name=place, end=end)


def _from_number(text: str, number: re.Match[str], names: Roster) -> Entry:
    first = int(number[1])
    named = names.name_at(text, _past(_TO_NAME, text, number.end()))
    if named:
        return _from_name(text, *named, first=first)
    gap = _TO_NUMBER.match(text, number.end())
    second = _NUMBER.match(text, gap.end()) if gap else None
    if second is None:
        return Entry(first=first, end=number.end())
    named = names.name_at(text, _past(_TO_NAME, text, second.end()))
    return Entry(
        first=first,
        second=int(second[1]),
        name=named[0] if named else None,
        end=_past(_CLOSE, text, named[1] if named else second.end()),
    )


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a pattern that stands at a place ends, or that place."""
    found = pattern.match(text, at)
    return found.end() if found else at
