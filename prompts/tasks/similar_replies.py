"""What the lines of a reply add up to: one character of a list, or several in order.

Told apart here are the numbers of the list and those a reply counts its own lines with. Numbers
that go up from 1, with something after them, are the reply's own: "1. 45" gives 45, and in "1.
Viola" the name counts, whatever stands first in the list. Otherwise a number beside a name must be
that name's, or the place gives nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from prompts.tasks.base import Unparsed
from prompts.tasks.numbered_replies import Entry, Line, read_lines, roster, sentence_asks

OFF_LIST: Final = "a number or name that is not on the list"
DISAGREES: Final = "a number beside the name of another character"
SEVERAL: Final = "gives several characters"
SILENT: Final = "no line gives a number or a name of the list"
REFUSES: Final = "says that it cannot choose"
EMPTY: Final = "the reply is empty"
COUNTS_ON: Final = "goes through the list"
UNFINISHED: Final = "ends within a list, without an answer"

TEN: Final = 10
_SKIPPED: Final = 3
_NUMBERS: Final = re.compile(r"[(\[#]\s*(\d{1,4})(?!\w)|\bnumber (\d{1,4})(?!\w)")
_REFUSAL: Final = re.compile(
    r"\b(?:i'm sorry|i am sorry|sorry,|as an ai|i (?:cannot|can't|can not|am unable|am not able)"
    r"|i don't (?:know|have)|unable to|not possible to)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The characters that a reply lists.

    Attributes:
        names: Those it gives, each once, in its order; all of them, however many were asked for.
        given: Places of the reply's list (count): repeated ones and those below are among them.
        off_list: Places with a number out of range, or with a name that nobody has (count).
        disagreeing: Places with a number beside the name of another character (count).
    """

    names: tuple[str, ...]
    given: int
    off_list: int
    disagreeing: int


@dataclass(frozen=True, slots=True)
class _Settled:
    """Who stands at each place of a list, from 0; or why nobody does."""

    places: list[int | str]

    @property
    def chosen(self) -> list[int]:
        found = (place for place in self.places if isinstance(place, int))
        return list(dict.fromkeys(found))

    @property
    def reason(self) -> str | None:
        return next((place for place in self.places if isinstance(place, str)), None)


def _counts_itself(entries: Sequence[Entry]) -> bool:
    """Whether the numbers that stand first are the reply's own count of its lines."""
    if len(entries) > 2 and entries[-1].is_bare:
        entries = entries[:-1]  # "35. Ida", and a "3" at which the reply was cut
    if 2 * sum(entry.is_bare for entry in entries) > len(entries):
        return False
    before = 0
    for entry in entries:
        number = entry.first or 0
        # Lines that give nothing readable leave gaps; a list of one form may begin again.
        if number != 1 and not before < number <= before + _SKIPPED:
            return False
        before = number
    return entries[0].first == 1


def _settle(entries: Iterable[Entry], size: int) -> _Settled:
    given = list(entries)
    numbered = [entry for entry in given if entry.first is not None]
    if numbered and _counts_itself(numbered):
        listed = numbered if len(numbered) > 1 else given  # a heading is no place of the list
        return _Settled([_counted(entry, size) for entry in listed if not entry.is_bare])
    return _Settled([place for entry in given for place in _read(entry, size)])


def _counted(entry: Entry, size: int) -> int | str:
    """An entry whose first number only counts it."""
    if entry.name is not None and entry.second is not None:
        return entry.name if entry.second == entry.name + 1 else DISAGREES
    if entry.name is not None:
        return entry.name
    return OFF_LIST if entry.second is None else _in_range(entry.second, size)


def _read(entry: Entry, size: int) -> list[int | str]:
    """An entry whose numbers are all of the list; without a name it may be two of them."""
    numbers = [number for number in (entry.first, entry.second) if number is not None]
    if entry.after == "stranger":
        return [DISAGREES]
    if entry.name is None:
        return [_in_range(number, size) for number in numbers]
    return [entry.name if all(n == entry.name + 1 for n in numbers) else DISAGREES]


def _in_range(number: int, size: int) -> int | str:
    return number - 1 if 1 <= number <= size else OFF_LIST


def one_choice(reply: str, options: Sequence[str], target: str) -> str | Unparsed:
    """The one character a short reply gives.

    Lines that consist of a number, a name or both decide, then lines that begin with one; they
    must agree. A reply that is a sentence counts where it names one character beside the target.
    """
    lines = read_lines(reply, options)
    if not lines:
        return Unparsed(EMPTY)
    answers = [line for line in lines if line.kind == "answer" and line.entries]
    if answers:
        return _only(answers[-1].entries, options)
    for kinds in ({"list", "told"}, {"aside"}):
        entries = [entry for line in lines if line.kind in kinds for entry in line.entries]
        if entries:
            return _only(entries, options)
    return _by_sentence(lines[-1], options, target)


