"""Cuts an item into windows that fit a model's context, its gold and its spans with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from prompts.datasets.windows import windows
from prompts.item import Item, TextSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One window of an item's text.

    Attributes:
        item: The whole item with the window's text, number and note; spans and gold are still
            those of the whole.
        blocks: Which blocks of the whole it holds.
        start: Its first code point in the whole text.
        end: One past its last.
    """

    item: Item
    blocks: range
    start: int
    end: int


def parts(
    item: Item,
    blocks: Sequence[str],
    most_words: int | None,
    *,
    joint: str = "\n",
    unit: str = "lines",
) -> Iterator[Part]:
    """The windows of an item; the item itself, under its own id, where one window holds it all.

    Args:
        item: Its text is the blocks, joined.
        blocks: Lines, sentences or paragraphs.
        most_words: Words of a window (count, by white space); None leaves the text whole.
        joint: What stands between two blocks.
        unit: What the notes call a block, in the plural.
    """
    found = windows(blocks, most_words)
    if len(found) <= 1:
        yield Part(item=item, blocks=range(len(blocks)), start=0, end=len(item.text))
        return
    start = 0
    for part, window in enumerate(found):
        text = joint.join(blocks[at] for at in window)
        end = start + len(text)
        place = f"{unit} {window.start + 1}-{window.stop} of {len(blocks)}"
        cut = replace(
            item,
            item_id=f"{item.item_id}#{part}",
            text=text,
            document=item.item_id,
            part=part,
            parts=len(found),
            notes=(*item.notes, f"window {part + 1} of {len(found)}, {place}"),
        )
        yield Part(item=cut, blocks=window, start=start, end=end)
        start = end + len(joint)


def cut(
    item: Item,
    blocks: Sequence[str],
    most_words: int | None,
    *,
    joint: str = "\n",
    unit: str = "lines",
    holds: Callable[[str, range], bool] = lambda _label, _blocks: True,
) -> Iterator[Item]:
    """The windows of an item in which something of its gold is left.

    Args:
        item: The whole.
        blocks: See `parts`.
        most_words: See `parts`.
        joint: See `parts`.
        unit: See `parts`.
        holds: Whether a gold label that has no span belongs to a window of these blocks.
    """
    placed = {span.label for span in item.spans}
    for part in parts(item, blocks, most_words, joint=joint, unit=unit):
        spans = tuple(
            TextSpan(label=span.label, start=span.start - part.start, end=span.end - part.start)
            for span in item.spans
            if part.start <= span.start and span.end <= part.end
        )
        here = {span.label for span in spans}
        gold = {
            label: value
            for label, value in item.gold.items()
            if (label in here if label in placed else holds(label, part.blocks))
        }
        if gold:
            yield replace(part.item, gold=gold, spans=spans)
