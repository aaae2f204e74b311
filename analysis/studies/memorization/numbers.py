"""What the tables are made of, whatever gives it: levels, changes, and who was asked what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from analysis.pairs import Condition
from analysis.statistics import Interval
from analysis.studies.memorization.rows import Place


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """What all of a table's numbers have in common."""

    wording: str
    descriptions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A headline under one condition.

    Attributes:
        value: In [0, 1]; None where it is undefined.
        metric: Which metrics it is the mean of.
        interval: 95 %, of the documents resampled.
        undefined: Why there is no value or no interval.
        items: Documents with a reply (count).
        cells: Cells asked (count).
        missing: Of those, without a reply that could be scored (count).
    """

    value: float | None
    metric: str
    interval: Interval | None
    undefined: str | None
    items: int
    cells: int
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a condition has less what another has, over items with replies under both, in [-1, 1].

    Attributes:
        before: Of the condition it is held against.
        after: Of the condition itself.
        value: `after` less `before`; None where it is undefined.
        interval: 95 %; None with the reason in `undefined`.
        p: Of the null hypothesis of no change; None where it is not tested.
        p_holm: Adjusted over the experiment; None where it is not among the contrasts tested.
        missing: Share of the pairs' replies that are missing.
        lowest: The change if every missing reply were as bad for it as can be.
        highest: If every one were as good.
        items: Items with replies under both (count).
        facts: What else is known of it.
    """

    before: float | None
    after: float | None
    value: float | None
    interval: Interval | None
    undefined: str | None
    p: float | None = None
    p_holm: float | None = None
    missing: float | None = None
    lowest: float | None = None
    highest: float | None = None
    items: int = 0
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Side:
    """A condition in a setting."""

    setting: Setting
    condition: Condition


class Numbers(Protocol):
    """The numbers of an experiment."""

    @property
    def experiment(self) -> str:
        """Its name."""

    @property
    def models(self) -> tuple[str, ...]:
        """In order."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Wordings and descriptions asked, the tasks' own wording and no descriptions first."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Every row there can be, the mean of all tasks and parts by flag among them."""

    def level(self, place: Place, model: str, side: Side) -> Level | None:
        """A headline; None where nothing was asked."""

    def change(self, place: Place, model: str, before: Side, after: Side) -> Change | None:
        """How a headline changes; None where one of the sides was not asked."""
