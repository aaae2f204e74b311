"""Row types: one frozen dataclass a table, fields named and ordered as its columns.

Times are UTC. Durations are seconds. JSON columns hold canonical JSON as text.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from math import isfinite
from operator import attrgetter
from types import UnionType
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from store.batch_rows import BatchRows
from store.corpus_rows import CorpusRow

Outcome: TypeAlias = Literal["ok", "refused", "filtered", "truncated", "failed"]
Ints: TypeAlias = tuple[int | None, ...]
Floats: TypeAlias = tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRow:
    """One plan of an experiment: a change of its file or data gives a new one."""

    TABLE: ClassVar[str] = "experiments"
    experiment_id: str
    experiment: str
    seed: int
    spec: str
    cells: int
    planned_at: datetime
    items: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChunkRow:
    """How far a plan is recorded: so many of its items, in order, so many cells."""

    TABLE: ClassVar[str] = "plan_chunks"
    experiment_id: str
    items: int
    cells: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model of an experiment, and what stands for it in the cells' keys."""

    TABLE: ClassVar[str] = "models"
    experiment_id: str
    model: str
    provider: str
    identity: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One item as its dataset gives it."""

    TABLE: ClassVar[str] = "items"
    item_hash: str
    task: str
    dataset: str
    item_id: str
    work: str
    text: str
    gold: str
    accepted: str
    options: str
    cast: str
    culture: str
    notes: str
    question: str | None = None
    spans: str | None = None
    scene: str | None = None
    document: str | None = None
    part: int | None = None
    parts: int | None = None
    flags: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRow:
    """One item under one condition: what is sent, what is right, what the names became."""

    TABLE: ClassVar[str] = "prompts"
    prompt_hash: str
    item_hash: str
    names: str
    prompt: str
    choices: str
    text: str
    gold: str
    accepted: str
    options: str
    chance: float | None
    name_map: str
    replaced: int
    leaks: str
    suspects: str
    wording: str | None = None
    descriptions: str | None = None
    answer_schema: str | None = None
    titles: str | None = None
    places: str | None = None
    phrases: str | None = None
    names_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """One cell of a plan."""

    TABLE: ClassVar[str] = "cells"
    experiment_id: str
    cell_id: str
    key: str
    prompt_hash: str
    model: str
    sample: int
    ordinal: int | None = None
    is_first: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAsideRow:
    """An item that a name strategy could not show, and why."""

    TABLE: ClassVar[str] = "set_aside"
    experiment_id: str
    task: str
    dataset: str
    item_id: str
    names: str
    reason: str
    descriptions: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One start of `probe run`."""

    TABLE: ClassVar[str] = "runs"
    run_id: str
    experiment_id: str
    started_at: datetime
    provenance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRow:
    """What answered for a model in a run."""

    TABLE: ClassVar[str] = "served"
    run_id: str
    model: str
    opened_at: datetime
    facts: str
    unavailable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEndRow:
    """How a run ended; a run without one was killed."""

    TABLE: ClassVar[str] = "run_ends"
    run_id: str
    ended_at: datetime
    how: str
    asked: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One try at a cell, successful or not."""

    TABLE: ClassVar[str] = "attempts"
    key: str
    run_id: str
    attempt: int
    started_at: datetime
    latency_s: float
    status: int | None
    error_kind: str | None
    error: str | None
    usd: float | None = None
    usd_at_most: float | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRow:
    """What came back for a key; at most one a key."""

    TABLE: ClassVar[str] = "replies"
    key: str
    run_id: str
    outcome: str
    text: str | None
    finish_reason: str | None
    served_model: str | None
    fingerprint: str | None
    prompt_tokens: int | None
    reply_tokens: int | None
    attempts: int
    latency_s: float
    received_at: datetime
    raw: str
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelihoodRow:
    """How likely a model found the text of a key, token by token; beside the key's reply."""

    TABLE: ClassVar[str] = "likelihoods"
    key: str
    run_id: str
    offsets: Ints
    logprobs: Floats
    token_ids: Ints | None
    ranks: Ints | None
    means: Floats | None
    variances: Floats | None
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatRow:
    """A cell that was asked again, only to see whether it gets the reply it had."""

    TABLE: ClassVar[str] = "repeats"
    key: str
    run_id: str
    asked_at: datetime
    same: bool
    text: str | None
    served_model: str | None
    fingerprint: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRow:
    """One giving-up on a key; `permanent` ones are not asked again."""

    TABLE: ClassVar[str] = "failures"
    key: str
    run_id: str
    attempts: int
    kind: str
    error: str
    permanent: bool
    failed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """A reply read and marked by one version of its task's parser."""

    TABLE: ClassVar[str] = "scores"
    prompt_hash: str
    key: str
    version: int
    answer: str | None
    unparsed: str | None
    units_right: int
    units: int
    scored_at: datetime
    measures: str | None = None


