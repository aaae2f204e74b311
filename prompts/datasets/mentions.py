"""Coreference items: mentions of people, numbered as they stand, and their clusters.

Clusters are opaque numbers by first appearance, since datasets name them after the people they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from prompts.datasets.parts import parts
from prompts.item import Item, TextSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A stretch of a text that means someone.

    Attributes:
        start: First code point of the text.
        end: One past the last.
        entity: Whom it means, in any words that no one else shares.
    """

    start: int
    end: int
    entity: str


def mention_items(
    item: Item, blocks: Sequence[str], mentions: Sequence[Mention], most_words: int | None
) -> Iterator[Item]:
    """The windows of a text that hold mentions, each with numbers of its own.

    A mention that crosses another one is left out with a note: marks cannot show both.

    Args:
        item: The whole text; its gold and spans are filled in here.
        blocks: Its lines or sentences.
        mentions: In any order. A mention that reaches over the end of a window is in none.
        most_words: Words of a window (count); None leaves the text whole.
    """
    for part in parts(item, blocks, most_words):
        own = [
            replace(mention, start=mention.start - part.start, end=mention.end - part.start)
            for mention in mentions
            if part.start <= mention.start and mention.end <= part.end
        ]
        if own:
            yield _numbered(part.item, own)


def _numbered(item: Item, mentions: Sequence[Mention]) -> Item:
    kept: list[Mention] = []
    notes: list[str] = []
    around: list[int] = []  # where the mentions end that the next one may lie in
    for mention in sorted(mentions, key=lambda one: (one.start, -one.end)):
        while around and around[-1] <= mention.start:
            around.pop()
        if around and mention.end > around[-1]:
            place = f"{mention.start}-{mention.end}"
            notes.append(f"the mention at {place} crosses another and is left out")
            continue
        around.append(mention.end)
        kept.append(mention)
    cluster: dict[str, str] = {}
    spans, gold = [], {}
    for number, mention in enumerate(kept, start=1):
        spans.append(TextSpan(label=str(number), start=mention.start, end=mention.end))
        gold[str(number)] = cluster.setdefault(mention.entity, str(len(cluster)))
    return replace(item, spans=tuple(spans), gold=gold, notes=(*item.notes, *notes))
