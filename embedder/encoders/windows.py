"""Which part of a text that is too long the model sees, so that a word is well inside it. Pure."""

from __future__ import annotations


def window_start(length: int, room: int, *, first: int, last: int) -> int | None:
    """Where the window for a word begins (tokens, from 0); None if the word is wider than it.

    Windows lie at fixed places that overlap by half, and the word gets the one in whose middle it
    is most nearly. So the window depends on the word alone, never on what else is asked for, and
    the words of a text still share few windows.

    Args:
        length: Tokens of the text (count).
        room: Tokens of a window (count, at least 1).
        first: The word's first token.
        last: Its last token.
    """
    if length <= room:
        return 0
    starts = [*range(0, length - room, max(1, room // 2)), length - room]
    inside = [start for start in starts if start <= first and last < start + room]
    # Twice the distance of the middles, to stay with whole numbers.
    return min(inside, key=lambda start: abs(2 * start + room - first - last - 1), default=None)
