"""From a word's characters to its sub-word pieces."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedder.align import own_pieces
from embedder.errors import NotAligned

# As a sentencepiece tokenizer gives them: the space counts to the piece after it, a space that is
# a piece of its own at the start is said to come from the first character, specials from nowhere.
TEXT = "“Oh!” she walked; walked."
PIECES = ["▁", "“", "Oh", "!”", "▁she", "▁walk", "ed", ";", "▁walk", "ed", ".", "</s>"]
OFFSETS = [
    (0, 1), (0, 1), (1, 3), (3, 5), (5, 9), (9, 14), (14, 16), (16, 17),
    (17, 22), (22, 24), (24, 25), (0, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        pytest.param(1, 3, [2], id="inside quotation marks"),
        pytest.param(0, 1, [1], id="at the start, without the piece for a space"),
        pytest.param(6, 9, [4], id="its piece counts the space before it"),
        pytest.param(10, 16, [5, 6], id="two pieces, the first of two occurrences"),
        pytest.param(18, 24, [8, 9], id="the second occurrence"),
        pytest.param(16, 17, [7], id="a mark, without the word before or after it"),
        pytest.param(24, 25, [10], id="the last character, without the special token"),
        pytest.param(14, 16, [6], id="part of a word"),
        pytest.param(11, 15, [5, 6], id="across two pieces"),
        pytest.param(9, 17, [5, 6, 7], id="white space before it is not the word's"),
        pytest.param(6, 10, [4], id="nor is white space after it"),
        pytest.param(0, 9, [1, 2, 3, 4], id="two words"),
    ],
)
def test_the_pieces_are_the_words_own(start: int, end: int, expected: list[int]) -> None:
    """By overlap, white space aside: never a neighbour's."""
    assert own_pieces(TEXT, start, end, pieces=PIECES, offsets=OFFSETS) == expected


def test_an_astral_character_in_several_bytes_is_all_its_pieces() -> None:
    """Byte-level tokenizers give each byte the character's place."""
    text = "a 😀 b"
    pieces = ["a", "Ġ", "ð", "Ł", "ĺ", "Ģ", "Ġb"]
    offsets = [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (2, 3), (3, 5)]

    assert own_pieces(text, 2, 3, pieces=pieces, offsets=offsets) == [2, 3, 4, 5]


def test_a_combining_mark_that_a_tokenizer_composed_belongs_to_its_letter() -> None:
    """The piece is said to come from the letter alone; the word has mark and letter."""
    text = "cafe\u0301 x"

    found = own_pieces(text, 0, 5, pieces=["▁caf", "é", "▁x"], offsets=[(0, 3), (3, 4), (5, 7)])

    assert found == [0, 1]


def test_a_piece_of_white_space_is_nobodys() -> None:
    """Be it a mark for a space or a tokenizer's own piece for a tab, even between two words."""
    text = "she\twalked on"
    pieces = ["▁she", "\t", "walked", "▁", "on"]
    offsets = [(0, 3), (3, 4), (4, 10), (10, 11), (11, 13)]

    assert own_pieces(text, 0, 13, pieces=pieces, offsets=offsets) == [0, 2, 4]


def test_a_space_that_counts_to_the_piece_before_it_does_not_make_it_the_words() -> None:
    """Nor does a span that begins with the space."""
    found = own_pieces("on he", 2, 5, pieces=["on ", "he"], offsets=[(0, 3), (3, 5)])

    assert found == [1]


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (5, 6, "characters 5 to 6 of the text are white space"),
        (3, 3, "no characters 3 to 3 in a text of 25"),
        (20, 26, "no characters 20 to 26 in a text of 25"),
        (-1, 2, "no characters -1 to 2"),
    ],
)
def test_no_word_is_an_error(start: int, end: int, message: str) -> None:
    """It says what is there in its place."""
    with pytest.raises(NotAligned, match=message):
        own_pieces(TEXT, start, end, pieces=PIECES, offsets=OFFSETS)


def test_a_word_without_a_piece_is_told_and_not_guessed() -> None:
    """Such as one beyond what was tokenized."""
    with pytest.raises(NotAligned, match="no piece for 'walked' at characters 18 to 24"):
        own_pieces(TEXT, 18, 24, pieces=PIECES[:8], offsets=OFFSETS[:8])


WORDS = st.lists(st.text("abcé😀", min_size=1, max_size=6), min_size=1, max_size=8)


@given(WORDS, st.data())
def test_every_word_of_any_text_gets_exactly_its_own(words: list[str], data: st.DataObject) -> None:
    """Words cut anywhere, the space counted to the piece after it: the pieces spell the word."""
    pieces: list[str] = []
    offsets: list[tuple[int, int]] = []
    spans: list[tuple[int, int]] = []
    at = 0
    for word in words:
        cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(word) - 1)))))
        edges = [0, *(cut for cut in cuts if cut < len(word)), len(word)]
        spans.append((at, at + len(word)))
        for a, b in itertools.pairwise(edges):
            space = 1 if a == 0 and at else 0
            pieces.append("▁" * (a == 0) + word[a:b])
            offsets.append((at + a - space, at + b))
        at += len(word) + 1

    text = " ".join(words)
    for word, (start, end) in zip(words, spans, strict=True):
        found = own_pieces(text, start, end, pieces=pieces, offsets=offsets)

        assert "".join(pieces[index] for index in found) == f"▁{word}"
