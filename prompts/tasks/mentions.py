"""Shows mentions in a passage: each stands in brackets, with its number before its words.

Nested mentions nest as brackets do. Brackets that the passage has of its own stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from prompts.item import TextSpan


def mark_mentions(text: str, spans: Sequence[TextSpan]) -> str:
    """The text with every span as `[label: words]`.

    Args:
        text: The passage.
        spans: Stretches of it, in any order, none of them empty. One may lie in another; of those
            with the same bounds, the first given is the outer.

    Raises:
        ValueError: Two spans cross, or one is empty or reaches beyond the text.
    """
    marked: list[str] = []
    open_spans: list[TextSpan] = []
    at = 0

    def copy(end: int) -> None:
        """Copies the text up to `end`, and closes the spans that end on the way."""
        nonlocal at
        while open_spans and open_spans[-1].end <= end:
            closed = open_spans.pop()
            marked.append(text[at : closed.end] + "]")
            at = closed.end
        marked.append(text[at:end])
        at = end

    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not 0 <= span.start < span.end <= len(text):
            raise ValueError(
                f"mention {_told(span)} is no stretch of the text, which has {len(text)} code "
                "points; give spans with 0 <= start < end <= that"
            )
        copy(span.start)
        if open_spans and span.end > open_spans[-1].end:
            raise ValueError(
                f"mentions {_told(open_spans[-1])} and {_told(span)} cross: brackets cannot show "
                "both; leave one out, or give spans of which one contains the other"
            )
        marked.append(f"[{span.label}: ")
        open_spans.append(span)
    copy(len(text))
    return "".join(marked)


def _told(span: TextSpan) -> str:
    return f"{span.label!r} ({span.start}-{span.end})"
