"""Cuts a text of SQL into its statements, and says whether one is finished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_PIECES: Final = re.compile(
    r"""
      (?P<blank> \s+ | --[^\n]* )
    | (?P<comment> /\* )
    | (?P<text> (?<!\w)[eE]'(?:[^'\\]|\\.)*(?:'|\Z)   # with backslashes
              | '[^']*(?:'|\Z)                        # '' inside is two texts side by side
              | "[^"]*(?:"|\Z)
              | (?<!\w)\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z) )
    | (?P<end> ; )
    | (?P<other> \w+ | . )
    """,
    re.DOTALL | re.VERBOSE,
)
_COMMENT_ENDS: Final = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of a text.

    Attributes:
        text: It, without what ends it and without comments in front.
        line: Which line of the whole text it begins on, from 1.
    """

    text: str
    line: int


def statements(text: str) -> list[Statement]:
    """The statements of a text that semicolons part; those with nothing in them are left out."""
    found: list[Statement] = []
    start: int | None = None
    for kind, begin, _ in _pieces(text):
        if kind == "end":
            if start is not None:
                found.append(_statement(text, start, begin))
            start = None
        elif kind != "blank" and start is None:
            start = begin
    if start is not None:
        found.append(_statement(text, start, len(text)))
    return found


def is_finished(text: str) -> bool:
    """Whether a text ends in a semicolon, blanks and comments behind it aside."""
    last = ""
    for kind, _, _ in _pieces(text):
        if kind != "blank":
            last = kind
    return last == "end"


def _statement(text: str, start: int, end: int) -> Statement:
    return Statement(text=text[start:end].rstrip(), line=text.count("\n", 0, start) + 1)


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Kinds of pieces (blank, text, end, other) with where they begin and end."""
    at = 0
    while at < len(text):
        piece = _PIECES.match(text, at)
        if piece is None:  # cannot be: the last alternative takes any character
            return
        end, kind = piece.end(), str(piece.lastgroup)
        if kind == "comment":
            end, kind = _comment_end(text, at), "blank"
        yield ("text" if kind == "tag" else kind), at, end
        at = end


def _comment_end(text: str, at: int) -> int:
    """Where a comment ends that others may stand in."""
    depth = 0
    for mark in _COMMENT_ENDS.finditer(text, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)
