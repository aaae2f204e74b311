"""The tables as scores: Table 3, the numbers of Figures 2 to 5, descriptions, and wordings.

Levels are 100 times `value` of the view `headlines`, or for a part by flag the same of its rows of
the view `measures`; changes are 100 times the paired differences of `analysis.contrasts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.pairs import Condition
from analysis.statistics import Interval
from analysis.studies.memorization.numbers import Change, Level, Numbers, Setting, Side
from analysis.studies.memorization.paper import the_paper
from analysis.studies.memorization.rows import GUESSING, SOURCE, Place, Row, named_rows
from analysis.studies.scores import Score

ORIGIN: Final = Condition("original", "baseline")
NR: Final = Condition("cross_culture", "baseline")
NR_GIST: Final = Condition("cross_culture", "gist")
NAMES: Final = ("original", "masked", "same_culture", "cross_culture")
PROMPTS: Final = ("baseline", "verbatim", "gist")
ORIGIN_NAME: Final = "Origin"
NR_NAME: Final = "NR"
GIST_NAME: Final = "NR+GIST"
MEMORY: Final = "Memorization"
NO_DESCRIPTIONS: Final = "none"
LOSS: Final = "NR+GIST from Origin"
_OF_ONE: Final = frozenset({"wording", "test", "cells"})
"""Facts of one wording, which say nothing of all."""
_PAPER_PLACES: Final = {ORIGIN_NAME: (0, None), NR_NAME: (1, 2), GIST_NAME: (3, 4)}
"""Column -> where a row of the paper's has its level, and its change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of each model.

    Attributes:
        before: What its level is held against; None where it is held against nothing.
    """

    name: str
    side: Side
    before: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the tables are to be made of.

    Attributes:
        matched: The user's models to the paper's.
        paper: Whether the paper's models that are none of the user's have columns too.
    """

    numbers: Numbers
    matched: dict[str, str]
    paper: bool = False

    def rows(self, *tasks: str) -> list[Row]:
        """The rows of these tasks; all if none is named."""
        places = self.numbers.places
        return named_rows(each for each in places if not tasks or each.task in tasks)


def key_of(place: Place) -> str:
    """A row's name in records: unlike its label, no other row has it."""
    parts = (place.task, place.dataset, place.choices, place.flag)
    return " ".join(part for part in parts if part)


def table_three(wanted: Wanted, setting: Setting, table: str) -> list[Score]:
    """Origin, NR against origin, and NR+GIST against NR, for every task."""
    origin, nr = Side(setting, ORIGIN), Side(setting, NR)
    columns = [
        Column(name=ORIGIN_NAME, side=origin),
        Column(name=NR_NAME, side=nr, before=origin),
        Column(name=GIST_NAME, side=Side(setting, NR_GIST), before=nr),
    ]
    cells = [
        cell
        for row in wanted.rows()
        for model in wanted.numbers.models
        for column in columns
        for cell in _scores(wanted, table, row, model, column)
    ]
    return in_row_order(wanted, [*cells, *_paper_columns(wanted, table)])


def guessing_by_prompt(wanted: Wanted, setting: Setting, table: str) -> list[Score]:
    """Figure 2: character guessing under original names, by prompt."""
    return _over(wanted, (GUESSING,), table, _prompt_columns(setting, "original"))


def source_by_names(wanted: Wanted, setting: Setting, table: str) -> list[Score]:
    """Figure 3: source identification under the plain prompt, by names."""
    sides = {names: Side(setting, Condition(names, "baseline")) for names in NAMES}
    columns = [
        Column(name=names, side=side, before=None if names == "original" else sides["original"])
        for names, side in sides.items()
    ]
    return _over(wanted, (SOURCE,), table, columns)


def guessing_by_names(wanted: Wanted, setting: Setting, table: str) -> list[Score]:
    """Figure 4: memorization, and character guessing by prompt, a row for each names strategy."""
    found: list[Score] = []
    several = len(wanted.rows(GUESSING)) > 1
    for row in wanted.rows(GUESSING):
        source = source_for(wanted, row)
        for names in NAMES:
            own: list[Score] = []
            for model in wanted.numbers.models:
                if source is not None:
                    plain = Column(name=MEMORY, side=Side(setting, Condition(names, "baseline")))
                    own += _scores(wanted, table, source, model, plain)
                for column in _prompt_columns(setting, names):
                    own += _scores(wanted, table, row, model, column)
            label = f"{key_of(row.place)} {names}" if several else names
            found += [replace(score, row=label) for score in own]
    return found


