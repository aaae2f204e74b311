"""Reads stored replies with their task's parser and stores what it finds.

Asks nobody: a reply is parsed and marked again whenever its parser's version has gone up.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final

from analysis.sql import query
from prompts.tasks import TASKS, Answer, Likelihood, Marked, Measure, Task, Unparsed
from store.insert import insert
from store.keys import as_one, canonical
from store.read import Connection, ask
from store.rows import ScoreRow

_STRETCH: Final = 200_000
"""Cells gone through at a time."""
_MOST: Final = {"to_score": 12_000, "to_join": 500, "to_measure": 1_000}
"""By query: replies, texts of several windows, or likelihoods read at a time."""
_LISTS: Final = ("offsets", "logprobs", "token_ids", "ranks", "means", "variances")


@dataclass(frozen=True, slots=True)
class Page:
    """What was read in one go: replies by task (counts)."""

    by_task: Mapping[str, int]

    @property
    def replies(self) -> int:
        """Of all tasks (count)."""
        return sum(self.by_task.values())


def score_replies(connection: Connection, keys: Sequence[str] | None = None) -> int:
    """Score every reply that its parser's present version has not read; return how many.

    Args:
        connection: The owner's; rows are inserted through it.
        keys: Only these replies; all if None.
    """
    return sum(page.replies for page in score_pages(connection, keys=keys))


def score_pages(
    connection: Connection,
    *,
    keys: Sequence[str] | None = None,
    tasks: Collection[str] = TASKS,
    plans: Sequence[str] = (),
) -> Iterator[Page]:
    """Score as `score_replies` does, a page at a time; each is committed before it is yielded.

    Whoever stops in between has lost nothing: what is left is found again.

    Args:
        connection: The owner's; rows are inserted through it, on the thread that asks for pages.
        keys: Only these replies; all if None.
        tasks: Only replies to tasks of these names.
        plans: Only replies to the cells of these plans (experiment_id); of all, if there are none.
    """
    cells = int(str(ask(connection, "SELECT count(*) FROM cells").rows[0][0]))
    # The keys of a call are few; all replies may be too many for memory.
    stretch = _STRETCH if keys is None else max(1, cells)
    wanted = None if keys is None else as_one(keys)
    asked = {str(row[0]) for row in ask(connection, "SELECT DISTINCT task FROM items").rows}
    meant = [each for each in TASKS.values() if each.name in asked and each.name in tasks]
    every: dict[str, object] = {"keys": wanted, "plans": list(plans)}
    if parsed := [task for task in meant if task.asks != "likelihood"]:
        # One query for all tasks: it goes through every key that there is.
        parsers = {
            "tasks": [task.name for task in parsed],
            "versions": [task.version for task in parsed],
            "joined": [task.joined for task in parsed],
        }
        for start in range(0, cells, stretch):
            places = {"start": start, "end": start + stretch}
            yield from _pages(connection, "to_score", {**every, **parsers, **places}, _score)
    for task in meant:
        own = {**every, "task": task.name, "version": task.version}
        if task.asks == "likelihood":
            yield from _pages(connection, "to_measure", own, _measured)
        elif task.joined:
            yield from _pages(connection, "to_join", own, _score_joined)


def _pages(
    connection: Connection,
    wanted: str,
    bound: dict[str, object],
    score: Callable[[Task, dict[str, object], datetime], list[ScoreRow]],
) -> Iterator[Page]:
    """Score what a query gives, a page at a time, until it gives nothing more."""
    most = _MOST[wanted]
    while True:
        now = datetime.now(UTC)
        # In one transaction: of two who score the same in a lake, one finds it done.
        connection.execute("BEGIN")
        found = ask(connection, query(wanted), {**bound, "most": most}).records()
        # Windows of several plans may share their replies: each is scored once.
        once: dict[tuple[str, str], ScoreRow] = {}
        count = Counter[str]()
        for record in found:
            task = TASKS[str(record["task"])]
            for row in score(task, record, now):
                count[task.name] += (row.prompt_hash, row.key) not in once
                once[row.prompt_hash, row.key] = row
        insert(connection, once.values())
        connection.execute("COMMIT")
        if once:
            yield Page(count)
        if len(found) < most:
            return


def _score(task: Task, record: dict[str, object], now: datetime) -> list[ScoreRow]:
    gold, options, accepted = _loaded(record)
    answer = read(task, str(record["text"]), str(record["outcome"]), gold, options)
    own = str(record["prompt_hash"]), str(record["key"])
    return [_row(task, own, answer, task.mark(answer, gold, accepted), now)]


def _measured(task: Task, record: dict[str, object], now: datetime) -> list[ScoreRow]:
    names = [(int(start), int(end)) for start, end in json.loads(str(record["names_at"]))]
    likelihood = likelihood_of(record)
    own = str(record["prompt_hash"]), str(record["key"])
    marked = task.measure(likelihood, str(record["text"]), names)
    return [_row(task, own, Answer({}), marked, now)]


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


def _score_joined(task: Task, record: dict[str, object], now: datetime) -> list[ScoreRow]:
    """Mark a text that was asked in windows: what is said of each is joined to one answer.

    The first window's row holds the answer and its measures; the others' say what was read in them.
    """
    gold, options, accepted = _loaded(record)
    windows: list[dict[str, str]] = list(record["windows"])  # type: ignore[call-overload]
    read_each = [read(task, own["text"], own["outcome"], gold, options) for own in windows]
    whole = _joined(read_each)
    rows = []
    for own, answer in zip(windows, (whole, *read_each[1:]), strict=True):
        first = own is windows[0]
        marked = task.mark(answer, gold, accepted) if first else Marked(right=0, units=0)
        rows.append(_row(task, (own["prompt_hash"], own["key"]), answer, marked, now))
    return rows


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
