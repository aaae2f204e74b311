"""Where the tokens of a text stand in it, from the pieces of text that a server shows for them.

Pieces are not always a plain cut of the text. A token that holds a part of a character is shown
with U+FFFD in its place, or as nothing, and then the token that completes the character is shown
with all of it. A tokenizer that marks the beginnings of words leaves out the space before a word
that it decodes alone. What remains is one way, or none, to lay the pieces over the text; it is
searched for over bytes, since a token may begin and end within a character. Where several such
characters stand side by side and all their pieces are U+FFFD, a piece may be given to the one
beside its own. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_UNKNOWN = "�"
_SPACE = 0x20
_MOST_BYTES = 4
_LONGEST_TOKEN = 256


@dataclass(frozen=True, slots=True)
class Laid:
    """Pieces laid over a text.

    Attributes:
        offsets: First code point of each piece that is of the text.
        dropped: Pieces before them that are not, as that of a beginning-of-text token (count).
    """

    offsets: tuple[int, ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class Misfit:
    """Pieces that do not add up to the text.

    Attributes:
        at: The first piece that fits nowhere; the number of pieces where they all fit and text is
            left over.
    """

    at: int


def lay(text: str, pieces: Sequence[str | None], *, opens: bool | None = None) -> Laid | Misfit:
    """Lay pieces over the text they are of.

    Args:
        text: What was sent.
        pieces: In order; the first is None where the server does not show it.
        opens: Whether the first piece stands before the text, as a beginning-of-text token does;
            None where that is not known.
    """
    data = text.encode()
    furthest = 0
    for spaces in (False, True):
        for first, start in _beginnings(len(data), pieces, opens=opens):
            found = _Search(data, pieces, spaces=spaces).run(first, start)
            if isinstance(found, Misfit):
                furthest = max(furthest, found.at)
                continue
            starts = [0, *found] if start else found
            own = pieces[len(pieces) - len(starts) :]
            return Laid(_offsets(data, starts, own), len(pieces) - len(starts))
    return Misfit(furthest)


def _beginnings(
    size: int, pieces: Sequence[str | None], *, opens: bool | None
) -> Iterator[tuple[int, int]]:
    """Which piece is the first to be laid, and at which byte."""
    shown = not pieces or pieces[0] is not None
    if shown and not (opens and pieces):
        yield 0, 0
    if pieces and opens is not False:
        yield 1, 0
    if not shown and not opens:
        yield from ((1, start) for start in range(1, min(size, _LONGEST_TOKEN) + 1))


class _Search:
    """Depth first, the plainest way of each piece before the others; no place is tried twice."""

    def __init__(self, data: bytes, pieces: Sequence[str | None], *, spaces: bool) -> None:
        self._data = data
        self._pieces = [piece or "" for piece in pieces]
        self._spaces = spaces

    def run(self, first: int, start: int) -> list[int] | Misfit:
        """The first bytes of the pieces from the first on, which take up all from `start`."""
        last, furthest = len(self._pieces), first
        seen: set[tuple[int, int]] = set()
        starts = [start]
        ways = [self._ends(first, start)] if first < last else []
        while ways:
            at = first + len(ways)
            end = next(ways[-1], None)
            if end is None:
                ways.pop()
                starts.pop()
                continue
            if (at, end) in seen:
                continue
            seen.add((at, end))
            furthest = max(furthest, at)
            if at < last:
                starts.append(end)
                ways.append(self._ends(at, end))
            elif end == len(self._data):
                return starts
        if first == last and start == len(self._data):
            return []
        return Misfit(furthest)

    def _ends(self, at: int, start: int) -> Iterator[int]:
        piece = self._pieces[at]
        if not piece:
            yield start
            yield from self._within_character(start)
            return
        yield from self._plain_ends(piece, start)
        while self._spaces and start < len(self._data) and self._data[start] == _SPACE:
            start += 1
            yield from self._plain_ends(piece, start)

    def _plain_ends(self, piece: str, start: int) -> Iterator[int]:
        data = self._data
        if _UNKNOWN not in piece:
            told = piece.encode()
            if data.startswith(told, start):
                yield start + len(told)
            return
        unknown = piece.count(_UNKNOWN)
        least = len(piece.replace(_UNKNOWN, "").encode()) + unknown
        for end in range(start + least, min(start + least + 2 * unknown, len(data)) + 1):
            if data[start:end].decode(errors="replace") == piece:
                yield end

    def _within_character(self, start: int) -> Iterator[int]:
        """Ends of a part of a character, to its last byte at most."""
        if start >= len(self._data) or self._data[start] < 0x80:
            return
        for end in range(start + 1, min(start + _MOST_BYTES, len(self._data)) + 1):
            yield end
            if end == len(self._data) or not _continues(self._data[end]):
                return


def _continues(byte: int) -> bool:
    """Whether a byte of UTF-8 is not the first of its character."""
    return byte & 0xC0 == 0x80


def _offsets(data: bytes, starts: list[int], pieces: Sequence[str | None]) -> tuple[int, ...]:
    """Code points of bytes; what completes a character begins in it, whatever is shown with it."""
    before = [0]
    for byte in data:
        before.append(before[-1] + (not _continues(byte)))
    length = before[-1]
    offsets = []
    run = 0
    for at, start in enumerate(starts):
        within = start < len(data) and _continues(data[start])
        offsets.append(before[start] - 1 if within else min(before[start], length))
        if pieces[at] == "" and at + 1 < len(starts) and starts[at + 1] == start:
            run += 1
            continue
        if run:
            inside = _first_wide(pieces[at] or "")
            for place in range(at - run + 1, at + 1):
                offsets[place] += inside
        run = 0
    return tuple(offsets)


def _first_wide(piece: str) -> int:
    """The first character of a piece that takes more than one byte, or 0."""
    return next((place for place, char in enumerate(piece) if not char.isascii()), 0)
