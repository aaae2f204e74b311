"""Two small runs to compare: who was right where, and what was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from analysis.comparison.differences import Asked, Condition, Differences, differences
from analysis.comparison.sides import Side, side, together
from store.insert import insert
from store.read import Connection
from store.rows import Row
from tests.store.rows_for_tests import (
    cell_row,
    experiment_row,
    item_row,
    memory,
    model_row,
    prompt_row,
    reply_row,
    score_row,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One cell and its answer.

    Attributes:
        right: Units that are right (count); None where there is no reply.
        units: Units asked for (count).
        score: In place of units: a share, for answers that are more or less good.
    """

    item: str
    right: int | None = 1
    units: int = 1
    score: float | None = None
    condition: tuple[str, str] = ("original", "baseline")
    model: str = "m"
    sample: int = 0
    task: str = "source_identification"
    work: str = "Emma"
    reply: str = "Emma"
    asked: str = "Which work?"
    gold: str = "Emma"
    version: int = 1


def run(told: Iterable[Told], experiment: str = "small") -> Connection:
    """A store with one experiment of these cells."""
    connection = memory()
    rows: list[Row] = [experiment_row(experiment=experiment), model_row()]
    seen: set[str] = set()
    for number, each in enumerate(told):
        for row in _rows(each, number):
            name = getattr(row, "prompt_hash", "") or getattr(row, "item_hash", "")
            known = f"{type(row).__name__} {name}"
            if "key" in type(row).__slots__ or known not in seen:
                rows.append(row)
            seen.add(known)
    insert(connection, rows)
    return connection


def _rows(each: Told, number: int) -> Sequence[Row]:
    item = replace(
        item_row(each.item, task=each.task), item_hash=f"{each.task} {each.item}", work=each.work
    )
    own = prompt_row(each.item, *each.condition, gold=json.dumps({"title": each.gold}))
    prompt = replace(
        own,
        item_hash=item.item_hash,
        prompt_hash=f"{each.task} {own.prompt_hash} {each.asked} {each.gold}",
        text=each.asked,
    )
    cell = cell_row(prompt, model=each.model, sample=each.sample, key=f"key {number}")
    if each.right is None:
        return item, prompt, cell
    answer = json.dumps({"title": each.reply})
    score = score_row(cell, each.right, units=each.units, version=each.version, answer=answer)
    if each.score is not None:
        measure = {"metric": "rouge1", "num": each.score, "den": 1, "headline": True}
        score = replace(score, units=0, units_right=0, measures=json.dumps([measure]))
    return item, prompt, cell, reply_row(cell.key, text=each.reply), score


def sides(a: Connection, b: Connection) -> tuple[Side, Side]:
    """Two stores with one experiment each."""
    return side(a, "A"), side(b, "B")


def compared(
    a: Iterable[Told],
    b: Iterable[Told],
    *models: str,
    same_prompts: bool = False,
    examples: int = 0,
    changed: bool = False,
) -> Differences:
    """What differs between two runs."""
    first, second = sides(run(a), run(b))
    asked = Asked(
        models=together(first, second, models),
        same_prompts=same_prompts,
        examples=examples,
        changed=changed,
    )
    return differences(first, second, asked)


def only(found: Differences) -> Condition:
    """The one condition there is."""
    (condition,) = found.conditions
    return condition
