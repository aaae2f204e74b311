"""Where an offset of the original text lies after names were replaced.

Offsets are code points, spans half-open. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


class SpanInsideName(ValueError):
    """A span begins or ends inside a replaced name, so it has no image in the new text."""

    def __init__(self, start: int, end: int, name: str) -> None:
        super().__init__(start, end, name)
        self.start, self.end, self.name = start, end, name

    def __str__(self) -> str:
        return f"span {self.start}:{self.end} cuts through the replaced name {self.name!r}"


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: `old` stood at `start` of the original and is now `new`."""

    start: int
    old: str
    new: str

    @property
    def end(self) -> int:
        """End of `old` in the original text."""
        return self.start + len(self.old)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """Maps spans over a tuple of edits, sorted and disjoint."""

    edits: tuple[Edit, ...]

    def span(self, start: int, end: int) -> Span:
        """The image of a span of the original text.

        Raises:
            SpanInsideName: An end of the span lies strictly inside a replaced name.
        """
        return Span(self._offset(start, start, end), self._offset(end, start, end))

    def _offset(self, at: int, start: int, end: int) -> int:
        count = bisect_right(self.edits, at, key=lambda edit: edit.end)
        if count < len(self.edits) and self.edits[count].start < at:
            raise SpanInsideName(start, end, self.edits[count].old)
        return at + sum(len(edit.new) - len(edit.old) for edit in self.edits[:count])


def apply(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with its edits made.

    Args:
        text: The original.
        edits: Sorted, disjoint, each with the `old` that stands there.
    """
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.new)
        at = edit.end
    return "".join(parts) + text[at:]


def undo(text: str, edits: tuple[Edit, ...]) -> str:
    """The original of a text that `apply` made with the same edits."""
    shift = 0
    back: list[Edit] = []
    for edit in edits:
        back.append(Edit(edit.start + shift, edit.new, edit.old))
        shift += len(edit.new) - len(edit.old)
    return apply(text, tuple(back))
