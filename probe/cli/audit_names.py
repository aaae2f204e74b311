"""What `probe names audit` counts: each item under each strategy, what became of its names."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from probe.errors import PlanEmpty
from prompts import NAMES, Item, NamePolicy, SetAside, show

KINDS: Final = ("names", "titles", "places", "phrases")
"""What can leak, from likely to possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfDataset:
    """Which items of a dataset are audited; each field is the option of the same name."""

    dataset: str
    path: Path | None = None
    task: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One item under one name strategy.

    Attributes:
        reason: Why it cannot be shown; None where it can.
        replaced: Occurrences replaced (count).
        left: What stands in the text all the same, kind by kind: form -> occurrences.
        unknown: Capitalised words that belong to nobody: word -> occurrences.
    """

    item: Item
    names: str
    reason: str | None = None
    replaced: int = 0
    left: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)

    @property
    def leaks(self) -> bool:
        """Whether anything is left."""
        return any(self.left.values())


def of_experiment(experiment: Path, strategies: Sequence[str]) -> Iterator[Audited]:
    """The items an experiment asks about, under its strategies or only some of them.

    Raises:
        SpecError: The file is not as it should be.
        DatasetError: A dataset's file is not as published.
        UnknownName: A strategy that is not there.
    """
    from probe.progress import FetchDisplay  # noqa: PLC0415 - only where something is fetched
    from probe.resolve import find  # noqa: PLC0415
    from probe.spec import read_spec  # noqa: PLC0415

    display = FetchDisplay()
    try:
        plan = find(read_spec(experiment), experiment, display)
    finally:
        display.close()
    with plan.draw() as drawn:
        items = (drawn.spool.get(number) for number in drawn.order)
        yield from _audited(items, strategies or plan.asking.names, plan.asking.policy)


def of_dataset(asked: OfDataset, strategies: Sequence[str]) -> Iterator[Audited]:
    """The items of a dataset, in the order of its files.

    Raises:
        DatasetError: A file is not as published.
        PlanEmpty: The dataset is not here, or gives no item.
        UnknownName: A dataset, task or strategy that is not there.
    """
    from probe.homes import root_of  # noqa: PLC0415 - only where something is read
    from prompts.datasets import Selection, dataset_named  # noqa: PLC0415
    from prompts.errors import UnknownName  # noqa: PLC0415

    dataset = dataset_named(asked.dataset)
    tasks = (*dataset.tasks, *dataset.derives)
    task = asked.task or tasks[0]
    if task not in tasks:
        raise UnknownName(f"task of {dataset.name}", task, tasks)
    root = root_of(dataset, asked.path)
    items = itertools.islice(dataset.items(root, Selection(task=task)), asked.limit)
    first = next(items, None)
    if first is None:
        raise PlanEmpty(task, dataset.name, f"nothing in {root} fits")
    yield from _audited(itertools.chain([first], items), strategies or NAMES, NamePolicy())


def _audited(
    items: Iterable[Item], strategies: Sequence[str], policy: NamePolicy
) -> Iterator[Audited]:
    for item in items:
        for names in strategies:
            if names != "original":
                yield _one(item, names, policy)


def _one(item: Item, names: str, policy: NamePolicy) -> Audited:
    try:
        account = show(item, names, policy).audit
    except SetAside as error:
        return Audited(item=item, names=names, reason=error.reason)
    return Audited(
        item=item,
        names=names,
        replaced=account.replaced,
        left={
            "names": account.leaks,
            "titles": account.titles,
            "places": account.places,
            "phrases": account.phrases,
        },
        unknown=account.suspects,
    )
