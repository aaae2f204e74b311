"""One number of a table or figure of a study, with what is known of it, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from analysis.statistics import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number of a table or figure.

    Attributes:
        table: Number of a table ("2") or name of a figure ("Figure 2").
        row: What is evaluated, such as a representation.
        column: What it is evaluated on; of a figure's bar, "group.in" or "group.out".
        value: Not rounded; None where it is undefined.
        n: Cases it rests on (count).
        interval: 95 %, where one can be given.
        undefined: Why there is no value or no interval.
        paper: What the paper prints, as printed; None where it prints nothing.
    """

    table: str
    row: str
    column: str
    value: float | None
    n: int
    interval: Interval | None = None
    undefined: str | None = None
    paper: str | None = None


def as_printed(value: float, decimals: int = 2, *, digits_first: int | None = None) -> str:
    """A number as tables print it, half up; minus zero is zero.

    No one rule reproduces the 251 cells that the similarity paper prints to two decimals. What does
    is half up for its correlations, and for its rates half up twice: to three significant digits
    first and then to two decimals. So 34/108 = 0.3148 becomes 0.315 and 0.32, as printed, while the
    correlations 0.264666 and 0.484972 stay 0.26 and 0.48. Python's `round`, which goes to the even
    digit and sees binary fractions, prints 0.125 as 0.12 and 0.295 as 0.29.

    Args:
        value: Finite.
        decimals: Digits after the point (count).
        digits_first: Significant digits to round to before that (count); None rounds once.
    """
    number = Decimal(repr(value))
    if digits_first and number:
        last = number.adjusted() - digits_first + 1
        number = number.quantize(Decimal((0, (1,), last)), rounding=ROUND_HALF_UP)
    shown = number.quantize(Decimal((0, (1,), -decimals)), rounding=ROUND_HALF_UP)
    return f"{shown if shown else abs(shown):f}"
