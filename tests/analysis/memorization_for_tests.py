"""A store of an experiment whose every reply is put there by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from store.insert import insert
from store.read import Connection
from store.rows import ModelRow, PromptRow
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    item_row,
    model_row,
    prompt_row,
    reply_row,
    score_row,
)

ORIGIN = ("original", "baseline")
NR = ("cross_culture", "baseline")
GIST = ("cross_culture", "gist")
METRICS = {
    "summarization": ("rouge1", "rouge2"),
    "coreference": ("f1",),
}
"""Headline metrics where they are not `accuracy`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One task over one dataset, asked of one model under one condition.

    Attributes:
        marks: Item -> what its answer has of each headline metric, from 0 to 1; None where no reply
            is there.
        flags: Item -> its flags.
        works: Item -> its work; each item is one of its own where none is named.
    """

    marks: Mapping[str, float | None]
    condition: tuple[str, str] = ORIGIN
    task: str = "character_guessing"
    dataset: str = "tvshowguess"
    model: str = "m"
    wording: str | None = None
    descriptions: str | None = None
    choices: str = "options"
    flags: Mapping[str, Sequence[str]] | None = None
    works: Mapping[str, str] | None = None


def put(connection: Connection, asked: Iterable[Asked], experiment: str = "small") -> None:
    """Insert an experiment with these answers."""
    plan = f"plan of {experiment}"
    each = list(asked)
    models = dict.fromkeys(own.model for own in each)
    insert(connection, [experiment_row(plan, experiment=experiment)])
    insert(connection, [_model(name, plan) for name in models])
    known: set[str] = set()
    for own in each:
        for item, mark in own.marks.items():
            _put_one(connection, own, item, mark, plan, known)


def _model(name: str, plan: str) -> ModelRow:
    return replace(model_row(name), experiment_id=plan)


def _put_one(
    connection: Connection,
    own: Asked,
    item: str,
    mark: float | None,
    plan: str,
    known: set[str],
) -> None:
    name = f"{own.task} {own.dataset} {item}"
    row = replace(
        item_row(name, task=own.task),
        dataset=own.dataset,
        work=(own.works or {}).get(item, item),
        flags=json.dumps(list((own.flags or {}).get(item, ()))),
    )
    prompt = _prompt(own, name)
    cell = cell_row(prompt, experiment_id=plan, model=own.model)
    if row.item_hash not in known:
        insert(connection, [row])
    if prompt.prompt_hash not in known:
        insert(connection, [prompt])
    known |= {row.item_hash, prompt.prompt_hash}
    insert(connection, [cell])
    if mark is None:
        return
    measures = [_measure(own.task, metric, mark) for metric in METRICS.get(own.task, ("accuracy",))]
    score = replace(score_row(cell, int(mark)), measures=json.dumps(measures))
    insert(connection, [reply_row(cell.key), score])


def _prompt(own: Asked, name: str) -> PromptRow:
    made = prompt_row(name, *own.condition)
    hashed = f"{made.prompt_hash} {own.wording} {own.descriptions} {own.choices}"
    return replace(
        made,
        prompt_hash=hashed,
        wording=own.wording,
        descriptions=own.descriptions,
        choices=own.choices,
    )


def _measure(task: str, metric: str, mark: float) -> dict[str, object]:
    sums: dict[str, object] = {"num": mark, "den": 1.0}
    if task == "coreference":
        sums |= {"recall_num": mark, "recall_den": 1.0}
    return {"metric": metric, "headline": True, **sums}


def marks(text: str, start: int = 0) -> dict[str, float | None]:
    """Items by number with their marks, a character each: 1 right, 0 wrong, - no reply."""
    return {
        f"i{at:03}": None if mark == "-" else float(mark)
        for at, mark in enumerate(text, start=start)
    }
