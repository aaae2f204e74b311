"""The study as `probe table` asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.studies.experiments import chosen
from analysis.studies.memorization import figures
from analysis.studies.memorization.explained import Explainer
from analysis.studies.memorization.load import load
from analysis.studies.memorization.numbers import Setting
from analysis.studies.memorization.paper import the_paper
from analysis.studies.memorization.rows import TASKS
from analysis.studies.memorization.tables import (
    GIST_NAME,
    LOSS,
    MEMORY,
    NAMES,
    NO_DESCRIPTIONS,
    NR_NAME,
    ORIGIN_NAME,
    PROMPTS,
    Wanted,
    described,
    guessing_by_names,
    guessing_by_prompt,
    key_of,
    losses,
    source_by_names,
    spread,
    table_three,
)
from analysis.studies.score_grids import arrowed
from analysis.studies.scores import Score
from analysis.studies.study import AskedOf, Figure, Layout, StudyTable
from store.read import Source

_PERCENT: Final = "Percent with [95 % interval]; with an arrow, the change in points with its own"
_MAIN: Final = "3"
_MOST_TOLD: Final = 12
"""Bounds that a note tells; the other forms have all (count)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A table with the figure it is drawn as.

    Attributes:
        missing: Why it cannot be made; None where it can.
    """

    table: str
    title: str
    legend: str
    columns: tuple[str, ...]
    make: Callable[[Wanted, Setting, str], list[Score]]
    draw: Callable[[Wanted, Sequence[Score], str, str], Figure] | None = None
    missing: Callable[[Wanted, Sequence[Score]], str | None] | None = None


_PARTS: Final = (
    _Part(
        table=_MAIN,
        title="Table 3. Origin, NR and NR+GIST by task",
        legend=f"{_PERCENT}: NR against Origin, NR+GIST against NR.",
        columns=(ORIGIN_NAME, NR_NAME, GIST_NAME),
        make=table_three,
    ),
    _Part(
        table="Figure 2",
        title="Figure 2. Character guessing under original names, by prompt",
        legend=f"{_PERCENT}: against the prompt baseline.",
        columns=PROMPTS,
        make=guessing_by_prompt,
        draw=figures.figure_2,
        missing=figures.missing_for_2,
    ),
    _Part(
        table="Figure 3",
        title="Figure 3. Source identification by names, prompt baseline",
        legend=f"{_PERCENT}: against original names.",
        columns=NAMES,
        make=source_by_names,
        draw=figures.figure_3,
        missing=figures.missing_for_3,
    ),
    _Part(
        table="Figure 4",
        title="Figure 4. Memorization, and character guessing by names and prompt",
        legend=f"{_PERCENT}: against the prompt baseline. Memorization: source identification.",
        columns=(MEMORY, *PROMPTS),
        make=guessing_by_names,
        draw=figures.figure_4,
        missing=figures.missing_for_4,
    ),
    _Part(
        table="Figure 5",
        title="Figure 5. What NR+GIST loses against Origin, by task",
        legend=f"{_PERCENT}: NR+GIST against Origin.",
        columns=(LOSS,),
        make=losses,
        draw=figures.figure_5,
        missing=figures.missing_for_5,
    ),
)
_NOTES: Final = (
    "Levels are over all replies, changes over the items with replies under both conditions:"
    " where replies are missing, the two may differ.",
    "All tasks: the mean of a model's tasks, each of which weighs alike, over the items that both"
    " conditions of a contrast have; tasks of memory, such as source identification, are no part.",
)


@dataclass(frozen=True, slots=True)
class Memorization:
    """The tables and figures of the memorization paper."""

    name: str = "memorization"
    tasks: tuple[str, ...] = TASKS

    def table(self, store: Source, asked: AskedOf) -> StudyTable:
        """Table 3, what Figures 2 to 5 show, descriptions, and the spread over wordings."""
        return self.explained(store, asked)[0]

    def explained(self, store: Source, asked: AskedOf) -> tuple[StudyTable, Explainer]:
        """Its tables, with what explains each of their cells."""
        found = chosen(store, asked.experiment, TASKS)
        seed = found.seed if asked.seed is None else asked.seed
        numbers = load(store, found.experiment, seed)
        matched = the_paper().matched(numbers.models, asked.models)
        table = tables_of(Wanted(numbers=numbers, matched=matched, paper=asked.paper))
        return table, Explainer(numbers)


def tables_of(wanted: Wanted) -> StudyTable:
    """All tables and figures that the conditions asked allow."""
    made = list(_made(wanted))
    cells = [score for each in made for score in each.scores]
    return StudyTable(
        study=STUDY.name,
        mode="",
        vectors=(),
        cells=tuple(cells),
        layouts=tuple(each.layout for each in made if each.scores),
        labels=_labels(wanted),
        notes=(*_NOTES, *_sizes(wanted, cells), *_bounds(wanted, cells)),
        experiment=wanted.numbers.experiment,
        figures=tuple(each.figure for each in made if each.figure),
        undrawn=tuple(each.undrawn for each in made if each.undrawn),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    layout: Layout
    scores: Sequence[Score] = ()
    figure: Figure | None = None
    undrawn: str = ""


def _made(wanted: Wanted) -> Iterator[_Made]:
    settings = wanted.numbers.settings
    for part in _PARTS:
        for setting in settings:
            yield _of_part(wanted, part, setting, _suffix(setting, settings))
    yield from _descriptions(wanted)
    yield from _wordings(wanted)


def _suffix(setting: Setting, settings: Sequence[Setting]) -> str:
    """What tells a setting from the others, where there are others."""
    said = []
    if len({each.wording for each in settings}) > 1:
        said.append(f", wording {setting.wording}")
    if len({each.descriptions for each in settings}) > 1:
        said.append(f", descriptions {setting.descriptions}")
    return "".join(said)


def _of_part(wanted: Wanted, part: _Part, setting: Setting, suffix: str) -> _Made:
    table, title = part.table + suffix, part.title + suffix
    scores = part.make(wanted, setting, table)
    layout = Layout(
        table=table,
        title=title,
        caption=title.partition(". ")[2],
        form="score",
        legend=part.legend,
        columns=part.columns,
    )
    why = part.missing(wanted, scores) if part.missing else None
    if why is not None:
        return _Made(layout=layout, undrawn=f"{part.table}{suffix} is not drawn: {why}.")
    figure = part.draw(wanted, scores, table, title) if part.draw else None
    return _Made(layout=layout, scores=scores, figure=figure)


def _descriptions(wanted: Wanted) -> Iterator[_Made]:
    settings = wanted.numbers.settings
    plain = {each.wording for each in settings if each.descriptions == NO_DESCRIPTIONS}
    for setting in settings:
        if setting.descriptions == NO_DESCRIPTIONS or setting.wording not in plain:
            continue
        table = f"descriptions {setting.descriptions}"
        if len({each.wording for each in settings}) > 1:
            table += f", wording {setting.wording}"
        title = f"Section 5.2. With descriptions of the characters: {setting.descriptions}"
        layout = Layout(
            table=table,
            title=title + table.removeprefix(f"descriptions {setting.descriptions}"),
            caption=title.partition(". ")[2],
            form="score",
            legend=f"{_PERCENT}: with descriptions against without.",
            columns=(
                ORIGIN_NAME,
                f"{ORIGIN_NAME}, described",
                NR_NAME,
                f"{NR_NAME}, described",
            ),
        )
        yield _Made(
            layout=layout, scores=described(wanted, setting.wording, setting.descriptions, table)
        )


def _wordings(wanted: Wanted) -> Iterator[_Made]:
    settings = wanted.numbers.settings
    told = dict.fromkeys(each.descriptions for each in settings)
    for descriptions in told:
        if sum(each.descriptions == descriptions for each in settings) < 2:
            continue
        suffix = f", descriptions {descriptions}" if len(told) > 1 else ""
        table = f"wordings{suffix}"
        title = f"Spread over wordings: means{suffix}"
        layout = Layout(
            table=table,
            title=title,
            caption=title,
            form="score",
            legend="Percent with [lowest–highest] over the wordings; with an arrow, the change in"
            " points with its own. n: wordings.",
            columns=(ORIGIN_NAME, NR_NAME, GIST_NAME),
        )
        yield _Made(layout=layout, scores=spread(wanted, descriptions, table))


def _labels(wanted: Wanted) -> dict[str, str]:
    """What rows, columns and models are called in tables."""
    labels = dict(figures.NAME_LABELS) | figures.PROMPT_LABELS
    for row in wanted.rows():
        key = key_of(row.place)
        labels[key] = row.label
        labels |= {
            f"{key} {names}": f"{row.label}: {label}"
            for names, label in figures.NAME_LABELS.items()
        }
    return labels | {
        model: model if model == paper else f"{model} (the paper's {paper})"
        for model, paper in wanted.matched.items()
    }


def _sizes(wanted: Wanted, cells: Sequence[Score]) -> Iterator[str]:
    """For each model, what its changes from origin to NR come to, and what they would need."""
    labels = _labels(wanted)
    by_table: dict[str, list[str]] = {}
    tables = {_MAIN + _suffix(each, wanted.numbers.settings) for each in wanted.numbers.settings}
    for each in cells:
        if each.table in tables and (each.kind, each.column) == ("change", NR_NAME):
            said = _size(labels.get(each.row, each.row), each)
            if said:
                whose = labels.get(each.group, each.group) + each.table.removeprefix(_MAIN)
                by_table.setdefault(whose, []).append(said)
    for whose, said_of in by_table.items():
        yield (
            f"{whose}, NR against Origin, as share of origin; items that would"
            f" show it with a chance of 80 %, and what the present ones show: {'; '.join(said_of)}."
        )


def _size(label: str, change: Score) -> str:
    """Nothing where neither can be told."""
    share, needed, shown = (change.facts.get(name) for name in ("share", "needed", "detectable"))
    parts = []
    if isinstance(share, float):
        parts.append(f"{-round(100 * share):+d} %")
    if isinstance(needed, int):
        parts.append(f"{needed:,} items")
    if isinstance(shown, float):
        parts.append(f"{change.n} show {100 * shown:.1f} points")
    return f"{label} {', '.join(parts)}" if parts else ""


def _bounds(wanted: Wanted, cells: Sequence[Score]) -> Iterator[str]:
    """Where so many replies are missing that it matters, between what the change must lie."""
    labels = _labels(wanted)
    told = [
        f"{labels.get(each.row, each.row)}, {each.group}, {labels.get(each.column, each.column)}"
        f" ({100 * each.missing:.1f} %): {arrowed(each.lowest)} to {arrowed(each.highest)}"
        for each in cells
        if each.kind == "change"
        and each.lacks
        and each.missing is not None
        and each.lowest is not None
        and each.highest is not None
    ]
    told = list(dict.fromkeys(told))
    if told:
        more = f"; and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
        yield (
            "†: changes if every missing reply were as bad or as good as can be (share missing): "
            f"{'; '.join(told[:_MOST_TOLD])}{more}."
        )


STUDY: Final = Memorization()