Row: TypeAlias = (
    ExperimentRow
    | PlanChunkRow
    | ModelRow
    | ItemRow
    | PromptRow
    | CellRow
    | SetAsideRow
    | RunRow
    | ServedRow
    | RunEndRow
    | AttemptRow
    | ReplyRow
    | LikelihoodRow
    | RepeatRow
    | FailureRow
    | ScoreRow
    | BatchRows
    | CorpusRow
)
Event: TypeAlias = (
    AttemptRow
    | ReplyRow
    | LikelihoodRow
    | RepeatRow
    | FailureRow
    | RunRow
    | ServedRow
    | RunEndRow
    | ExperimentRow
    | ModelRow
    | BatchRows
)
"""What goes through the journal: all that a run cannot make anew."""

Columns: TypeAlias = dict[str, tuple[type, bool]]
"""Column -> its type and whether it may be None, in order; `tuple` with the type of its values."""


def _columns(kind: type[Any]) -> Columns:
    hints = get_type_hints(kind)
    found: Columns = {}
    for field in fields(kind):
        hint = hints[field.name]
        types = get_args(hint) if get_origin(hint) is UnionType else (hint,)
        found[field.name] = (types[0], type(None) in types)
    return found


COLUMNS: Final[dict[type[Row], Columns]] = {kind: _columns(kind) for kind in get_args(Row)}
_MOST_INT: Final = 2**63 - 1
VALUES: Final = {kind: attrgetter(*columns) for kind, columns in COLUMNS.items()}
"""What gives a row's values, in the order of its columns."""


def _places(plain: type) -> dict[type[Row], tuple[int, ...]]:
    """Where each kind of row has columns of a type."""
    return {
        kind: tuple(at for at, (each, _) in enumerate(columns.values()) if each is plain)
        for kind, columns in COLUMNS.items()
    }


_INTS: Final = _places(int)
_FLOATS: Final = _places(float)
_MOST_IN_LIST: Final[dict[type, float]] = {int: 2**31 - 1, float: 3.4e38}
LISTS: Final[dict[object, type]] = {Ints: int, Floats: float}
"""Type of a column of lists -> of what its lists hold beside None."""
_LISTS: Final[dict[type[Row], dict[str, type]]] = {
    kind: {name: LISTS[plain] for name, (plain, _) in columns.items() if plain in LISTS}
    for kind, columns in COLUMNS.items()
}
_SOUND: Final[dict[type[Row], set[tuple[type, ...]]]] = {kind: set() for kind in COLUMNS}
"""Combinations of types that were found sound; a run has a handful of them, and many rows."""


def mistyped(row: Row) -> str | None:
    """The first column whose value its table cannot hold, in words; None for a sound row."""
    kind = type(row)
    values = VALUES[kind](row)
    types = tuple(map(type, values))
    if types not in _SOUND[kind]:
        if wrong := _mistyped(row):
            return wrong
        _SOUND[kind].add(types)
    for at in _INTS[kind]:
        value = values[at]
        if value is not None and not -_MOST_INT <= value <= _MOST_INT:
            return f"{tuple(COLUMNS[kind])[at]} is {value!r:.80}, not int"
    for at in _FLOATS[kind]:
        value = values[at]
        if value is not None and not isfinite(value):  # JSON has no such number: null would be read
            return f"{tuple(COLUMNS[kind])[at]} is {value!r}, not finite"
    for name, plain in _LISTS[kind].items():
        for value in getattr(row, name) or ():
            held: int | float | None = value
            if held is not None and not (type(held) is plain and abs(held) <= _MOST_IN_LIST[plain]):
                return f"{name} holds {held!r:.80}, not {plain.__name__}"
    return None


def _mistyped(row: Row) -> str | None:
    for name, (kind, optional) in COLUMNS[type(row)].items():
        value = getattr(row, name)
        sound = isinstance(value, (float, int) if kind is float else get_origin(kind) or kind)
        sound = sound and isinstance(value, bool) == (kind is bool)  # a bool is an int to Python
        if not (sound or (value is None and optional)):
            return f"{name} is {value!r:.80}, not {kind.__name__}"
    return None
