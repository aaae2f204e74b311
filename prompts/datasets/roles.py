"""Role detection items: mentions of people, and whether each means the perpetrator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from prompts.datasets.mentions import Mention
from prompts.datasets.parts import parts
from prompts.item import Item, TextSpan


def role_items(
    item: Item,
    blocks: Sequence[str],
    mentions: Sequence[Mention],
    perpetrator: str,
    most_words: int | None,
) -> Iterator[Item]:
    """The windows of a text that hold mentions, each with numbers of its own.

    Args:
        item: The whole text; its gold and spans are filled in here.
        blocks: Its lines, parted by line feeds.
        mentions: In any order, each within one block, none across another.
        perpetrator: The entity asked for; none of a window's mentions need mean them.
        most_words: Words of a window (count); None leaves the text whole.
    """
    ordered = sorted(mentions, key=lambda mention: (mention.start, -mention.end))
    for part in parts(item, blocks, most_words):
        own = [m for m in ordered if part.start <= m.start and m.end <= part.end]
        if own:
            spans = tuple(
                TextSpan(label=str(n), start=m.start - part.start, end=m.end - part.start)
                for n, m in enumerate(own, start=1)
            )
            gold = {
                str(n): "yes" if m.entity == perpetrator else "no"
                for n, m in enumerate(own, start=1)
            }
            yield replace(part.item, spans=spans, gold=gold)