def losses(wanted: Wanted, setting: Setting, table: str) -> list[Score]:
    """Figure 5: NR+GIST against origin, for every task."""
    column = Column(name=LOSS, side=Side(setting, NR_GIST), before=Side(setting, ORIGIN))
    return [
        cell
        for row in wanted.rows()
        if not row.place.flag
        for model in wanted.numbers.models
        for cell in _scores(wanted, table, row, model, column)
    ]


def described(wanted: Wanted, wording: str, told: str, table: str) -> list[Score]:
    """Section 5.2: origin and NR without descriptions and with them, each against the former."""
    without, with_them = Setting(wording, NO_DESCRIPTIONS), Setting(wording, told)
    columns = []
    for name, condition in ((ORIGIN_NAME, ORIGIN), (NR_NAME, NR)):
        before = Side(without, condition)
        columns.append(Column(name=name, side=before))
        after = Side(with_them, condition)
        columns.append(Column(name=f"{name}, described", side=after, before=before))
    found = _over(wanted, (), table, columns)
    rows = {score.row for score in found if score.facts.get("descriptions") == told}
    return [score for score in found if score.row in rows]


def spread(wanted: Wanted, descriptions: str, table: str) -> list[Score]:
    """Levels and changes over wordings: the mean, and the lowest and highest as their interval."""
    settings = [each for each in wanted.numbers.settings if each.descriptions == descriptions]
    each = [table_three(wanted, setting, table) for setting in settings]
    places: dict[tuple[str, str, str, str], list[Score]] = {}
    for score in (score for scores in each for score in scores):
        if score.value is not None and score.group in wanted.numbers.models:
            at = (score.row, score.group, score.column, score.kind)
            places.setdefault(at, []).append(score)
    return [_spread(own) for own in places.values()]


def _spread(scores: Sequence[Score]) -> Score:
    values = [score.value for score in scores if score.value is not None]
    first = scores[0]
    return Score(
        table=first.table,
        row=first.row,
        column=first.column,
        group=first.group,
        kind=first.kind,
        value=sum(values) / len(values),
        n=len(values),
        interval=Interval(min(values), max(values)) if len(values) > 1 else None,
        undefined=None if len(values) > 1 else "asked in one wording only",
        facts={
            **{name: value for name, value in first.facts.items() if name not in _OF_ONE},
            "wordings": " ".join(str(score.facts["wording"]) for score in scores),
        },
    )


def source_for(wanted: Wanted, row: Row) -> Row | None:
    """The source identification that says what is remembered of a row's texts.

    The one over the same dataset, asked in the same way if there are two; else the only one.
    """
    rows = [each for each in wanted.rows(SOURCE) if not each.place.flag]
    same = [each for each in rows if each.place.dataset == row.place.dataset]
    same_way = [each for each in same if each.place.choices == row.place.choices]
    for found in (same_way, same, rows):
        if len(found) == 1:
            return found[0]
    return None


def in_row_order(wanted: Wanted, scores: Sequence[Score]) -> list[Score]:
    """Scores with those of a row together: the paper's tasks in its order, then ours in theirs."""
    papers = {row.label: (0, at) for at, row in enumerate(the_paper().rows)}
    ours = {
        key_of(row.place): papers[row.paper.label] if row.paper else (1, at)
        for at, row in enumerate(wanted.rows())
    }
    return sorted(scores, key=lambda score: (papers | ours)[score.row])


def _prompt_columns(setting: Setting, names: str) -> list[Column]:
    plain = Side(setting, Condition(names, "baseline"))
    return [
        Column(
            name=prompt,
            side=Side(setting, Condition(names, prompt)),
            before=None if prompt == "baseline" else plain,
        )
        for prompt in PROMPTS
    ]


