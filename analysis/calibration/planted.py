"""The effects that are planted, worked out from what subjects are expected to score. Pure.

The estimand: for the items as they are asked, the difference between two conditions of the share of
units answered rightly, in expectation over subjects of one kind. Over subjects everything is drawn
that is drawn: which works are known, what is recognised of them, what is reasoned rightly, what is
refused. Each work is known by itself with the same chance, so the works of one subject are a random
sample of works, and this expectation is the value that the bootstrap of works is about. It is not
the effect in the works that one subject happens to know.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from analysis.contrasts import ALL_TASKS, MEMORY_TASKS, Contrast
from analysis.pairs import Condition


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """Where conditions are compared, but for the model."""

    task: str
    dataset: str
    choices: str
    wording: str
    descriptions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What is expected of one item under one condition.

    Attributes:
        units: Units asked for (count).
        right: Of them, those expected to be answered rightly, in [0, units].
    """

    where: Where
    condition: Condition
    item_id: str
    units: int
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """What is expected of every item of an experiment under every condition."""

    _of: dict[Where, dict[Condition, dict[str, Expected]]] = field(default_factory=dict)

    @classmethod
    def of(cls, expected: Iterable[Expected]) -> Self:
        """From what is expected item by item."""
        found: dict[Where, dict[Condition, dict[str, Expected]]] = {}
        for each in expected:
            conditions = found.setdefault(each.where, {})
            conditions.setdefault(each.condition, {})[each.item_id] = each
        return cls(_of=found)

    def difference(self, contrast: Contrast) -> float | None:
        """The planted difference of a contrast, over the items asked under both its conditions.

        Of the mean over tasks it is the mean of the tasks' planted differences, weighed as
        `analysis.effects.mean_effect` weighs them. None where no item is asked under both.
        """
        if contrast.task != ALL_TASKS:
            own = Where(
                contrast.task,
                contrast.dataset,
                contrast.choices,
                contrast.wording,
                contrast.descriptions,
            )
            return self._difference(own, contrast.a, contrast.b)
        by_task: dict[str, list[float]] = {}
        for own in self._of:
            if own.wording == contrast.wording and own.task not in MEMORY_TASKS:
                found = self._difference(own, contrast.a, contrast.b)
                if found is not None:
                    by_task.setdefault(own.task, []).append(found)
        means = [sum(parts) / len(parts) for parts in by_task.values()]
        return sum(means) / len(means) if means else None

    def _difference(self, own: Where, a: Condition, b: Condition) -> float | None:
        conditions = self._of.get(own, {})
        items_a, items_b = conditions.get(a, {}), conditions.get(b, {})
        both = [item for item in items_a if item in items_b]
        units = sum(items_a[item].units for item in both)
        if not units:
            return None
        more = sum(items_a[item].right - items_b[item].right for item in both)
        return more / units
