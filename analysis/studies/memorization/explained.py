"""Explains every number of the study's tables: the query of its documents, and how they make it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from analysis.contrasts import MEMORY_TASKS, Contrast
from analysis.explain.contrast import PAIR_ORDER, Traced, of_effect, turned
from analysis.explain.explanation import Explanation, Numbers, Record, Records
from analysis.explain.queries import any_of, indented, literal, replies, within
from analysis.pairs import Condition
from analysis.sql import query
from analysis.statistics import Interval
from analysis.studies.memorization.explained_words import definition_of, of_the_paper
from analysis.studies.memorization.load import Held, stream
from analysis.studies.memorization.numbers import Setting, Side
from analysis.studies.memorization.paper import PACKAGE
from analysis.studies.memorization.rows import EVERY, TASKS, Place
from analysis.studies.memorization.sums import (
    Spread,
    Sums,
    by_key,
    change_spread,
    level_spread,
    mean_spread,
    of_level,
    of_pair,
)
from analysis.studies.scores import Score

_OF_PLACE: Final = ("task", "dataset", "choices", "flag")


@dataclass(frozen=True, slots=True)
class _Made:
    """A query, the order of its rows, and what makes a number of them, in percent."""

    query: str
    order: str
    recompute: Callable[[Records], Numbers]


class Explainer:
    """What explains the cells of one experiment's tables."""

    def __init__(self, held: Held) -> None:
        """Take the numbers that the tables were made of."""
        self._held = held
        contrasts = tuple(held.tested.values())
        self._traced = Traced(experiment=held.experiment, seed=held.seed, contrasts=contrasts)
        self._bound: dict[str, object] = {
            "experiment": held.experiment,
            "tasks": list(TASKS),
            "flags": list(held.flags),
        }

    def __call__(self, cell: Score) -> Explanation:
        """Where a cell comes from."""
        if "wording" not in cell.facts and "wordings" not in cell.facts:
            return of_the_paper(cell)
        if "wordings" in cell.facts:
            wordings = str(cell.facts["wordings"]).split()
            made = _over([self._made(cell, wording) for wording in wordings], wordings)
        else:
            wordings = [str(cell.facts["wording"])]
            made = self._made(cell, wordings[0])
        return Explanation(
            definition=definition_of(cell, self._held.seed),
            query=made.query,
            recompute=made.recompute,
            behind=partial(self._behind, cell, wordings),
        )

    def _made(self, cell: Score, wording: str) -> _Made:
        """Where a number comes from in one wording."""
        place, model = _place(cell), cell.group
        before, after = _sides(cell, wording)
        if cell.kind == "level" and place == EVERY:
            return self._level_of_every(model, after)
        if cell.kind == "level":
            return self._level(place, model, after)
        if "contrast" in cell.facts:
            return self._tested(place, model, before, after)
        return self._untested(place, model, before, after)

    def _level(self, place: Place, model: str, side: Side) -> _Made:
        wanted = _where(place, model) | {
            "wording": side.setting.wording,
            "descriptions": side.setting.descriptions,
            "names": side.condition.names,
            "prompt": side.condition.prompt,
        }
        text = within(query("documents", PACKAGE), self._bound, wanted)

        def recompute(rows: Records) -> Numbers:
            rng = stream(self._held.seed, place, model, side)
            return _numbers(rows, of_level, lambda sums: level_spread(sums, rng))

        return _Made(text, "ALL", recompute)

    def _level_of_every(self, model: str, side: Side) -> _Made:
        """The mean over tasks, over the items of the first contrast that has the condition."""
        own, column = next(
            (found, "value_a" if side.condition == a else "value_b")
            for (place, setting, whose, a, b), found in self._held.tested.items()
            if (place, setting.wording, whose) == (EVERY, side.setting.wording, model)
            and side.condition in {a, b}
        )

        def recompute(rows: Records) -> Numbers:
            effect = self._traced.effect_of(own)(rows)
            return _percent(Numbers(value=getattr(effect, column), n=effect.items))

        return _Made(self._traced.pairs_query(own), PAIR_ORDER, recompute)

    def _tested(self, place: Place, model: str, before: Side, after: Side) -> _Made:
        own, sign = self._contrast(place, model, before, after)

        def recompute(rows: Records) -> Numbers:
            found = of_effect(self._traced.effect_of(own)(rows), "difference")
            return _percent(turned(found, sign=sign))

        return _Made(self._traced.pairs_query(own), PAIR_ORDER, recompute)

    def _contrast(
        self, place: Place, model: str, before: Side, after: Side
    ) -> tuple[Contrast, int]:
        """The contrast that a change is, and its sign."""
        setting = Setting(before.setting.wording, "all") if place == EVERY else before.setting
        for a, b, sign in ((before, after, -1), (after, before, 1)):
            at = (place, setting, model, a.condition, b.condition)
            if at in self._held.tested:
                return self._held.tested[at], sign
        raise LookupError(f"no contrast of {place} between {before} and {after}")

    def _untested(self, place: Place, model: str, before: Side, after: Side) -> _Made:
        bound = self._bound | {"wording": before.setting.wording}
        for letter, side in (("a", before), ("b", after)):
            bound[f"names_{letter}"] = side.condition.names
            bound[f"prompt_{letter}"] = side.condition.prompt
            bound[f"descriptions_{letter}"] = side.setting.descriptions

        def change(sums: Sums, own: Place) -> Spread:
            return change_spread(sums, stream(self._held.seed, own, model, before, after))

        text = query("pairs", PACKAGE)
        if place != EVERY:
            made = within(text, bound, _where(place, model))
            return _Made(
                made, "ALL", lambda rows: _numbers(rows, of_pair, lambda sums: change(sums, place))
            )
        tasks = ", ".join(map(literal, sorted(MEMORY_TASKS)))
        made = within(text, bound, {"model": model, "flag": ""}, f"task NOT IN ({tasks})")
        return _Made(made, "ALL", partial(_mean, change=change))

    def _behind(self, cell: Score, wordings: Sequence[str], row: Record) -> str:
        """The cells of a document, under each side."""
        sides = [side for wording in wordings for side in _sides(cell, wording)]
        if _place(cell) == EVERY:
            sides = [Side(side.setting, other) for side in sides for other in self._of(cell, side)]
        own = ("task", "dataset", "choices", "document")
        wanted = {
            "experiment": self._held.experiment,
            "model": cell.group,
            **{name: row[name] for name in own},
        }
        told = [
            {
                "wording": side.setting.wording,
                "descriptions": row.get("descriptions", side.setting.descriptions),
                "names": side.condition.names,
                "prompt": side.condition.prompt,
            }
            for side in sides
        ]
        return replies(wanted, any_of(told))

    def _of(self, cell: Score, side: Side) -> Iterable[Condition]:
        """Both conditions of the contrast that a mean over tasks is of."""
        for place, setting, whose, a, b in self._held.tested:
            here = (place, setting.wording, whose) == (EVERY, side.setting.wording, cell.group)
            if here and side.condition in {a, b}:
                return (a, b)
        return (side.condition,)


