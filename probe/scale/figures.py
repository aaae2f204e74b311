"""The constants of the model, each with its range and where it is from: `figures.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from probe.scale.model import Costs

Case: TypeAlias = Literal["low", "value", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One constant.

    Attributes:
        value: What the tables use; `low` is the best case, `high` the worst.
        about: What it is of.
        how: How the three were come by.
        file: Results in `bench/results` that it was measured for, if it was.
        url: Where it was read otherwise, on the day `read`.
    """

    value: float
    low: float
    high: float
    about: str
    how: str
    file: str | None = None
    url: str | None = None
    read: str | None = None


@cache
def figures() -> Mapping[str, Figure]:
    """Every constant by name."""
    text = (files("probe.scale") / "figures.toml").read_text(encoding="utf-8")
    return {name: Figure(**own) for name, own in tomllib.loads(text).items()}


def costs(case: Case = "value") -> Costs:
    """What the model takes: as usual, at best (`low`) or at worst (`high`)."""
    own = figures()
    return Costs(**{each.name: float(getattr(own[each.name], case)) for each in fields(Costs)})
