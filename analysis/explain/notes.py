"""Explains what stands below an experiment's tables: notes on models, and the audit of names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from analysis.explain.conditions import OURS, counted
from analysis.explain.entries import Entry, Name
from analysis.explain.explanation import Definition, Explanation, Numbers, Record, Records
from analysis.explain.queries import REPLY_COLUMNS, body, literal, select, within
from prompts.tasks import TASKS

_WHO: Final = ("task", "dataset")
_COLUMNS: Final = (*_WHO, *REPLY_COLUMNS, "error", "cell_id")
_HELD: Final = "outcome NOT IN ('pending', 'failed', 'unavailable')"
_COUNTS: Final = {
    "cells": ("", "Cells of the plan"),
    "replies": (_HELD, "Cells with a reply"),
    "unparsed": ("unparsed IS NOT NULL", "Replies that hold no answer"),
    "wrong_unparsed": (
        "unparsed IS NOT NULL AND (units > 0 OR json_array_length(measures) > 0)",
        "Replies that hold no answer and count as wrong",
    ),
    "truncated": ("outcome = 'truncated'", "Replies cut at their token limit"),
    "failed": ("outcome = 'failed'", "Cells whose requests failed"),
    "unavailable": ("outcome = 'unavailable'", "Cells that the endpoint cannot answer"),
    "filtered": ("outcome = 'filtered'", "Replies that the provider filtered"),
    "pending": ("outcome = 'pending'", "Cells still to ask"),
}
_TEXTS: Final = {
    "most_common_reason": (
        "unparsed",
        "unparsed IS NOT NULL",
        "Why most of the replies without an answer hold none",
    ),
    "most_common_error": ("error", "outcome = 'failed'", "What most failed requests ended with"),
    "why_unavailable": (
        "error",
        "outcome = 'unavailable'",
        "Why the endpoint cannot answer some cells; one of the reasons given",
    ),
}
_REPEATS: Final = """
WITH cell AS (
    SELECT DISTINCT plan.experiment, c.model, c.key
    FROM current_plans AS plan JOIN cells AS c USING (experiment_id))
