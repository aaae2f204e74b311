"""Which part of a long text a model sees for a word."""

from __future__ import annotations

import pytest

from embedder.encoders.windows import window_start


@pytest.mark.parametrize("length", [32, 40, 100])
@pytest.mark.parametrize("room", [8, 31, 32])
def test_every_word_is_well_inside_its_window(length: int, room: int) -> None:
    """With a quarter of the window on each side of it, but for where the text ends."""
    for place in range(length):
        start = window_start(length, room, first=place, last=place)

        assert start is not None
        assert 0 <= start <= place < start + min(room, length)
        assert place - start >= min(place, room // 4 - 1)
        assert start + room - 1 - place >= min(length - 1 - place, room // 4 - 1)


@pytest.mark.parametrize("width", range(1, 11))
def test_a_word_of_several_pieces_is_all_inside_its_window(width: int) -> None:
    """Up to what fits at one of the fixed places; a wider one has none."""
    for first in range(100 - width + 1):
        start = window_start(100, 8, first=first, last=first + width - 1)

        starts = [*range(0, 92, 4), 92]
        fits = [each for each in starts if each <= first and first + width <= each + 8]
        assert start in fits if fits else start is None
