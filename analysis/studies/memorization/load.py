"""An experiment's numbers from its store.

Levels are those of the view `headlines`, with intervals by `analysis.statistics`. Changes that
`analysis.contrasts` has are taken from there, with their tests; others, such as those of parts by
flag, of names against names, or with descriptions against without, are paired in the same way and
not tested.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from analysis.contrasts import MEMORY_TASKS, Contrast, contrasts
from analysis.pairs import Condition
from analysis.sql import query
from analysis.statistics import Interval
from analysis.studies.memorization.numbers import Change, Level, Setting, Side
from analysis.studies.memorization.paper import PACKAGE
from analysis.studies.memorization.rows import ALL_TASKS, EVERY, TASKS, Place
from analysis.studies.memorization.sums import (
    Record,
    Spread,
    Sums,
    by_key,
    change_spread,
    level_spread,
    mean_spread,
    of_level,
    of_pair,
)
from store.read import Source, ask

_HEADLINE: Final = "headline"
_FIRST: Final = {"own": 0, "none": 0}
_PLACE: Final = ("task", "dataset", "choices", "flag")
_CELL: Final = (*_PLACE, "wording", "descriptions", "model", "names", "prompt")
NO_REPLY: Final = "no reply could be scored yet"
_Tested = tuple[Place, Setting, str, Condition, Condition]
_Cell = tuple[Place, str, Side]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    cells: int
    missing: int
    metric: str
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The numbers of an experiment of a store; what is not known yet is asked of it once.

    Attributes:
        seed: Of all draws; each number has a stream of its own.
    """

    source: Source
    experiment: str
    seed: int
    flags: tuple[str, ...]
    asked: Mapping[_Cell, _Asked]
    sums: Mapping[_Cell, Sums]
    tested: Mapping[_Tested, Contrast]
    _paired: dict[tuple[Side, Side], dict[tuple[Place, str], Sums]] = field(default_factory=dict)
    _levels: dict[_Cell, Level] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """By name."""
        return tuple(sorted({model for _, model, _ in self.asked}))

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Wordings and descriptions asked, the tasks' own wording and no descriptions first."""
        found = {side.setting for _, _, side in self.asked}
        return tuple(
            sorted(
                found,
                key=lambda each: (
                    _FIRST.get(each.wording, 1),
                    each.wording,
                    _FIRST.get(each.descriptions, 1),
                    each.descriptions,
                ),
            )
        )

    @property
    def places(self) -> tuple[Place, ...]:
        """Every row there can be; a flag that all items have, or none, parts nothing."""
        found = {place for place, _, _ in self.asked}
        parted = {
            place
            for place in found
            if not place.flag or Place(*_key(place.whole), _other(place.flag)) in found
        }
        understood = {place.task for place in found} - MEMORY_TASKS
        every = {EVERY} if len(understood) > 1 else set()
        return tuple(sorted(parted | every))

    def level(self, place: Place, model: str, side: Side) -> Level | None:
        """A headline; None where nothing was asked."""
        at = (place, model, side)
        if place == EVERY:
            return self._mean_level(model, side)
        if at not in self.asked:
            return None
        if at not in self._levels:
            self._levels[at] = self._level(at)
        return self._levels[at]

    def change(self, place: Place, model: str, before: Side, after: Side) -> Change | None:
        """How a headline changes; None where one of the sides was not asked."""
        if place == EVERY:
            return self._mean_change(model, before, after)
        if (place, model, before) not in self.asked or (place, model, after) not in self.asked:
            return None
        found = self._tested(place, model, before, after)
        return found or self._untested(place, model, before, after)

    def _level(self, at: _Cell) -> Level:
        asked = self.asked[at]
        if at not in self.sums:
            return Level(
                value=None,
                metric=asked.metric,
                interval=None,
                undefined=NO_REPLY,
                items=0,
                cells=asked.cells,
                missing=asked.missing,
            )
        sums = self.sums[at]
        spread = level_spread(sums, self._stream(*at))
        return Level(
            # Of a part by flag the view has no number.
            value=spread.value if at[0].flag else asked.value,
            metric=asked.metric or sums.metric,
            interval=spread.interval,
            undefined=spread.undefined,
            items=len(sums.works),
            cells=asked.cells,
            missing=asked.missing,
        )

    def _tested(self, place: Place, model: str, before: Side, after: Side) -> Change | None:
        """The change as a contrast that the experiment was tested for."""
        if before.setting != after.setting:
            return None
        for a, b in ((before, after), (after, before)):
            at = (place, before.setting, model, a.condition, b.condition)
            if at in self.tested:
                cells = self._cells(place, model, before) + self._cells(place, model, after)
                return _turned(self.tested[at], after_is_a=a == after, cells=cells)
        return None

    def _cells(self, place: Place, model: str, side: Side) -> int:
        asked = self.asked.get((place, model, side))
        return asked.cells if asked else 0

    def _untested(self, place: Place, model: str, before: Side, after: Side) -> Change:
        sums = self._pair(before, after).get((place, model))
        if sums is None:
            why = "no item has replies under both conditions"
            return Change(before=None, after=None, value=None, interval=None, undefined=why)
        spread = change_spread(sums, self._stream(place, model, before, after))
        asked = [self.asked[place, model, side] for side in (before, after)]
        return Change(
            before=_finite(float(sums.paired.values_a[0])),
            after=_finite(float(sums.paired.values_b[0])),
            value=spread.value,
            interval=spread.interval,
            undefined=spread.undefined,
            missing=sum(each.missing for each in asked) / sum(each.cells for each in asked),
            items=len(sums.works),
            facts={"test": None},
        )

    def _pair(self, before: Side, after: Side) -> dict[tuple[Place, str], Sums]:
        at = (before, after)
        if at not in self._paired:
            bound: dict[str, object] = {
                "experiment": self.experiment,
                "tasks": list(TASKS),
                "flags": list(self.flags),
                "wording": before.setting.wording,
            }
            for letter, side in (("a", before), ("b", after)):
                bound[f"names_{letter}"] = side.condition.names
                bound[f"prompt_{letter}"] = side.condition.prompt
                bound[f"descriptions_{letter}"] = side.setting.descriptions
            records = ask(self.source, query("pairs", PACKAGE), bound).records()
            self._paired[at] = {
                (Place(*own[:4]), own[4]): of_pair(rows)
                for own, rows in by_key(records, (*_PLACE, "model"))
            }
        return self._paired[at]

    def _mean_level(self, model: str, side: Side) -> Level | None:
        """The mean over tasks under a condition of a contrast, over the items of the contrast."""
        for at, found in self.tested.items():
            place, setting, own, a, b = at
            if (place, setting.wording, own) != (EVERY, side.setting.wording, model):
                continue
            if side.condition in {a, b} and self._one_descriptions:
                value = found.value_a if side.condition == a else found.value_b
                return Level(
                    value=value,
                    metric="mean of tasks",
                    interval=None,
                    undefined=found.undefined if value is None else None,
                    items=found.items,
                    cells=0,
                    missing=0,
                )
        return None

    def _mean_change(self, model: str, before: Side, after: Side) -> Change | None:
        if not self._one_descriptions:
            return None
        wording = Setting(before.setting.wording, "all")
        for a, b in ((before, after), (after, before)):
            at = (EVERY, wording, model, a.condition, b.condition)
            if at in self.tested:
                return _turned(self.tested[at], after_is_a=a == after, cells=0)
        return self._mean_untested(model, before, after)

    def _mean_untested(self, model: str, before: Side, after: Side) -> Change | None:
        spreads: dict[str, list[Spread]] = {}
        items = 0
        for (place, own), sums in self._pair(before, after).items():
            if own == model and not place.flag and place.task not in MEMORY_TASKS:
                rng = self._stream(place, model, before, after)
                spreads.setdefault(place.task, []).append(change_spread(sums, rng))
                items += len(sums.works)
        spread = mean_spread(spreads)
        if spread is None:
            return None
        return Change(
            before=None,
            after=None,
            value=spread.value,
            interval=spread.interval,
            undefined=spread.undefined,
            items=items,
            facts={"test": None},
        )

    @property
    def _one_descriptions(self) -> bool:
        """Whether means over tasks, which take all descriptions together, are of one setting."""
        return len({side.setting.descriptions for _, _, side in self.asked}) == 1

    def _stream(self, *what: object) -> np.random.Generator:
        return stream(self.seed, *what)


