"""How well scores of membership tell well-known passages from little-known ones, by model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from analysis.errors import MissingExtra, Undefined
from analysis.membership import (
    METHODS,
    Detection,
    Estimated,
    Labelled,
    Method,
    blind_by_length,
    blind_by_words,
    detect,
)
from analysis.membership.detection import FEWEST_ALONE
from analysis.metrics import Bools, Floats
from analysis.statistics import Interval
from analysis.studies.memory.kinds import stream
from analysis.studies.memory.likelier import ALL_WORKS
from analysis.studies.memory.readings import Held
from analysis.studies.scores import Score

TABLE: Final = "membership"
BY_WORK: Final = "membership by work"
UNSHOWN: Final = "membership by work, few passages"
"""Works of which too few passages were asked for an interval: told to programs alone."""
AUC: Final = "auc"
OVER: Final = "auc - blind"
COLUMNS: Final = (AUC, OVER, "tpr at 5 %", "tpr at 1 %")
_RATES: Final = {"tpr at 5 %": 0.05, "tpr at 1 %": 0.01}
BLIND_WORDS: Final = "blind: words"
BLIND_LENGTH: Final = "blind: length, zlib"
BLIND: Final = {BLIND_WORDS: blind_by_words, BLIND_LENGTH: blind_by_length}
_REFERENCE: Final = "reference"
PERCENT: Final = "percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """What one score says of the passages of a model.

    Attributes:
        values: NaN where a passage has no score, shape (passages,).
        why: Why passages have none, with how many.
        facts: What else a program is told.
    """

    name: str
    values: Floats
    why: Counter[str]
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class ToldApart:
    """The membership tables of an experiment; what the text alone tells is worked out once."""

    held: Held
    seed: int
    _blind: dict[tuple[tuple[str, str], ...], tuple[_Scored, ...]] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """By name."""
        return self.held.models

    def scores(self) -> Iterator[Score]:
        """Over all works, by model and score, and then by work."""
        scored = {model: self._scored(model) for model in self.models}
        for model, own in scored.items():
            for each in own:
                yield from self._row(model, each, ALL_WORKS)
        for model, own in scored.items():
            for work in sorted(set(self.held.works(model))):
                for each in own:
                    yield from self._row(model, each, work)

    def scores_of(self, model: str, score: str, work: str, reference: str = "") -> list[Score]:
        """One score of one model, over all works or one; by its name in the tables.

        Raises:
            KeyError: There is no such score.
        """
        blind = {each.name: each for each in self._blind_of(model)}
        methods = {each.name: each for each in METHODS}
        if score in blind:
            own = blind[score]
        else:
            # Beside several references a score has that of its own in its name.
            name = score.removesuffix(f": {reference}")
            own = replace(self._by_method(model, methods[name], reference), name=score)
        return list(self._row(model, own, work))

    def _scored(self, model: str) -> list[_Scored]:
        """Every score, and after them what the text alone says."""
        found = [
            self._by_method(model, method, reference)
            for method in METHODS
            for reference in self._references(model, method.name)
        ]
        return [*found, *self._blind_of(model)]

    def _by_method(self, model: str, method: Method, reference: str) -> _Scored:
        values, why = [], Counter[str]()
        for passage in self.held.passages(model, reference):
            try:
                values.append(method.of(passage))
            except Undefined as error:
                values.append(float("nan"))
                why[str(error)] += 1
        facts: dict[str, object] = {"needs": method.needs}
        if method.wants_spread:
            facts["exact"] = self.held.is_exact(model)
        several = len(self.models) > 2  # with two, each has the other
        name = f"{method.name}: {reference}" if reference and several else method.name
        facts |= {"reference": reference} if reference else {}
        return _Scored(name=name, values=np.array(values), why=why, facts=facts)

    def _references(self, model: str, method: str) -> Sequence[str]:
        """Every other model is a reference for the score that needs one."""
        if method != _REFERENCE:
            return ("",)
        return [each for each in self.models if each != model]

    def _blind_of(self, model: str) -> tuple[_Scored, ...]:
        items = self.held.items(model)
        if items not in self._blind:
            texts, member = self.held.texts(model), self.held.member(model)
            works, found = self.held.works(model), []
            for name, judge in BLIND.items():
                why = Counter[str]()
                try:
                    values = judge(texts, member, works)
                except (Undefined, MissingExtra) as error:
                    values, why[str(error)] = np.full(len(texts), np.nan), len(texts)
                found.append(_Scored(name=name, values=values, why=why))
            self._blind[items] = tuple(found)
        return self._blind[items]

    def _row(self, model: str, own: _Scored, work: str) -> Iterator[Score]:
        """One score of one model, over all works or one: a row there, a group of columns here."""
        whole = work == ALL_WORKS
        here = np.array([whole or each == work for each in self.held.works(model)])
        blind = next(each for each in self._blind_of(model) if each.name == BLIND_WORDS)
        found = self._detected(model, own, here, blind, stream(self.seed, model, own.name, work))
        facts = {"model": model, "score": own.name, "work": work, **_facts(found), **own.facts}
        for column, number in _columns(found, own, blind).items():
            yield Score(
                table=TABLE if whole else _by_work(model, self.held.member(model)[here]),
                row=own.name if whole else work,
                column=column,
                group=model if whole else own.name,
                value=None if number.value is None else 100 * number.value,
                n=found.members + found.others,
                interval=_percent(number.interval),
                undefined=number.undefined,
                unit=PERCENT,
                facts=facts,
            )

    def _detected(
        self, model: str, own: _Scored, here: Bools, blind: _Scored, rng: np.random.Generator
    ) -> Detection:
        known = here & np.isfinite(own.values)
        labelled = Labelled(
            scores=own.values[known],
            member=self.held.member(model)[known],
            works=_only(self.held.works(model), known),
            scenes=_only(self.held.scenes(model), known),
        )
        judged = own.name not in BLIND and bool(np.isfinite(blind.values[known]).all())
        return detect(labelled, rng, blind.values[known] if judged else None)


def _facts(found: Detection) -> dict[str, object]:
    return {
        "well_known": found.members,
        "little_known": found.others,
        "clustered_by": found.clustered_by,
    }


def _columns(found: Detection, own: _Scored, blind: _Scored) -> dict[str, Estimated]:
    """The numbers of a row; what is undefined for want of the score itself says so."""
    numbers = {AUC: found.auc}
    if found.over_blind is not None:
        numbers[OVER] = found.over_blind
    elif own.name not in BLIND:
        numbers[OVER] = Estimated(None, undefined=_most(blind.why) or "no text-only classifier")
    numbers |= {column: found.tpr[rate] for column, rate in _RATES.items()}
    if found.auc.value is None and (why := _most(own.why)):
        return {column: Estimated(None, undefined=why) for column in numbers}
    return numbers


def _most(why: Counter[str]) -> str | None:
    return why.most_common(1)[0][0] if why else None


def _by_work(model: str, member: Bools) -> str:
    fewest = min(int(member.sum()), int((~member).sum()))
    return f"{BY_WORK}, {model}" if fewest >= FEWEST_ALONE else UNSHOWN


def _only(names: Sequence[str], known: Bools) -> tuple[str, ...]:
    return tuple(name for name, is_known in zip(names, known, strict=True) if is_known)


def _percent(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(100 * interval.low, 100 * interval.high)
