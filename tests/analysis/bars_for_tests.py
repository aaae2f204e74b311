"""The invented cells that the tests of figures draw."""

from __future__ import annotations

from analysis.cells import Cell
from analysis.statistics import Interval

ROWS = {"deeds": "What they do", "words": "What they say", "spare": "Not drawn"}
GROUPS = {"skipper": "Skipper", "spare": "Not drawn", "cook": "Cook & mate, $5 to $6 <each>"}
Place = tuple[str, str, str]
NUMBERS: dict[Place, tuple[float | None, int, Interval | None]] = {
    ("deeds", "skipper", "in"): (0.5, 7, Interval(0.375, 0.75)),
    ("deeds", "skipper", "out"): (-0.125, 7, Interval(-0.25, 0.0)),
    ("deeds", "cook", "in"): (0.25, 4, Interval(0.3, 0.4)),
    ("deeds", "cook", "out"): (0.0, 4, None),
    ("words", "skipper", "in"): (None, 1, None),
    ("words", "skipper", "out"): (-0.2, 6, Interval(-0.3, -0.1)),
    ("words", "cook", "in"): (-0.00001, 4, None),
    ("words", "cook", "out"): (0.1, 4, Interval(-0.00001, 0.2)),
}
"""One interval does not hold its value, as a bootstrap's may not; one bar is undefined."""


def cells() -> list[Cell]:
    """In an order that is not the figure's."""
    return [
        Cell(
            table="Figure 9",
            row=row,
            column=f"{group}.{side}",
            value=value,
            n=n,
            interval=interval,
            undefined="one character" if value is None else None,
        )
        for (row, group, side), (value, n, interval) in sorted(NUMBERS.items(), reverse=True)
    ]