def stream(seed: int, *what: object) -> np.random.Generator:
    """The draws of one number: of a level by place, model and side, of a change by both sides."""
    return np.random.default_rng([seed, zlib.crc32(repr(what).encode())])


def load(source: Source, experiment: str, seed: int) -> Held:
    """An experiment's numbers; contrasts and levels are asked for at once, other pairs when needed.

    Args:
        source: The store.
        experiment: One that it has.
        seed: Of all draws.
    """
    named: dict[str, object] = {"experiment": experiment}
    flags = [str(row[0]) for row in ask(source, query("flags", PACKAGE), named).rows]
    bound = {**named, "tasks": list(TASKS), "flags": flags}
    levels = ask(source, query("levels", PACKAGE), bound).records()
    documents = ask(source, query("documents", PACKAGE), bound).records()
    found = contrasts(source, experiment, seed)
    return Held(
        source=source,
        experiment=experiment,
        seed=seed,
        flags=tuple(flags),
        asked={_cell(tuple(str(each[name]) for name in _CELL)): _asked(each) for each in levels},
        sums={_cell(own): of_level(rows) for own, rows in by_key(documents, _CELL)},
        tested={_tested_at(each): each for each in found if each.metric == _HEADLINE},
    )


def _tested_at(each: Contrast) -> _Tested:
    every = each.task == ALL_TASKS
    place = EVERY if every else Place(each.task, each.dataset, each.choices)
    return place, Setting(each.wording, each.descriptions), each.model, each.a, each.b


