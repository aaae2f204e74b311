"""Reads stored replies with their task's parser and stores what it finds.

Asks nobody: a reply is parsed and marked again whenever its parser's version has gone up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from analysis.sql import query
from prompts.tasks import TASKS, Answer, Likelihood, Marked, Measure, Task, Unparsed
from store.insert import insert
from store.keys import as_one, canonical
from store.read import Connection, ask
from store.rows import ScoreRow

_STRETCH: Final = 200_000
_MOST: Final = 5_000
"""Cells gone through, and replies read, at a time."""
_LISTS: Final = ("offsets", "logprobs", "token_ids", "ranks", "means", "variances")


def score_replies(connection: Connection, keys: Sequence[str] | None = None) -> int:
    """Score every reply that its parser's present version has not read; return how many.

    Args:
        connection: The owner's; rows are inserted through it.
        keys: Only these replies; all if None.
    """
    cells = int(str(ask(connection, "SELECT count(*) FROM cells").rows[0][0]))
    # The keys of a call are few; all replies may be too many for memory.
    stretch = _STRETCH if keys is None else max(1, cells)
    wanted = None if keys is None else as_one(keys)
    asked = {str(row[0]) for row in ask(connection, "SELECT DISTINCT task FROM items").rows}
    scored = 0
    for task in (task for task in TASKS.values() if task.name in asked):
        own: dict[str, object] = {"task": task.name, "version": task.version, "keys": wanted}
        if task.asks == "likelihood":
            scored += _score_all(connection, "to_measure", own, partial(_measured, task))
            continue
        for start in range(0, cells, stretch):
            places = {"start": start, "end": start + stretch, "joined": task.joined}
            bound = {**own, **places}
            scored += _score_all(connection, "to_score", bound, partial(_score, task))
        if task.joined:
            scored += _score_joined(connection, task, own)
    return scored


def _score_all(
    connection: Connection,
    wanted: str,
    bound: dict[str, object],
    score: Callable[[dict[str, object], datetime], ScoreRow],
) -> int:
    """Score what a query gives, a page at a time, until it gives nothing more; return how much."""
    scored = 0
    while True:
        now = datetime.now(UTC)
        found = ask(connection, query(wanted), {**bound, "most": _MOST}).records()
        insert(connection, [score(record, now) for record in found])
        scored += len(found)
        if len(found) < _MOST:
            return scored


def _score(task: Task, record: dict[str, object], now: datetime) -> ScoreRow:
    gold, options, accepted = _loaded(record)
    answer = read(task, str(record["text"]), str(record["outcome"]), gold, options)
    own = str(record["prompt_hash"]), str(record["key"])
    return _row(task, own, answer, task.mark(answer, gold, accepted), now)


def _measured(task: Task, record: dict[str, object], now: datetime) -> ScoreRow:
    names = [(int(start), int(end)) for start, end in json.loads(str(record["names_at"]))]
    likelihood = likelihood_of(record)
    own = str(record["prompt_hash"]), str(record["key"])
    marked = task.measure(likelihood, str(record["text"]), names)
    return _row(task, own, Answer({}), marked, now)


def likelihood_of(record: Mapping[str, Any]) -> Likelihood:
    """A row of `likelihoods` as the value it was."""
    lists = {name: tuple(record[name] or ()) for name in _LISTS}
    return Likelihood(**lists, exact=bool(record["exact"]))


def _loaded(record: dict[str, object]) -> tuple[dict[str, str], list[str], list[str]]:
    gold, options, accepted = (
        json.loads(str(record[name])) for name in ("gold", "options", "accepted")
    )
    return gold, options, accepted


def _row(
    task: Task, own: tuple[str, str], answer: Answer | Unparsed, marked: Marked, now: datetime
) -> ScoreRow:
    return ScoreRow(
        prompt_hash=own[0],
        key=own[1],
        version=task.version,
        answer=canonical(answer.value) if isinstance(answer, Answer) and answer.value else None,
        unparsed=answer.reason if isinstance(answer, Unparsed) else None,
        units_right=marked.right,
        units=marked.units,
        scored_at=now,
        measures=canonical([_sums(measure) for measure in marked.measures]),
    )


def _score_joined(connection: Connection, task: Task, bound: dict[str, object]) -> int:
    """Mark texts that were asked in windows: what is said of each is joined to one answer.

    The first window's row holds the answer and its measures; the others' say what was read in them.
    """
    now = datetime.now(UTC)
    found = ask(connection, query("to_join"), bound).records()
    rows = []
    for record in found:
        gold, options, accepted = _loaded(record)
        windows: list[dict[str, str]] = list(record["windows"])  # type: ignore[call-overload]
        read_each = [read(task, own["text"], own["outcome"], gold, options) for own in windows]
        whole = _joined(read_each)
        for own, answer in zip(windows, (whole, *read_each[1:]), strict=True):
            first = own is windows[0]
            marked = task.mark(answer, gold, accepted) if first else Marked(right=0, units=0)
            rows.append(_row(task, (own["prompt_hash"], own["key"]), answer, marked, now))
    # Cells of several plans may share their replies: each is scored once.
    insert(connection, {(row.prompt_hash, row.key): row for row in rows}.values())
    return len(rows)


def _joined(answers: Sequence[Answer | Unparsed]) -> Answer | Unparsed:
    said = [answer for answer in answers if isinstance(answer, Answer)]
    if not said:
        return answers[0]
    labels = dict.fromkeys(label for answer in said for label in answer.value)
    return Answer(
        {label: "\n\n".join(a.value[label] for a in said if label in a.value) for label in labels}
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
