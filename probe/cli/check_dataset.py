"""What `probe data check` counts: a dataset's items, as its reader gives them for one task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from prompts import DatasetError, Item, NamePolicy, SetAside, show
from prompts.datasets import Dataset, Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How a dataset is read.

    Attributes:
        strategies: Name strategies that every item is put under.
        window_words: Words of a window (count); None leaves texts whole.
    """

    dataset: Dataset
    root: Path
    strategies: Sequence[str]
    window_words: int | None


def rows(checked: Checked, tasks: Sequence[str]) -> list[tuple[object, ...]]:
    """Task, what is counted, and how often, of all tasks.

    A file of one's own may hold what some tasks need and others do not: a task without an item is
    a row that says so, unless every task is one.

    Raises:
        DatasetError: A file is not as published, or has no item for any of the tasks.
    """
    found: list[tuple[object, ...]] = []
    without: list[DatasetError] = []
    for task in tasks:
        try:
            found += [(task, *row) for row in _counted(checked, task)]
        except DatasetError as error:
            if error.where:  # something in a file is wrong, whatever the task
                raise
            without.append(error)
            found.append((task, f"no items: {error.found}", 0))
    if len(without) == len(tasks):
        raise without[0]
    return found


def _counted(checked: Checked, task: str) -> list[tuple[str, int]]:
    tally: Counter[str] = Counter()
    kinds: dict[str, set[str]] = {"works": set(), "scenes": set(), "documents": set()}
    ids: Counter[str] = Counter()
    selection = Selection(task=task, window_words=checked.window_words)
    for item in checked.dataset.items(checked.root, selection):
        ids[item.item_id] += 1
        kinds["works"].add(item.work)
        kinds["scenes"].add(item.scene or item.item_id)
        kinds["documents"].add(item.document or item.item_id)
        tally.update(_of(item))
        tally.update(_set_aside(item, checked.strategies))
    first = [
        ("items", ids.total()),
        *((kind, len(found)) for kind, found in kinds.items()),
        ("gold labels", tally.pop("gold labels", 0)),
        ("marked spans", tally.pop("marked spans", 0)),
        ("items with notes", tally.pop("items with notes", 0)),
    ]
    repeated = sum(times - 1 for times in ids.values())
    if repeated:
        first.append(("item ids that came before", repeated))
    return first + sorted(tally.items())


def _of(item: Item) -> Iterator[str]:
    yield from ("gold labels" for _ in item.gold)
    yield from ("marked spans" for _ in item.spans)
    yield from (f"flag {flag}" for flag in item.flags)
    if item.notes:
        yield "items with notes"


def _set_aside(item: Item, strategies: Sequence[str]) -> Iterator[str]:
    for names in strategies:
        try:
            show(item, names, NamePolicy())
        except SetAside as error:
            yield f"set aside under {names}: {error.reason}"