def last_choice(reply: str, options: Sequence[str], target: str) -> str | Unparsed:
    """The character that a reply gives in the end, whatever it speaks of before.

    The last line that begins with "Answer" decides. Without one it is the last line, if it
    consists of a number, a name or both, or is a sentence that names one character beside the
    target.
    """
    lines = read_lines(reply, options)
    if not lines:
        return Unparsed(EMPTY)
    answers = [line for line in lines if line.kind == "answer"]
    told = lines[: _last_word(lines, options)]
    last = answers[-1] if answers else told[-1]
    if not answers and _goes_on(told):
        return Unparsed(UNFINISHED)
    if last.entries and (last.kind != "aside" or len(lines) == 1):
        return _only(last.entries, options)
    return _by_sentence(last, options, target)


def _last_word(lines: Sequence[Line], options: Sequence[str]) -> int:
    """How many lines there are without the courtesies at the end: no number and no name in them."""
    names = roster(tuple(options))
    for count in range(len(lines), 0, -1):
        line = lines[count - 1]
        if line.kind != "prose" or re.search(r"\d", line.text) or names.named_in(line.text):
            return count
    return len(lines)


def _goes_on(lines: Sequence[Line]) -> bool:
    """Whether the last line belongs to a list, which may have been cut off there."""
    ends = lines[-1].entries[0].first if len(lines[-1].entries) == 1 else None
    begins = (re.match(r"(\d{1,4})[.):]", line.text) for line in lines[:-1])
    return ends is not None and ends - 1 in {int(begin[1]) for begin in begins if begin}


def _only(entries: Iterable[Entry], options: Sequence[str]) -> str | Unparsed:
    settled = _settle(entries, len(options))
    if len(settled.chosen) > 1:
        return Unparsed(SEVERAL)
    if settled.reason or not settled.chosen:
        return Unparsed(settled.reason or SILENT)
    return options[settled.chosen[0]]


def _by_sentence(line: Line, options: Sequence[str], target: str) -> str | Unparsed:
    """Whom a sentence like "Viola is most similar to Rosalind" names beside the target."""
    named = roster(tuple(options)).named_in(line.text) if sentence_asks(line.text) else set()
    others = {place for place in named if options[place] != target}
    if len(others) != 1:
        says_no = _REFUSAL.search(line.text)
        return Unparsed(SEVERAL if others else REFUSES if says_no else SILENT)
    numbers = {int(number) for found in _NUMBERS.findall(line.text) for number in found if number}
    if not numbers <= {place + 1 for place in named}:
        return Unparsed(DISAGREES)
    return options[others.pop()]


def _walks(chosen: Sequence[int]) -> bool:
    return (
        len(chosen) > TEN
        and all(1 <= b - a <= 2 for a, b in pairwise(chosen))
        and (chosen[-1] - chosen[0] <= len(chosen))
    )


def ranking(reply: str, options: Sequence[str]) -> Ranking | Unparsed:
    """The characters that a reply lists, in its order.

    A line "Answer" with several decides; otherwise all lines that consist of entries, or name
    someone and go on about them. A number with other words after it counts only where there is
    no such line.

    Returns:
        The list, or why there is none. A reply that gives more than ten and begins with eleven in
        the list's own order, one left out at most, goes through the list and chooses nobody; ten
        or fewer in that order are taken at their word.
    """
    lines = read_lines(reply, options)
    if not lines:
        return Unparsed(EMPTY)
    answers = [line for line in lines if line.kind == "answer" and len(line.entries) > 1]
    entries = [entry for line in answers[-1:] or lines for entry in line.entries]
    numbered = [entry for entry in entries if entry.first is not None]
    if not (numbered and _counts_itself(numbered)):
        entries = [entry for entry in entries if entry.after in {"nothing", "kin"}] or entries
    settled = _settle(entries, len(options))
    chosen = settled.chosen
    if not chosen:
        says_no = any(_REFUSAL.search(line.text) for line in lines)
        return Unparsed(settled.reason or (REFUSES if says_no else SILENT))
    if _walks(chosen[: TEN + 1]):
        return Unparsed(COUNTS_ON)
    return Ranking(
        names=tuple(options[place] for place in chosen),
        given=len(settled.places),
        off_list=settled.places.count(OFF_LIST),
        disagreeing=settled.places.count(DISAGREES),
    )
