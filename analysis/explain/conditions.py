"""Explains what stands under one condition: accuracies and headlines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from analysis.cells import as_printed
from analysis.explain.entries import Entry, Name
from analysis.explain.explanation import Definition, Explanation, Numbers, Record, Records
from analysis.explain.metrics import SOURCE_OF_POOLING, told_metric
from analysis.explain.queries import REPLY_COLUMNS, condition, replies, select
from analysis.metrics import pooled
from analysis.statistics import Interval
from prompts.tasks import TASKS

PLACE: Final = ("task", "dataset", "choices", "wording", "descriptions", "model")
CONDITION: Final = (*PLACE, "names", "prompt")
_CELL_COLUMNS: Final = (
    "item_id", "sample", "outcome", "answer", "gold", "units_right", "units", "chance",
    "unparsed", "cell_id",
)  # fmt: skip
_MEASURE_COLUMNS: Final = (
    "document", "item_id", "sample", "metric", "num", "den", "recall_num", "recall_den",
    "unparsed",
)  # fmt: skip
_COUNTED: Final = {
    "replies": ("units IS NOT NULL", "Replies that were read and marked"),
    "unparsed": ("unparsed IS NOT NULL", "Replies that hold no answer; they count as wrong"),
    "truncated": ("outcome = 'truncated'", "Replies cut at their token limit"),
    "missing": ("units IS NULL", "Cells without a reply that could be marked"),
    "cells": ("", "Cells of the plan: items times samples"),
}
"""Column -> which cells it counts, and what they are."""
_Z: Final = 1.959964
_HALF_Z2: Final = 1.920729
_QUARTER_Z2: Final = 0.960365
_Z2: Final = 3.841459
"""Of the views' Wilson interval, rounded as there."""
OURS: Final = "ours"


def accuracy_entries(experiment: str, records: Sequence[Record]) -> Iterator[Entry]:
    """Every number of the table of accuracies."""
    for record in records:
        found = _accuracy(record)
        yield _entry("accuracy", record, "accuracy", found, partial(_of_accuracy, experiment))
        for column in ("low", "high", "chance", "n", "items"):
            own = Numbers(value=record[column])
            yield _entry("accuracy", record, column, own, partial(_of_accuracy, experiment))
        yield from _counts("accuracy", experiment, record)


def headline_entries(experiment: str, records: Sequence[Record]) -> Iterator[Entry]:
    """Every number of the table of headlines."""
    for record in records:
        for column in ("value", "metric", "items", "replies", "unparsed"):
            n = int(str(record["items"])) if column == "value" else None
            own = Numbers(value=record[column], n=n)
            yield _entry("headlines", record, column, own, partial(_of_headline, experiment))
        for column in ("missing", "cells"):
            yield _count("headlines", experiment, record, column)


def condition_of(experiment: str, record: Record) -> dict[str, object]:
    """What the rows of a condition have in the views."""
    return {"experiment": experiment, **{name: record[name] for name in CONDITION}}


def row_of(record: Record, *more: str) -> Name:
    """A row by its place; the usual wording without descriptions goes without saying."""
    words = [str(record[name]) for name in ("task", "dataset", "choices", "model")]
    if record["wording"] != "own":
        words.append(f"wording {record['wording']}")
    if record["descriptions"] != "none":
        words.append(f"descriptions {record['descriptions']}")
    name = " ".join([*words, *more])
    return Name(name, name)


def _entry(
    table: str,
    record: Record,
    column: str,
    printed: Numbers,
    explain: Callable[[Record, str], Explanation],
) -> Entry:
    """The number that a table is about has its prompt for a name; others say what they are."""
    plain = column in {"accuracy", "value"}
    prompt = str(record["prompt"])
    name = f"{prompt} {column}"
    place = row_of(record, str(record["names"])), Name(name, prompt if plain else name)
    undefined = None if printed.value is not None else "no reply could be marked yet"
    return Entry(
        table=table,
        places=[place],
        printed=printed,
        shown=_shown(record, column, printed.value),
        undefined=undefined,
        explain=partial(explain, record, column),
    )


