"""Marked mentions stand in brackets that nest, and the passage between the marks is untouched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts import TextSpan
from prompts.tasks.mentions import mark_mentions

DATA = Path(__file__).parents[2].parent / "shared" / "data"
TEXT = "the man and his wife left [quietly]"


def span(label: int, start: int, end: int) -> TextSpan:
    return TextSpan(label=str(label), start=start, end=end)


def marked_by_hand(text: str, spans: Sequence[TextSpan]) -> str:
    """Every place between two letters by itself: first the ends there, then the starts."""
    written = ""
    for place in range(len(text) + 1):
        written += "]" * sum(one.end == place for one in spans)
        starting = [one for one in spans if one.start == place]
        for one in sorted(starting, key=lambda one: one.end, reverse=True):
            written += f"[{one.label}: "
        written += text[place : place + 1]
    return written


def cross(one: TextSpan, other: TextSpan) -> bool:
    return one.start < other.start < one.end < other.end


@pytest.mark.parametrize(
    ("spans", "marked"),
    [
        ((), TEXT),
        ((span(1, 0, 7),), "[1: the man] and his wife left [quietly]"),
        (
            (span(1, 0, 20), span(2, 0, 7), span(3, 12, 20), span(4, 12, 15)),
            "[1: [2: the man] and [3: [4: his] wife]] left [quietly]",
        ),
        ((span(2, 12, 15), span(1, 0, 7)), "[1: the man] and [2: his] wife left [quietly]"),
        ((span(1, 0, 7), span(2, 0, 7)), "[1: [2: the man]] and his wife left [quietly]"),
        ((span(1, 0, 3), span(2, 3, 7)), "[1: the][2:  man] and his wife left [quietly]"),
        ((span(12, 27, 34),), "the man and his wife left [[12: quietly]]"),
        ((span(1, 0, 35),), f"[1: {TEXT}]"),
    ],
)
def test_mentions_are_bracketed_with_their_numbers(
    spans: tuple[TextSpan, ...], marked: str
) -> None:
    """The outer mention opens first and closes last; brackets of the passage stay."""
    assert mark_mentions(TEXT, spans) == marked


def test_mentions_that_cross_are_named() -> None:
    with pytest.raises(ValueError, match=r"'1' \(0-11\) and '2' \(4-20\) cross"):
        mark_mentions(TEXT, (span(2, 4, 20), span(1, 0, 11)))


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 2), (-1, 2), (30, 36)])
def test_a_mention_that_is_no_stretch_of_the_text_is_named(start: int, end: int) -> None:
    with pytest.raises(ValueError, match=rf"'5' \({start}-{end}\) is no stretch .* 35 code points"):
        mark_mentions(TEXT, (span(5, start, end),))


@given(
    st.text(alphabet="ab []:1\n\U0001f600", min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(1, 12)), max_size=6),
)
def test_marks_nest_or_the_crossing_is_told(text: str, bounds: list[tuple[int, int]]) -> None:
    """Whatever the spans, the marks are those set place by place, unless two spans cross."""
    spans = [
        span(number, start, min(end, len(text)))
        for number, (start, end) in enumerate(bounds)
        if start < min(end, len(text))
    ]

    if any(cross(one, other) for one in spans for other in spans):
        with pytest.raises(ValueError, match="cross"):
            mark_mentions(text, spans)
    else:
        assert mark_mentions(text, spans) == marked_by_hand(text, spans)


def test_the_mentions_of_a_novel_are_marked() -> None:
    """Real annotations nest; without the marks the text is as it was."""
    folder = DATA / "litbank" / "coref" / "brat"
    if not folder.exists():
        pytest.skip("needs shared/data/litbank beside the repository")
    for path in sorted(folder.glob("*.ann")):
        text = path.with_suffix(".txt").read_text(encoding="utf-8")[:4_000]
        found = re.findall(r"^T(\d+)\t\S+ (\d+) (\d+)\t", path.read_text(encoding="utf-8"), re.M)
        spans = [span(int(label), int(start), int(end)) for label, start, end in found]
        spans = [one for one in spans if one.end <= len(text)]

        marked = mark_mentions(text, spans)

        assert "]]" in marked
        assert marked == marked_by_hand(text, spans)
        assert re.sub(r"\[\d+: |\]", "", marked) == text.replace("]", "")