def _cell(own: tuple[str, ...]) -> _Cell:
    task, dataset, choices, flag, wording, descriptions, model, names, prompt = own
    side = Side(Setting(wording, descriptions), Condition(names, prompt))
    return Place(task, dataset, choices, flag), model, side


def _asked(record: Record) -> _Asked:
    value = record["value"]
    return _Asked(
        cells=int(str(record["cells"])),
        missing=int(str(record["missing"])),
        metric=str(record["metric"] or ""),
        value=None if value is None else float(str(value)),
    )


def _turned(found: Contrast, *, after_is_a: bool, cells: int) -> Change:
    """A contrast as a change from one condition to the other."""
    sign = 1 if after_is_a else -1
    bounds = [each for each in (found.lowest, found.highest) if each is not None]
    ends = sorted(sign * each for each in bounds)
    span = found.interval
    if span is not None and not after_is_a:
        span = Interval(-span.high, -span.low)
    return Change(
        before=found.value_b if after_is_a else found.value_a,
        after=found.value_a if after_is_a else found.value_b,
        value=None if found.difference is None else sign * found.difference,
        interval=span,
        undefined=found.undefined,
        p=found.p,
        p_holm=found.p_holm,
        missing=found.missing / cells if cells else None,
        lowest=ends[0] if len(ends) == 2 else None,
        highest=ends[1] if len(ends) == 2 else None,
        items=found.items,
        facts={
            "contrast": found.contrast,
            "test": found.test,
            "differing": found.differing,
            "clusters": found.clusters,
            "clustered_by": found.clustered_by,
            "needed": found.needed,
            "detectable": found.detectable,
            "share": found.share,
        },
    )


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _key(place: Place) -> tuple[str, str, str]:
    return place.task, place.dataset, place.choices


def _other(flag: str) -> str:
    return flag[1:] if flag.startswith("-") else f"-{flag}"
