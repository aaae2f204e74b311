"""Small files of our own in the datasets' native formats, and what every reader must hold to."""

from __future__ import annotations

from pathlib import Path

from prompts import Item
from prompts.datasets.base import Reader, Selection

DATA = Path(__file__).parents[1] / "data"


def read_items(
    read: Reader,
    path: Path,
    task: str,
    *,
    works: tuple[str, ...] = (),
    window_words: int | None = None,
    options: int = 0,
) -> list[Item]:
    """Everything a reader yields."""
    selection = Selection(task=task, works=works, window_words=window_words, options=options)
    return list(read(path, selection))


def marked(item: Item) -> list[tuple[str, str]]:
    """The words of each span, in order of their labels, with the gold of that label."""
    return [(item.text[span.start : span.end], item.gold[span.label]) for span in item.spans]