def _shown(record: Record, column: str, value: object) -> str:
    if value is None:
        return "–"
    task = TASKS.get(str(record["task"]))
    if isinstance(value, float):
        nats = column == "value" and task is not None and task.unit == "nats"
        return as_printed(value, 3) if nats else f"{as_printed(100 * value, 1)} %"
    return str(value)


def _accuracy(record: Record) -> Numbers:
    low, high = record["low"], record["high"]
    interval = Interval(low, high) if isinstance(low, float) and isinstance(high, float) else None
    return Numbers(value=record["accuracy"], interval=interval, n=int(str(record["n"])))


def _of_accuracy(experiment: str, record: Record, column: str) -> Explanation:
    wanted = condition_of(experiment, record)
    return Explanation(
        definition=Definition(
            what={
                "accuracy": "Right units over asked units: speakers of a scene, mentions, or one"
                " answer an item. A reply that holds no answer is wrong.",
                "low": "The lower end of the accuracy's 95 % interval.",
                "high": "The upper end of the accuracy's 95 % interval.",
                "chance": "What guessing at random among the options offered would have.",
                "n": "Units asked for, in replies that were marked.",
                "items": "Items with a reply that was marked.",
            }[column],
            formula={
                "chance": "sum(chance * units) / sum(units) over the rows with a chance",
                "n": "sum(units)",
                "items": "count(DISTINCT item_id) of the rows with units",
            }.get(column, "sum(units_right) / sum(units)"),
            unit="count" if column in {"n", "items"} else "share in [0, 1], printed in percent",
            source=_task_source(record),
            interval=(
                "95 % Wilson score interval (Wilson 1927); samples of an item are not independent,"
                " so r and n are multiplied by items / replies. No draws, no seed."
                if column in {"accuracy", "low", "high"}
                else ""
            ),
        ),
        query=select(_CELL_COLUMNS, "results", wanted, order="item_id, sample, cell_id"),
        recompute=partial(_recomputed_accuracy, column=column),
        behind=_one_cell,
    )


def _recomputed_accuracy(rows: Records, column: str) -> Numbers:
    marked = [row for row in rows if row["units"] is not None]
    right = sum(int(str(row["units_right"])) for row in marked)
    units = sum(int(str(row["units"])) for row in marked)
    items = len({row["item_id"] for row in marked})
    interval = None
    if units:
        interval = wilson(right * items / len(marked), units * items / len(marked))
    if column == "chance":
        with_chance = [row for row in marked if row["chance"] is not None]
        total = sum(int(str(row["units"])) for row in with_chance)
        hoped = sum(float(str(row["chance"])) * int(str(row["units"])) for row in with_chance)
        return Numbers(value=hoped / total if total else None)
    if column in {"low", "high"}:
        return Numbers(value=getattr(interval, column) if interval else None)
    if column in {"n", "items"}:
        return Numbers(value=units if column == "n" else items)
    return Numbers(value=right / units if units else None, interval=interval, n=units)


def wilson(right: float, n: float) -> Interval:
    """The 95 % score interval of `right` out of `n`, as the views work it out; n above 0."""
    middle = right + _HALF_Z2
    reach = _Z * math.sqrt(right * (n - right) / n + _QUARTER_Z2)
    return Interval(max(0.0, (middle - reach) / (n + _Z2)), min(1.0, (middle + reach) / (n + _Z2)))


def _counts(table: str, experiment: str, record: Record) -> Iterator[Entry]:
    for column in _COUNTED:
        yield _count(table, experiment, record, column)


def _count(table: str, experiment: str, record: Record, column: str) -> Entry:
    own = Numbers(value=record[column])
    return _entry(table, record, column, own, partial(_of_count, experiment))


