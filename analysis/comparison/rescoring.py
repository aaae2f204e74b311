"""What reading stored replies anew changes: how many are to be read, and what became of them.

`analysis.scoring` reads them. Here is what the store says before and after; nothing is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from analysis.errors import NoSuchTable
from analysis.sql import query
from prompts.tasks import TASKS
from store.read import Source, ask

Record = dict[str, Any]
_HERE = "analysis.comparison"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Replies to one task by the version of its parser that read them last.

    Attributes:
        held: That version; None where none has read them.
        version: The version there is now.
        replies: How many (count).
    """

    task: str
    held: int | None
    version: int
    replies: int

    @property
    def to_read(self) -> bool:
        """Whether the present version is to read them."""
        return self.held is None or self.held < self.version

    @property
    def read_by_a_later(self) -> bool:
        """Whether a later version than there is now has read them; its reading stands."""
        return self.held is not None and self.held > self.version


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """What the present parsers read otherwise than those before them.

    Attributes:
        conditions: One record a condition and pair of versions: `replies` that both versions read,
            `answers` and `scores` that differ, those that score `better` or `worse`, those whose
            answer was `lost` (parsed before, not now) or `gained`, and the mean of their scores
            before and after.
        examples: Some replies that were read otherwise, with both readings.
    """

    conditions: list[Record]
    examples: list[Record]


def plans_of(source: Source, experiments: Sequence[str]) -> list[str]:
    """The current plan (experiment_id) of each experiment.

    Raises:
        NoSuchTable: The store has no experiment of a name.
    """
    found = ask(source, "SELECT experiment, experiment_id FROM current_plans ORDER BY ALL").rows
    plans = {str(name): str(plan) for name, plan in found}
    for name in experiments:
        if name not in plans:
            raise NoSuchTable(name, tuple(plans))
    return [plans[name] for name in experiments]


def unread(
    source: Source, *, tasks: Collection[str] = TASKS, plans: Sequence[str] = ()
) -> list[Unread]:
    """How many replies each version of each task's parser read last.

    Args:
        source: The store.
        tasks: Names of those to look at.
        plans: Only of the cells of these plans (experiment_id); of all, if there are none.
    """
    own = [TASKS[name] for name in TASKS if name in tasks]
    bound = _bound(tasks, plans) | {"joined": [task.joined for task in own]}
    return [Unread(**row) for row in ask(source, query("unread", _HERE), bound).records()]  # type: ignore[arg-type]


def rescored(
    source: Source,
    *,
    tasks: Collection[str] = TASKS,
    plans: Sequence[str] = (),
    examples: int = 0,
) -> Rescored:
    """What the present version of each parser reads otherwise than the version before it.

    Args:
        source: The store.
        tasks: Names of those to look at.
        plans: Only of the cells of these plans (experiment_id); of all, if there are none.
        examples: How many replies to show, taken from the conditions in turn.
    """
    bound = _bound(tasks, plans) | {"most": max(1, examples)}
    conditions: list[Record] = ask(source, query("rescored", _HERE), bound).records()
    changed = [
        [{**each, "from": row["from"], "to": row["to"]} for each in row.pop("changed")]
        for row in conditions
    ]
    return Rescored(conditions=conditions, examples=_read_anew(source, in_turn(changed, examples)))


def _read_anew(source: Source, wanted: Sequence[Record]) -> list[Record]:
    if not wanted:
        return []
    bound = {
        name: [each[column] for each in wanted]
        for name, column in (
            ("keys", "key"), ("prompts", "prompt_hash"), ("from", "from"), ("to", "to")
        )
    }  # fmt: skip
    return ask(source, query("reread", _HERE), dict(bound)).records()


def in_turn(groups: Iterable[Sequence[Record]], most: int) -> list[Record]:
    """So many records, the first of each group before the second of any."""
    turns: Iterator[Record | None] = chain.from_iterable(zip_longest(*groups))
    return [each for each in turns if each is not None][:most]


def _bound(tasks: Collection[str], plans: Sequence[str]) -> dict[str, object]:
    own = [TASKS[name] for name in TASKS if name in tasks]
    return {
        "tasks": [task.name for task in own],
        "versions": [task.version for task in own],
        "plans": list(plans),
    }
