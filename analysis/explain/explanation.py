"""What is said of one number: what it is, the query behind it, and how its rows make it again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from analysis.statistics import Interval
from store.read import Source, ask

Record = Mapping[str, object]
Records = Sequence[Record]
T = TypeVar("T")

TOLERANCE: Final = 1e-9
"""How far two ways to add up the same numbers may be apart, relative or absolute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What a number is.

    Attributes:
        what: In words.
        formula: How it is worked out from the rows of its query.
        unit: In which it is printed.
        source: Paper and section, or that it is ours.
        interval: How its interval and its test are made, with clusters, resamples and seed; empty
            where it has neither.
    """

    what: str
    formula: str
    unit: str
    source: str
    interval: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """A number with what is told beside it, in the unit of its record.

    Attributes:
        value: A number or a text; None where it is undefined.
        n: Cases it rests on (count); None where that is not told.
        others: What the value may be as well: of several texts that are equally common.
    """

    value: object
    interval: Interval | None = None
    p: float | None = None
    n: int | None = None
    others: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Where a number comes from.

    Attributes:
        query: Its rows; runs as it stands. Empty where no row of the store is behind it.
        recompute: The number anew, from what the query returned.
        behind: The query for the cells and replies, or what else there is, behind one of the rows.
        nothing: Why there is no query.
    """

    definition: Definition
    query: str
    recompute: Callable[[Records], Numbers]
    behind: Callable[[Record], str] | None = None
    nothing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A number as printed beside the same from the rows.

    Attributes:
        name: "value", "interval", "p" or "n".
    """

    name: str
    printed: object
    found: object
    same: bool


def rows_of(source: Source, told: Explanation) -> list[dict[str, object]]:
    """What an explanation's query returns; nothing where there is no query.

    Raises:
        QueryError: The store refuses it.
    """
    return ask(source, told.query).records() if told.query else []


def held_against(printed: Numbers, found: Numbers) -> list[Held]:
    """Everything that is printed of a number, held against what its rows give."""
    others = tuple(_same(printed.value, other) for other in found.others)
    made = [
        Held(
            name="value",
            printed=printed.value,
            found=found.value,
            same=_same(printed.value, found.value) or any(others),
        )
    ]
    if printed.interval is not None or found.interval is not None:
        ends = [
            None if each is None else (each.low, each.high)
            for each in (printed.interval, found.interval)
        ]
        same = ends[0] is not None and ends[1] is not None
        same = same and all(_same(a, b) for a, b in zip(ends[0] or (), ends[1] or (), strict=True))
        made.append(Held(name="interval", printed=ends[0], found=ends[1], same=same))
    if printed.p is not None or found.p is not None:
        made.append(
            Held(name="p", printed=printed.p, found=found.p, same=_same(printed.p, found.p))
        )
    if printed.n is not None and found.n is not None:
        made.append(Held(name="n", printed=printed.n, found=found.n, same=printed.n == found.n))
    return made


def _same(a: object, b: object) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return a == b


class Once(Generic[T]):
    """Makes something of rows once, and again only of other rows."""

    def __init__(self, make: Callable[[Records], T]) -> None:
        """Keep how it is made."""
        self._make = make
        self._rows: Records | None = None
        self._made: list[T] = []

    def __call__(self, rows: Records) -> T:
        """What these rows make."""
        if rows is not self._rows:
            self._made, self._rows = [self._make(rows)], rows
        return self._made[0]