def _of_count(experiment: str, record: Record, column: str) -> Explanation:
    which, what = _COUNTED[column]
    wanted = condition_of(experiment, record)
    return counted(what, select((*REPLY_COLUMNS, "cell_id"), "results", wanted, which))


def counted(what: str, query: str, unit: str = "count") -> Explanation:
    """A count: as many rows as its query returns."""
    return Explanation(
        definition=Definition(what=f"{what}.", formula="count(*)", unit=unit, source=OURS),
        query=query,
        recompute=lambda rows: Numbers(value=len(rows)),
        behind=_one_cell,
    )


def _one_cell(row: Record) -> str:
    """A cell with its prompt and reply."""
    columns = (*REPLY_COLUMNS, "prompt_text")
    return select(columns, "results", {"cell_id": row["cell_id"]}, order="item_id")


def _of_headline(experiment: str, record: Record, column: str) -> Explanation:
    wanted = condition_of(experiment, record)
    metrics = str(record["metric"])
    what = {
        "value": f"The task's headline: {told_metric(metrics, str(record['task']))}.",
        "metric": "The metrics that the headline is the mean of.",
        "items": "Documents with a reply that was marked.",
        "replies": "Replies that were marked.",
        "unparsed": "Replies that hold no answer.",
    }[column]
    formula = {
        "value": "for each metric sum(num) / sum(den), or the F1 of that and of sum(recall_num) /"
        " sum(recall_den); then the mean over the metrics",
        "items": "count(DISTINCT document)",
        "metric": "the names, joined",
    }.get(column, "count(*) of one metric's rows")
    nats = getattr(TASKS.get(str(record["task"])), "unit", "share") == "nats"
    unit = "nats a token" if nats else "share in [0, 1], printed in percent"
    return Explanation(
        definition=Definition(
            what=what,
            formula=formula,
            unit=unit if column == "value" else "count" if column != "metric" else "text",
            source=f"{_task_source(record)}; {SOURCE_OF_POOLING}",
            interval="none here: contrasts have intervals" if column == "value" else "",
        ),
        query=select(
            _MEASURE_COLUMNS,
            "measures",
            wanted,
            "headline",
            order="document, item_id, sample, metric",
        ),
        recompute=partial(_recomputed_headline, column=column),
        behind=partial(_behind_measure, wanted),
    )


def _behind_measure(wanted: Mapping[str, object], row: Record) -> str:
    return replies(wanted, condition("item_id", row["item_id"]), condition("sample", row["sample"]))


def _recomputed_headline(rows: Records, column: str) -> Numbers:
    by_metric: dict[str, list[Record]] = {}
    for row in rows:
        by_metric.setdefault(str(row["metric"]), []).append(row)
    metrics = sorted(by_metric)
    documents = [len({row["document"] for row in by_metric[name]}) for name in metrics]
    if column == "metric":
        return Numbers(value=" + ".join(metrics))
    if column in {"items", "replies", "unparsed"}:
        counts = {
            "items": documents,
            "replies": [len(by_metric[name]) for name in metrics],
            "unparsed": [
                sum(row["unparsed"] is not None for row in by_metric[name]) for name in metrics
            ],
        }[column]
        return Numbers(value=counts[0] if counts else None, others=tuple(counts))
    values = [pooled_metric(by_metric[name]) for name in metrics]
    known = [value for value in values if value is not None]
    whole = bool(values) and len(known) == len(values)
    return Numbers(
        value=sum(known) / len(known) if whole else None, n=documents[0] if documents else None
    )


def pooled_metric(rows: Records) -> float | None:
    """A metric of the rows of the view `measures`; None over nothing."""
    names = ("num", "den", "recall_num", "recall_den")
    sums = [sum(float(str(row[name] or 0)) for row in rows) for name in names]
    with_recall = any(row["recall_den"] is not None for row in rows)
    value = float(pooled(np.array([sums]), np.array([with_recall]))[0])
    return None if math.isnan(value) else value


def _task_source(record: Record) -> str:
    task = TASKS.get(str(record["task"]))
    return task.source if task else OURS