def _over(
    wanted: Wanted, tasks: tuple[str, ...], table: str, columns: Sequence[Column]
) -> list[Score]:
    return [
        cell
        for row in wanted.rows(*tasks)
        for model in wanted.numbers.models
        for column in columns
        for cell in _scores(wanted, table, row, model, column)
    ]


def _scores(wanted: Wanted, table: str, row: Row, model: str, column: Column) -> Iterator[Score]:
    """A level, and its change from what it is held against; nothing where nothing was asked."""
    level = wanted.numbers.level(row.place, model, column.side)
    if level is None:
        return
    place = _At(table=table, row=row, model=model, column=column)
    papers = _papers(row, wanted.matched.get(model), column)
    yield _level_score(place, level, papers[0])
    if column.before is None:
        return
    change = wanted.numbers.change(row.place, model, column.before, column.side)
    if change is not None:
        yield _change_score(place, change, papers[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _At:
    table: str
    row: Row
    model: str
    column: Column

    @property
    def facts(self) -> dict[str, object]:
        place, side = self.row.place, self.column.side
        return {
            "task": place.task,
            "dataset": place.dataset or None,
            "choices": place.choices or None,
            "flag": place.flag or None,
            "wording": side.setting.wording,
            "descriptions": side.setting.descriptions,
            "names": side.condition.names,
            "prompt": side.condition.prompt,
        }


def _level_score(at: _At, level: Level, paper: str | None) -> Score:
    missing = level.missing / level.cells if level.cells else None
    return Score(
        table=at.table,
        row=key_of(at.row.place),
        column=at.column.name,
        group=at.model,
        kind="level",
        value=None if level.value is None else 100 * level.value,
        n=level.items,
        interval=_percent(level.interval),
        undefined=level.undefined,
        paper=paper,
        missing=missing,
        facts={**at.facts, "metric": level.metric, "cells": level.cells},
    )


def _change_score(at: _At, change: Change, paper: str | None) -> Score:
    before = at.column.before
    against: dict[str, object] = {}
    if before is not None:
        against = {
            "against_names": before.condition.names,
            "against_prompt": before.condition.prompt,
            "against_descriptions": before.setting.descriptions,
        }
    return Score(
        table=at.table,
        row=key_of(at.row.place),
        column=at.column.name,
        group=at.model,
        kind="change",
        value=_times(change.value),
        n=change.items,
        interval=_percent(change.interval),
        undefined=change.undefined,
        paper=paper,
        p=change.p,
        p_holm=change.p_holm,
        missing=change.missing,
        lowest=_times(change.lowest),
        highest=_times(change.highest),
        facts={
            **at.facts,
            **against,
            "before": _times(change.before),
            "after": _times(change.after),
            **change.facts,
        },
    )


def _times(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _percent(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(100 * interval.low, 100 * interval.high)


def _papers(row: Row, model: str | None, column: Column) -> tuple[str | None, str | None]:
    """The paper's level and change in a place of Table 3 or Figure 5, as printed."""
    if row.paper is None or model is None:
        return None, None
    printed = row.paper.values[model]
    if column.name == LOSS:
        lost = float(printed[3]) - float(printed[0])
        return printed[3], f"{lost:+.1f}"
    if column.name not in _PAPER_PLACES:
        return None, None
    level, change = _PAPER_PLACES[column.name]
    return printed[level], None if change is None else printed[change]


def _paper_columns(wanted: Wanted, table: str) -> Iterator[Score]:
    """Columns of the paper's models that are none of the user's, and rows of its other tasks."""
    if not wanted.paper:
        return
    paper = the_paper()
    keys = {row.paper.label: key_of(row.place) for row in wanted.rows() if row.paper}
    for row in paper.rows:
        for model in paper.aliases:
            if model in wanted.matched.values():
                continue
            for column, (level, change) in _PAPER_PLACES.items():
                shown = Score(
                    table=table,
                    row=keys.get(row.label, row.label),
                    column=column,
                    group=f"{model}, the paper's",
                    value=None,
                    n=0,
                    paper=row.values[model][level],
                    facts={"task": row.task},
                )
                yield shown
                if change is not None:
                    yield replace(shown, kind="change", paper=row.values[model][change])
