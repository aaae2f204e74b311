"""The passages of an experiment as each of its models read them, from the store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from analysis.membership import Passage, Reading
from analysis.metrics import Bools
from analysis.scoring import likelihood_of
from analysis.sql import query
from analysis.studies.memory.likelier import PACKAGE, TASK
from store.read import Source, ask

_OWN: Final = "original"
_NO_NEIGHBOUR: Final = frozenset({_OWN, "masked"})
"""Masks make no text that anybody would write."""
Item = tuple[str, str]
"""A dataset, and the id of an item in it."""


@dataclass(slots=True, kw_only=True)
class _Read:
    """One passage under all the names that a model read it with."""

    work: str
    scene: str
    member: bool
    under: dict[str, Reading] = field(default_factory=dict)
    lower: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Every passage that a model read under its own names, by model; in one order throughout."""

    read: Mapping[str, Mapping[Item, _Read]]

    @property
    def models(self) -> tuple[str, ...]:
        """By name."""
        return tuple(sorted(self.read))

    def items(self, model: str) -> tuple[Item, ...]:
        """What the passages are called."""
        return tuple(self.read[model])

    def works(self, model: str) -> tuple[str, ...]:
        """Of each passage."""
        return tuple(each.work for each in self.read[model].values())

    def scenes(self, model: str) -> tuple[str, ...]:
        """Of each passage."""
        return tuple(each.scene for each in self.read[model].values())

    def member(self, model: str) -> Bools:
        """Whether each passage is well known, shape (passages,)."""
        return np.array([each.member for each in self.read[model].values()], dtype=np.bool_)

    def texts(self, model: str) -> tuple[str, ...]:
        """The passages under their own names."""
        return tuple(each.under[_OWN].text for each in self.read[model].values())

    def is_exact(self, model: str) -> bool:
        """Whether the distribution is known whole wherever it is known."""
        return all(each.under[_OWN].likelihood.exact for each in self.read[model].values())

    def passages(self, model: str, reference: str = "") -> Sequence[Passage]:
        """Each passage with what it is held against.

        Args:
            model: Whose reading it is.
            reference: Another model, whose reading stands beside it; may be empty.
        """
        others = self.read.get(reference, {})
        return [
            Passage(
                own=each.under[_OWN],
                lower=each.lower,
                renamed=tuple(
                    reading for names, reading in each.under.items() if names not in _NO_NEIGHBOUR
                ),
                reference=others[item].under[_OWN] if item in others else None,
            )
            for item, each in self.read[model].items()
        ]


def readings(source: Source, experiment: str) -> Held | None:
    """What an experiment's models found likely of each passage; None without any."""
    return readings_in(
        ask(source, query("likelihoods", PACKAGE), {"experiment": experiment}).records()
    )


def readings_in(rows: Sequence[Mapping[str, object]]) -> Held | None:
    """The same from rows of likelihoods.sql, in its order."""
    found: dict[str, dict[Item, _Read]] = {}
    for row in rows:
        item = str(row["dataset"]), str(row["item_id"])
        own = found.setdefault(str(row["model"]), {}).setdefault(
            item,
            _Read(work=str(row["work"]), scene=str(row["scene"]), member=bool(row["member"])),
        )
        if row["task"] == TASK:
            own.under[str(row["names"])] = _reading(row)
        elif row["names"] == _OWN:
            own.lower = _reading(row)
    whole = {
        model: {item: each for item, each in own.items() if _OWN in each.under}
        for model, own in found.items()
    }
    whole = {model: own for model, own in whole.items() if own}
    return Held(read=whole) if whole else None


def _reading(row: Mapping[str, object]) -> Reading:
    places = json.loads(str(row["names_at"])) if row["names_at"] is not None else []
    return Reading(
        text=str(row["text"]),
        likelihood=likelihood_of(row),
        names=tuple((int(start), int(end)) for start, end in places),
    )
