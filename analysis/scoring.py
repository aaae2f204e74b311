"""Reads stored replies with their task's parser and stores what it finds.

Asks nobody: a reply is parsed and marked again whenever its parser's version has gone up.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final

from analysis.sql import query
from prompts.tasks import TASKS, Answer, Marked, Measure, Task, Unparsed
from store.insert import insert
from store.keys import as_one, canonical
from store.read import Connection, ask
from store.rows import ScoreRow

_STRETCH: Final = 200_000
_MOST: Final = 5_000
"""Cells gone through, and replies read, at a time."""


def score_replies(connection: Connection, keys: Sequence[str] | None = None) -> int:
    """Score every reply that its parser's present version has not read; return how many.

    Args:
        connection: The owner's; rows are inserted through it.
        keys: Only these replies; all if None.
    """
    cells = int(str(ask(connection, "SELECT count(*) FROM cells").rows[0][0]))
    # The keys of a call are few; all replies may be too many for memory.
    stretch = _STRETCH if keys is None else max(1, cells)
    asked = {str(row[0]) for row in ask(connection, "SELECT DISTINCT task FROM items").rows}
    return sum(
        _score_stretch(
            connection,
            task,
            {
                "task": task.name,
                "version": task.version,
                "keys": None if keys is None else as_one(keys),
                "start": start,
                "end": start + stretch,
                "most": _MOST,
            },
        )
        for task in TASKS.values()
        if task.name in asked
        for start in range(0, cells, stretch)
    )


def _score_stretch(connection: Connection, task: Task, bound: dict[str, object]) -> int:
    scored = 0
    while True:
        now = datetime.now(UTC)
        found = ask(connection, query("to_score"), bound).records()
        insert(connection, [_score(task, record, now) for record in found])
        scored += len(found)
        if len(found) < _MOST:
            return scored


def _score(task: Task, record: dict[str, object], now: datetime) -> ScoreRow:
    gold, options, accepted = (
        json.loads(str(record[name])) for name in ("gold", "options", "accepted")
    )
    answer = read(task, str(record["text"]), str(record["outcome"]), gold, options)
    marked: Marked = task.mark(answer, gold, accepted)
    return ScoreRow(
        prompt_hash=str(record["prompt_hash"]),
        key=str(record["key"]),
        version=task.version,
        answer=canonical(answer.value) if isinstance(answer, Answer) else None,
        unparsed=answer.reason if isinstance(answer, Unparsed) else None,
        units_right=marked.right,
        units=marked.units,
        scored_at=now,
        measures=canonical([_sums(measure) for measure in marked.measures]),
    )


def _sums(measure: Measure) -> dict[str, object]:
    """A measure as its column has it: what is not there is left out."""
    return {name: value for name, value in asdict(measure).items() if value is not None}


def read(
    task: Task, text: str, outcome: str, gold: dict[str, str], options: list[str]
) -> Answer | Unparsed:
    """What a reply says. A refusal says nothing, whatever its words."""
    if outcome == "refused":
        return Unparsed("the model refused")
    return task.parse(text, gold, options)
