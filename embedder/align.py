"""From a word's characters to the sub-word pieces that stand for it.

A tokenizer says for each piece which characters it comes from. Some count the space before a word
to its first piece, some set a piece of its own for that space, and special tokens come from
nowhere; none of that may lead to a neighbour's piece. Pure: no tokenizer is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from embedder.errors import NotAligned

_SPACE_MARKS: Final = "▁Ġ"
"""How sentencepiece and byte-level tokenizers write a space at the start of a piece."""


def own_pieces(
    text: str, start: int, end: int, *, pieces: Sequence[str], offsets: Sequence[tuple[int, int]]
) -> list[int]:
    """Indices of the pieces of the word `text[start:end]`, in order; at least one.

    A piece is the word's if its characters overlap the word's, white space at the ends of either
    left aside. A piece that stands for white space alone is nobody's: at the start of a text such a
    piece is said to come from the first character, though the text has no space there.

    Args:
        text: What was tokenized.
        start: Where the word begins (characters, from 0).
        end: Where it ends (characters, exclusive).
        pieces: The pieces as the tokenizer writes them.
        offsets: For each piece, where its characters begin and end (exclusive); equal for none.

    Raises:
        NotAligned: No piece overlaps the word, or there is no word there. A word is then never
            given the nearest piece.
    """
    if not 0 <= start < end <= len(text):
        raise NotAligned(
            f"there are no characters {start} to {end} in a text of {len(text)} characters"
        )
    word = text[start:end]
    if not word.strip():
        raise NotAligned(f"characters {start} to {end} of the text are white space")
    first = start + len(word) - len(word.lstrip())
    last = end - len(word) + len(word.rstrip())
    found = [
        index
        for index, (piece, (a, b)) in enumerate(zip(pieces, offsets, strict=True))
        if a < last and first < b and piece.strip(_SPACE_MARKS) and text[a:b].strip()
    ]
    if not found:
        raise NotAligned(f"the tokenizer has no piece for {word!r} at characters {start} to {end}")
    return found
