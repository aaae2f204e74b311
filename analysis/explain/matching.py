"""Finds one number by the words of its row and column, or says which there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from analysis.errors import AnalysisError
from analysis.explain.entries import Entry, Name

_MOST: Final = 12
_TRIMMED: Final = ",;:()[]"


class NotOne(AnalysisError):
    """What is asked for is nothing of what there is, or several of them."""

    def __init__(self, kind: str, asked: str, known: Sequence[str], *, several: bool) -> None:
        super().__init__(kind, asked, known, several)
        self.kind, self.asked, self.known, self.several = kind, asked, tuple(known), several

    def __str__(self) -> str:
        listed = "; ".join(self.known[:_MOST])
        more = len(self.known) - _MOST
        listed += f"; and {more} more" if more > 0 else ""
        if self.several:
            return f"{self.asked!r} stands for {len(self.known)} {self.kind}s: {listed}"
        return f"no {self.kind} is called {self.asked!r}; there are: {listed}"


def find(entries: Sequence[Entry], row: str, column: str) -> Entry:
    """The number in a row and a column, by words of their names or labels.

    Raises:
        NotOne: There is none, or there are several.
    """
    schemes = range(max(len(each.places) for each in entries))
    refused: NotOne | None = None
    for scheme in schemes:
        own = [each for each in entries if scheme < len(each.places)]
        try:
            return _find(own, scheme, row, column)
        except NotOne as error:
            # What is said of records helps more than what is said of print, unless they know less.
            if refused is None or (error.several and not refused.several):
                refused = error
    raise refused or NotOne("row", row, [], several=False)


def of_row(entries: Sequence[Entry], row: str) -> list[Entry]:
    """Every number of one row.

    Raises:
        NotOne: There is no such row, or there are several.
    """
    names = list(dict.fromkeys(each.row for each in entries))
    own = matched("row", row, names)
    return [each for each in entries if each.row == own]


def of_table(entries: Sequence[Entry], table: str) -> list[Entry]:
    """Every number of one table.

    Raises:
        NotOne: There is no such table, or there are several.
    """
    names = [Name(name, name) for name in dict.fromkeys(each.table for each in entries)]
    own = matched("table", table, names)
    return [each for each in entries if each.table == own.name]


def _find(entries: Sequence[Entry], scheme: int, row: str, column: str) -> Entry:
    rows = list(dict.fromkeys(each.places[scheme][0] for each in entries))
    own_row = matched("row", row, rows)
    own = {each.places[scheme][1]: each for each in entries if each.places[scheme][0] == own_row}
    return own[matched("column", column, list(own))]


def matched(kind: str, asked: str, known: Sequence[Name]) -> Name:
    """Which of several things is asked for.

    That whose name or label it is; else that whose words include all that are asked for. Of
    several such the one that has nothing which the others lack: "gpt-4o NR" is the level, although
    "gpt-4o NR change" has these words as well.

    Raises:
        NotOne: It is none of them, or several.
    """
    folded = asked.casefold().strip()
    same = [each for each in known if folded in (each.name.casefold(), each.label.casefold())]
    if len(same) == 1:
        return same[0]
    wanted = _words(asked)
    for found in _found(wanted, known) if wanted else ():
        if plain := _plainest(found):
            return plain
        if found:
            raise NotOne(kind, asked, _nearest(asked, found), several=True)
    raise NotOne(kind, asked, _nearest(asked, known), several=False)


def _found(wanted: frozenset[str], known: Sequence[Name]) -> Iterator[list[Name]]:
    """Those that have all words, and then those that have all as parts, of most of them whole."""
    yield [each for each in known if wanted <= _all_words(each)]
    having = [each for each in known if wanted <= _parts(each, wanted)]
    most = max((len(wanted & _all_words(each)) for each in having), default=0)
    yield [each for each in having if len(wanted & _all_words(each)) == most]


def _plainest(found: Sequence[Name]) -> Name | None:
    """The only one, or that whose words all the others have too."""
    words = {each: _all_words(each) for each in found}
    for each in found:
        if all(words[each] < words[other] for other in found if other is not each):
            return each
    return None


def _words(text: str) -> frozenset[str]:
    words = (word.strip(_TRIMMED) for word in text.casefold().split())
    return frozenset(word for word in words if word)


def _all_words(own: Name) -> frozenset[str]:
    return _words(own.name) | _words(own.label)


def _parts(own: Name, wanted: frozenset[str]) -> frozenset[str]:
    """Those of the words wanted that one of its own has in it."""
    words = _all_words(own)
    return frozenset(part for part in wanted if any(part in word for word in words))


def _nearest(asked: str, known: Iterable[Name]) -> list[str]:
    wanted = _words(asked)

    def far(own: Name) -> tuple[int, float]:
        ratio = max(
            difflib.SequenceMatcher(None, asked.casefold(), text.casefold()).ratio()
            for text in (own.name, own.label)
        )
        return -len(wanted & _all_words(own)), -ratio

    return [told(own) for own in sorted(known, key=far)]


def told(own: Name) -> str:
    """A name with its label, where it has another."""
    return own.name if own.name == own.label else f"{own.label} ({own.name})"