SELECT key, {columns}
FROM cell JOIN {table} USING (key)
WHERE experiment = {experiment} AND model = {model}
ORDER BY ALL"""
_NOTE: Final = """
SELECT model, provider, note
FROM models JOIN current_plans USING (experiment_id)
WHERE experiment = {experiment} AND model = {model}
ORDER BY ALL"""
_SHOWN: Final = """
SELECT DISTINCT p.names, i.dataset, i.task, i.item_id, p.item_hash, p.replaced, p.leaks, p.suspects
FROM current_plans AS plan
JOIN cells AS c USING (experiment_id)
JOIN prompts AS p USING (prompt_hash)
JOIN items AS i USING (item_hash)
WHERE plan.experiment = $experiment AND p.names = $names"""
_ASIDE: Final = """
SELECT s.names, s.dataset, s.task, s.item_id, s.reason
FROM current_plans AS plan
JOIN set_aside AS s USING (experiment_id)
WHERE plan.experiment = $experiment AND s.names = $names"""
_REPLACED: Final = {
    "items": "Passages shown under this strategy, each counted once for each way it was shown",
    "replaced": "Stretches of text that were replaced by other names",
    "leaks": "Names of the cast that were left standing",
    "suspects": "Possible names of nobody listed, left standing",
    "set_aside": "Items that the strategy could not show",
}


def note_entries(experiment: str, records: Sequence[Record]) -> Iterator[Entry]:
    """Every number and text that is said of a model."""
    for record in records:
        for column in record:
            if column != "model":
                yield _entry("notes", str(record["model"]), column, record, experiment, _of_note)


def replacement_entries(experiment: str, records: Sequence[Record]) -> Iterator[Entry]:
    """Every number that is said of a strategy of names."""
    for record in records:
        for column in _REPLACED:
            row = str(record["names"])
            yield _entry("replacement", row, column, record, experiment, _of_strategy)


def _entry(
    table: str,
    row: str,
    column: str,
    record: Record,
    experiment: str,
    explain: Callable[[str, str, str], Explanation],
) -> Entry:
    value = record[column]
    return Entry(
        table=table,
        places=[(Name(row, row), Name(column, column))],
        printed=Numbers(value=value),
        shown="–" if value is None else ", ".join(value) if isinstance(value, list) else str(value),
        undefined="there is none" if value is None else None,
        explain=partial(explain, experiment, row, column),
    )


def _of_note(experiment: str, model: str, column: str) -> Explanation:
    wanted = {"experiment": experiment, "model": model}
    if column in _COUNTS:
        which, what = _COUNTS[column]
        if column == "truncated":
            replying = [task.name for task in TASKS.values() if task.asks == "reply"]
            which += f" AND list_contains({literal(replying)}, task)"
            what += "; a continuation always ends at its limit and is not counted"
        return counted(what, select(_COLUMNS, "results", wanted, which))
    if column in _TEXTS:
        text, which, what = _TEXTS[column]
        query = select(_COLUMNS, "results", wanted, which)
        recompute = partial(_common, column=text, alone=column == "why_unavailable")
        return _text(what, f"the most common {text}", query, recompute)
    own = {name: literal(value) for name, value in wanted.items()}
    if column == "note":
        query = _NOTE.format(**own).strip()
        what = "What the model can and cannot show, as the experiment file or catalogue says"
        return _text(what, "note", query, lambda rows: Numbers(value=rows[0]["note"]))
    if column == "builds":
        return _builds(own)
    query = _REPEATS.format(columns="run_id, same", table="repeats", **own).strip()
    what = {
        "repeats": "Cells that were asked again through the run",
        "same": "Of the cells asked again, those whose reply was the same",
    }[column]
    formula = "count(*)" if column == "repeats" else "count(*) FILTER (same)"
    return Explanation(
        definition=Definition(what=f"{what}.", formula=formula, unit="count", source=OURS),
        query=query,
        recompute=partial(_repeats, column=column),
    )


def _repeats(rows: Records, column: str) -> Numbers:
    count = len(rows) if column == "repeats" else sum(bool(row["same"]) for row in rows)
    # Who was never asked again and named no build has no row there: NULL, which is printed as 0.
    return Numbers(value=count, others=() if count else (None,))


def _builds(own: dict[str, str]) -> Explanation:
    columns = "served_model, fingerprint"
    first, second = (
        _REPEATS.format(columns=columns, table=table, **own).strip()
        for table in ("replies", "repeats")
    )
    query = f"SELECT DISTINCT {columns} FROM (\n{first}\n)\nUNION\n"
    query += f"SELECT DISTINCT {columns} FROM (\n{second}\n)\nORDER BY ALL"
    what = "What the server called itself: the builds that answered the model's cells"
    return _text(what, "served_model and fingerprint, joined; each once", query, _named_builds)


def _named_builds(rows: Records) -> Numbers:
    named = {
        " ".join(str(row[name]) for name in ("served_model", "fingerprint") if row[name])
        for row in rows
    } - {""}
    return Numbers(value=sorted(named) or None)


def _common(rows: Records, column: str, *, alone: bool) -> Numbers:
    counts = Counter(row[column] for row in rows if row[column] is not None)
    most = max(counts.values(), default=0)
    found = tuple(text for text, count in counts.items() if alone or count == most)
    return Numbers(value=found[0] if found else None, others=found)


def _text(
    what: str, formula: str, query: str, recompute: Callable[[Records], Numbers]
) -> Explanation:
    return Explanation(
        definition=Definition(what=f"{what}.", formula=formula, unit="text", source=OURS),
        query=query,
        recompute=recompute,
    )


def _of_strategy(experiment: str, names: str, column: str) -> Explanation:
    text = _ASIDE if column == "set_aside" else _SHOWN
    bound: dict[str, object] = {"experiment": experiment, "names": names}
    formula = {
        "items": "count(*)",
        "set_aside": "count(*)",
        "replaced": "sum(replaced)",
    }.get(column, f"sum of the counts in {column}")
    source = "memorization paper, section 5.1 and appendix E (name replacement); the audit is ours"
    return Explanation(
        definition=Definition(
            what=f"{_REPLACED[column]}.", formula=formula, unit="count", source=source
        ),
        query=within(body(text), bound, {}),
        recompute=partial(_audited, column=column),
    )


def _audited(rows: Records, column: str) -> Numbers:
    if column in {"items", "set_aside"}:
        return Numbers(value=len(rows))
    if column == "replaced":
        return Numbers(value=sum(int(str(row["replaced"] or 0)) for row in rows))
    left = [json.loads(str(row[column] or "{}")) for row in rows]
    return Numbers(value=sum(int(count) for own in left for count in own.values()))
