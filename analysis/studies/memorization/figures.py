"""Figures 2 to 5 from the scores of their tables, and why one of them cannot be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from analysis.panels import Panel
from analysis.statistics import Interval
from analysis.studies.memorization.rows import GUESSING, SOURCE, Row
from analysis.studies.memorization.tables import (
    LOSS,
    MEMORY,
    NAMES,
    PROMPTS,
    Wanted,
    key_of,
    source_for,
)
from analysis.studies.scores import Score
from analysis.studies.study import Figure

ACCURACY: Final = "Accuracy (%)"
LOST: Final = "Percentage points lost, origin less NR+GIST"
NAME_LABELS: Final = {name: name.replace("_", " ").capitalize() for name in NAMES}
PROMPT_LABELS: Final = {name: name.capitalize() for name in PROMPTS}
_LINE: Final = "Memorization (source identification)"


def figure_2(wanted: Wanted, scores: Sequence[Score], name: str, title: str) -> Figure:
    """Bars of accuracy by model and prompt, a panel for each dataset."""
    models = wanted.numbers.models
    panels = [
        Panel(
            heading=_heading(row, wanted.rows(GUESSING)),
            places=models,
            series=tuple(PROMPT_LABELS[each] for each in _asked(scores, PROMPTS)),
            cells={
                (PROMPT_LABELS[score.column], score.group): score
                for score in _levels(scores, key_of(row.place))
            },
        )
        for row in wanted.rows(GUESSING)
    ]
    return Figure(kind="bars", name=name, title=title, axis=ACCURACY, panels=tuple(panels))


def figure_3(wanted: Wanted, scores: Sequence[Score], name: str, title: str) -> Figure:
    """A heat map of accuracy by names and model, a panel for each dataset."""
    rows = [row for row in wanted.rows(SOURCE) if not row.place.flag]
    panels = [
        Panel(
            heading=_heading(row, rows),
            places=wanted.numbers.models,
            series=tuple(NAME_LABELS[each] for each in _asked(scores, NAMES)),
            cells={
                (NAME_LABELS[score.column], score.group): score
                for score in _levels(scores, key_of(row.place))
            },
        )
        for row in rows
    ]
    return Figure(kind="heat map", name=name, title=title, axis=ACCURACY, panels=tuple(panels))


def figure_4(wanted: Wanted, scores: Sequence[Score], name: str, title: str) -> Figure:
    """Bars of guessing with a line of memorization, a panel for each model and dataset."""
    rows = [row for row in wanted.rows(GUESSING) if source_for(wanted, row)]
    several = len(wanted.rows(GUESSING)) > 1
    prompts = _asked(scores, PROMPTS)
    panels = []
    for row in rows:
        keys = {
            (f"{key_of(row.place)} {names}" if several else names): NAME_LABELS[names]
            for names in NAMES
        }
        for model in wanted.numbers.models:
            own = [
                score
                for score in scores
                if score.row in keys and score.group == model and score.kind == "level"
            ]
            if own:
                shown = {score.row for score in own}
                panels.append(
                    Panel(
                        heading=f"{model}, {row.label}" if several else model,
                        places=tuple(label for key, label in keys.items() if key in shown),
                        series=tuple(PROMPT_LABELS[each] for each in prompts),
                        cells={
                            (PROMPT_LABELS[score.column], keys[score.row]): score
                            for score in own
                            if score.column != MEMORY
                        },
                        line={keys[score.row]: score for score in own if score.column == MEMORY},
                        line_label=_LINE,
                    )
                )
    return Figure(kind="bars", name=name, title=title, axis=ACCURACY, panels=tuple(panels))


def figure_5(wanted: Wanted, scores: Sequence[Score], name: str, title: str) -> Figure:
    """Points lost from origin to NR+GIST, by task and model."""
    changes = [score for score in scores if score.kind == "change" and score.column == LOSS]
    labels = {key_of(row.place): row.label for row in wanted.rows()}
    panel = Panel(
        heading="",
        places=tuple(dict.fromkeys(labels[score.row] for score in changes)),
        series=tuple(
            model
            for model in wanted.numbers.models
            if any(score.group == model for score in changes)
        ),
        cells={(score.group, labels[score.row]): lost(score) for score in changes},
    )
    return Figure(kind="losses", name=name, title=title, axis=LOST, panels=(panel,))


def lost(score: Score) -> Score:
    """A change as what is lost: its sign, its interval and the paper's number turned round."""
    span = score.interval
    return replace(
        score,
        value=None if score.value is None else -score.value,
        interval=None if span is None else Interval(-span.high, -span.low),
        paper=None if score.paper is None else f"{-float(score.paper):.1f}",
    )


def missing_for_2(wanted: Wanted, scores: Sequence[Score]) -> str | None:
    """Why Figure 2 is not drawn; None where it is."""
    del wanted
    if not scores:
        return "character guessing was not asked under original names"
    if len(_asked(scores, PROMPTS)) < 2:
        return "character guessing under original names was asked with one prompt only"
    return None


def missing_for_3(wanted: Wanted, scores: Sequence[Score]) -> str | None:
    """Why Figure 3 is not drawn; None where it is."""
    del wanted
    if not scores:
        return "source identification was not asked with the prompt baseline"
    if len(_asked(scores, NAMES)) < 2:
        return "source identification was asked under one names strategy only"
    return None


def missing_for_4(wanted: Wanted, scores: Sequence[Score]) -> str | None:
    """Why Figure 4 is not drawn; None where it is."""
    rows = wanted.rows(GUESSING)
    if not rows:
        return "character guessing was not asked"
    if not wanted.rows(SOURCE):
        return "source identification was not asked"
    if not any(source_for(wanted, row) for row in rows):
        return "several source identifications were asked, none over the dataset of the guessing"
    if not any(score.column == MEMORY for score in scores):
        return "source identification was not asked with the prompt baseline"
    if len({score.facts["names"] for score in scores if score.column != MEMORY}) < 2:
        return "character guessing was asked under one names strategy only"
    return None


def missing_for_5(wanted: Wanted, scores: Sequence[Score]) -> str | None:
    """Why Figure 5 is not drawn; None where it is."""
    del wanted
    if not any(score.kind == "change" for score in scores):
        return "no task was asked both as origin (original, baseline) and as NR+GIST"
    return None


def _asked(scores: Sequence[Score], names: Sequence[str]) -> tuple[str, ...]:
    columns = {score.column for score in scores if score.kind == "level"}
    return tuple(name for name in names if name in columns)


def _levels(scores: Sequence[Score], row: str) -> list[Score]:
    return [score for score in scores if score.kind == "level" and score.row == row]


def _heading(row: Row, rows: Sequence[Row]) -> str:
    return row.label if len(rows) > 1 else ""
