"""Small stores of answers with their measures, and the contrasts found in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from analysis.contrasts import Contrast
from store.insert import insert
from store.keys import canonical
from store.read import Connection
from store.rows import CellRow, ItemRow, PromptRow
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

Measured = dict[str, object]
ORIGIN = ("original", "baseline")
NR = ("cross_culture", "baseline")
GIST = ("cross_culture", "gist")


def accuracy(right: float, units: float = 1) -> list[Measured]:
    """What an answer that is right or wrong is measured by."""
    return [{"metric": "accuracy", "num": right, "den": units, "headline": True}]


def f1(name: str, right: float, said: float, there: float, *, headline: bool = True) -> Measured:
    """What an answer adds to an F1."""
    return {
        "metric": name,
        "num": right,
        "den": said,
        "recall_num": right,
        "recall_den": there,
        "headline": headline,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An item under a condition, with an answer for each sample; None where there is no reply."""

    item: str
    condition: tuple[str, str]
    answers: Sequence[list[Measured] | None]
    task: str = "source_identification"
    work: str = "Emma"
    scene: str = ""
    document: str = ""
    model: str = "m"
    wording: str = "own"
    descriptions: str = "none"


def store(asked: Sequence[Asked]) -> Connection:
    """One experiment of these items."""
    connection = memory()
    numbers = count()
    insert(connection, [experiment_row(), model_row()])
    items: dict[str, ItemRow] = {}
    for each in asked:
        item = _item(each)
        if item.item_hash not in items:
            items[item.item_hash] = item
            insert(connection, [item])
        prompt = _prompt(each, item)
        insert(connection, [prompt])
        for sample, measures in enumerate(each.answers):
            _answer(connection, _cell(prompt, each, sample, next(numbers)), measures)
    return connection


def _item(each: Asked) -> ItemRow:
    return replace(
        item_row(each.item, task=each.task),
        item_hash=f"{each.task} {each.item}",
        work=each.work,
        scene=each.scene,
        document=each.document,
    )


def _prompt(each: Asked, item: ItemRow) -> PromptRow:
    prompt = prompt_row(each.item, *each.condition)
    own = f"{prompt.prompt_hash} {each.task} {each.wording} {each.descriptions} {each.model}"
    return replace(
        prompt,
        prompt_hash=own,
        item_hash=item.item_hash,
        wording=each.wording,
        descriptions=each.descriptions,
    )


def _cell(prompt: PromptRow, each: Asked, sample: int, number: int) -> CellRow:
    return cell_row(prompt, model=each.model, sample=sample, key=f"key {number}")


def _answer(connection: Connection, cell: CellRow, measures: list[Measured] | None) -> None:
    insert(connection, [cell])
    if measures is not None:
        insert(connection, [reply_row(cell.key)])
        insert(connection, [replace(score_row(cell, 0), measures=canonical(measures))])


def both(item: str, a: Sequence[int], b: Sequence[int], **more: str) -> list[Asked]:
    """An item of one unit under origin and NR, with the right answers (1) of each sample."""
    return [
        Asked(item=item, condition=condition, answers=[accuracy(mark) for mark in marks], **more)
        for condition, marks in ((ORIGIN, a), (NR, b))
    ]


def named(found: Sequence[Contrast]) -> dict[str, Contrast]:
    """By contrast's name."""
    return {each.contrast: each for each in found}
