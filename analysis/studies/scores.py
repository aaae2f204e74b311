"""A number of a study of conditions: a level under one, or its change from another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from analysis.cells import Cell

Kind = Literal["level", "change"]
SIGNIFICANT: Final = 0.05
"""Holm-adjusted p below which a change is marked."""
MOST_MISSING: Final = 0.01
"""Share of missing replies above which a number is marked, and its bounds are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Cell):
    """One number, in percent where it is a level and in percentage points where it is a change.

    A change is what comes after less what was before: negative where something is lost.

    Attributes:
        group: What several columns share: a model.
        kind: Changes stand in the cell of the level of their column.
        p: Of the null hypothesis that nothing changes; None where it is not tested.
        p_holm: The same after Holm's adjustment over the experiment.
        missing: Share of the replies that are missing, in [0, 1]; None where it is not known.
        lowest: The number if missing replies were as bad for it as can be, in its unit.
        highest: If they were as good as can be.
        facts: What else a program is told: which rows of the store it is made of, and by which
            query.
        unit: Where it is not the one above.
    """

    group: str
    kind: Kind = "level"
    p: float | None = None
    p_holm: float | None = None
    missing: float | None = None
    lowest: float | None = None
    highest: float | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    unit: str | None = None

    @property
    def is_marked(self) -> bool:
        """Whether it is a change that chance alone does not explain."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT

    @property
    def lacks(self) -> bool:
        """Whether so many replies are missing that its bounds matter."""
        return self.missing is not None and self.missing > MOST_MISSING

    def record(self) -> dict[str, object]:
        """What a flat record has beside a cell's own fields."""
        return {
            "model": self.group,
            "kind": self.kind,
            "unit": self.unit or ("percent" if self.kind == "level" else "percentage points"),
            "p": self.p,
            "p_holm": self.p_holm,
            "missing": self.missing,
            "lowest": self.lowest,
            "highest": self.highest,
            **self.facts,
        }
