"""Cuts long texts into windows that fit a model's context, at ends of lines or paragraphs.

Nothing is lost: every block of a text stands in one window.
"""

from __future__ import annotations

from collections.abc import Sequence


def windows(blocks: Sequence[str], most_words: int | None) -> list[range]:
    """Which blocks go together: consecutive ranges over `blocks`, all of them, in order.

    A window takes blocks as long as its words stay within `most_words`; one longer block is a
    window of its own, since it cannot be cut without cutting a sentence.

    Args:
        blocks: Lines or paragraphs of one text.
        most_words: Words of a window (count, by white space); None makes one window of all.
    """
    if most_words is None or not blocks:
        return [range(len(blocks))] if blocks else []
    found: list[range] = []
    start = words = 0
    for at, block in enumerate(blocks):
        own = len(block.split())
        if at > start and words + own > most_words:
            found.append(range(start, at))
            start, words = at, 0
        words += own
    return [*found, range(start, len(blocks))]
