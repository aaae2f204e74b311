"""The rows of the tables: a task over a dataset each, named and ordered as in the paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from analysis.studies.memorization.paper import PaperRow, the_paper

GUESSING: Final = "character_guessing"
SOURCE: Final = "source_identification"
ALL_TASKS: Final = "all tasks"
TASKS: Final = (
    GUESSING,
    "coreference",
    "question_answering",
    "summarization",
    "role_detection",
    "personality",
    SOURCE,
)
"""In the paper's order; what is remembered comes after what is understood."""
_OPEN: Final = "open"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """What a row is about.

    Attributes:
        choices: `options` where answers are offered, else `open`.
        flag: Only the items with this flag, or without it if a minus stands before it; all if
            empty.
    """

    task: str
    dataset: str
    choices: str
    flag: str = ""

    @property
    def whole(self) -> Place:
        """The row that this is a part of; itself if it is none."""
        return Place(self.task, self.dataset, self.choices)


EVERY: Final = Place(ALL_TASKS, "", "")
"""The row of the mean over tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row with its name.

    Attributes:
        paper: The paper's row it stands for; None where the paper has none.
    """

    place: Place
    label: str
    paper: PaperRow | None


def named_rows(places: Iterable[Place]) -> list[Row]:
    """Rows in order: the paper's tasks, other tasks, source identification, and the mean of all.

    A task that is asked both with answers offered and openly has a row for each, and only the one
    that is asked as the paper does it stands for the paper's: with answers offered where there are
    any to offer.
    """
    known = sorted(places, key=_order)
    rows = []
    for place in known:
        both = any(
            (each.task, each.dataset, each.flag) == (place.task, place.dataset, place.flag)
            and each.choices != place.choices
            for each in known
        )
        paper = None if place.flag else the_paper().row_of(place.task, place.dataset)
        if both and place.choices == _OPEN:
            paper = None
        rows.append(Row(place=place, label=_label(place, paper, both=both), paper=paper))
    return rows


def _order(place: Place) -> tuple[int, int, str, bool, str, bool]:
    paper = the_paper().row_of(place.task, place.dataset)
    if place.task == SOURCE:
        group = 2
    elif place.task == ALL_TASKS:
        group = 3
    else:
        group = 0 if paper else 1
    at = TASKS.index(place.task) if place.task in TASKS else len(TASKS)
    flag = place.flag
    is_open = place.choices == _OPEN
    return group, at, place.dataset, is_open, flag.lstrip("-"), flag.startswith("-")


def _label(place: Place, paper: PaperRow | None, *, both: bool) -> str:
    if place.task == ALL_TASKS:
        return "All tasks"
    if place.flag:
        flag = place.flag.lstrip("-").replace("_", " ")
        return f"– not {flag}" if place.flag.startswith("-") else f"– {flag}"
    if paper is not None:
        return paper.label
    task = place.task.replace("_", " ").capitalize()
    open_answers = ", open answers" if both and place.choices == _OPEN else ""
    return f"{task} on {place.dataset}{open_answers}"