def _place(cell: Score) -> Place:
    task, dataset, choices, flag = (str(cell.facts[name] or "") for name in _OF_PLACE)
    return Place(task, dataset, choices, flag)


def _sides(cell: Score, wording: str) -> tuple[Side, Side]:
    """What a number is held against, and what it is of; for a level both are the same."""

    def side(prefix: str) -> Side:
        names, prompt, descriptions = (
            str(cell.facts[f"{prefix}{name}"]) for name in ("names", "prompt", "descriptions")
        )
        return Side(Setting(wording, descriptions), Condition(names, prompt))

    after = side("")
    return (after if cell.kind == "level" else side("against_")), after


def _where(place: Place, model: str) -> dict[str, object]:
    return {name: getattr(place, name) for name in _OF_PLACE} | {"model": model}


def _numbers(
    rows: Records, sums_of: Callable[[Records], Sums], spread_of: Callable[[Sums], Spread]
) -> Numbers:
    if not rows:
        return Numbers(value=None, n=0)
    sums = sums_of(rows)
    spread = spread_of(sums)
    return _percent(Numbers(value=spread.value, interval=spread.interval, n=len(sums.works)))


def _mean(rows: Records, change: Callable[[Sums, Place], Spread]) -> Numbers:
    """The mean change over tasks."""
    spreads: dict[str, list[Spread]] = {}
    items = 0
    for own, each in by_key(rows, _OF_PLACE):
        sums = of_pair(each)
        spreads.setdefault(own[0], []).append(change(sums, Place(*own)))
        items += len(sums.works)
    spread = mean_spread(spreads)
    if spread is None:
        return Numbers(value=None, n=items)
    return _percent(Numbers(value=spread.value, interval=spread.interval, n=items))


def _over(made: Sequence[_Made], wordings: Sequence[str]) -> _Made:
    """The mean over wordings, with the lowest and the highest as its interval."""
    parts = [f"SELECT * FROM (\n{indented(each.query)}\n)" for each in made]
    order = made[0].order
    text = parts[0] if len(parts) == 1 else "\nUNION ALL\n".join(parts)

    def recompute(rows: Records) -> Numbers:
        values: list[float] = []
        for wording, each in zip(wordings, made, strict=True):
            own = [row for row in rows if row["wording"] == wording]
            value = each.recompute(own).value
            if isinstance(value, float):
                values.append(value)
        if not values:
            return Numbers(value=None, n=0)
        span = Interval(min(values), max(values)) if len(values) > 1 else None
        return Numbers(value=sum(values) / len(values), interval=span, n=len(values))

    return _Made(f"{text}\nORDER BY {order}", order, recompute)


def _percent(found: Numbers) -> Numbers:
    def times(value: object) -> float | None:
        return None if value is None else 100 * float(str(value))

    span = found.interval
    return Numbers(
        value=times(found.value),
        interval=None if span is None else Interval(100 * span.low, 100 * span.high),
        p=found.p,
        n=found.n,
    )
