"""What a reader must know before trusting the numbers: outcomes, leaks, reliability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.report.differences import level
from analysis.report.provenance import PACKAGE
from analysis.report.tables import plain, record_table
from analysis.report.text import visible
from analysis.report.values import Checks, TableView
from analysis.sql import query
from analysis.tables import ExperimentTable, Record
from store.read import Source, ask

_MOST: Final = 12
"""Reasons a task and model, or leaking names a kind, that are listed (count)."""
_ENDS: Final = (
    "cells",
    "ok",
    "truncated",
    "refused",
    "filtered",
    "failed",
    "unavailable",
    "pending",
    "unparsed",
)
_KEPT: Final = ("cells", "ok", "unparsed")
"""Columns that are shown also where all numbers in them are 0."""
_FEW: Final = 0.01
"""Share of the cells up to which what is missing gets no warning."""


def checks(source: Source, table: ExperimentTable) -> Checks:
    """What limits an experiment's numbers."""
    named: dict[str, object] = {"experiment": table.experiment}
    limited = {**named, "most": _MOST}

    def records(name: str, parameters: dict[str, object]) -> list[Record]:
        return ask(source, query(name, PACKAGE), parameters).records()

    ends = records("outcomes", named)
    repeats = records("repeats", named)
    leaks = records("leaks", limited)
    aside = records("aside", named)
    agreement = records("agreement", named)
    reasons = records("reasons", limited)
    return Checks(
        outcomes=_outcomes("By model, names and prompt", ends, ("model", "names", "prompt")),
        by_condition=_outcomes(
            "By task, model, names and prompt", ends, ("task", "model", "names", "prompt")
        ),
        reasons=_reasons(reasons) if reasons else None,
        replacement=_replacement(table.replacement) if table.replacement else None,
        leaks=_leaks(leaks) if leaks else None,
        aside=_aside(aside) if aside else None,
        repeats=_repeats(repeats),
        agreement=_agreement(agreement) if agreement else None,
        warnings=tuple(_warnings(ends, repeats, table.replacement)),
    )


def _outcomes(title: str, ends: Sequence[Record], by: Sequence[str]) -> TableView:
    """Counts of how cells ended, summed over all but what `by` names."""
    sums: dict[tuple[str, ...], dict[str, int]] = {}
    for each in ends:
        own = sums.setdefault(tuple(str(each[key]) for key in by), dict.fromkeys(_ENDS, 0))
        for end in _ENDS:
            own[end] += int(str(each[end]))
    shown = [end for end in _ENDS if end in _KEPT or any(own[end] for own in sums.values())]
    rows: list[Record] = [
        {**dict(zip(by, place, strict=True)), **own} for place, own in sums.items()
    ]
    columns = {key: key for key in (*by, *shown)}
    return record_table(title, rows, columns, "outcomes")


def _reasons(records: Sequence[Record]) -> TableView:
    columns = {
        "reason": "reason",
        "what": "what",
        "task": "task",
        "model": "model",
        "cells": "cells",
    }
    return record_table("Most common reasons", records, columns, "reasons")


def _replacement(records: Sequence[Record]) -> TableView:
    columns = {
        "names": "names",
        "items": "passages",
        "replaced": "names replaced",
        "leaks": "left standing",
        "suspects": "possible names of nobody listed",
        "set_aside": "items set aside",
    }
    return record_table("Replacement by name strategy", records, columns, "replacement")


def _leaks(records: Sequence[Record]) -> TableView:
    columns = {
        "found": "found",
        "kind": "as",
        "passages": "passages, over all strategies",
        "times": "times",
    }
    return record_table("What still tells of the work", records, columns, "leaks")


def _aside(records: Sequence[Record]) -> TableView:
    columns = {
        "reason": "reason",
        "task": "task",
        "dataset": "dataset",
        "names": "names",
        "items": "items",
    }
    return record_table("Items set aside", records, columns, "aside")


def _repeats(records: Sequence[Record]) -> TableView:
    return record_table(
        "Cells asked again, and builds",
        [
            {**each, "rate": _share(each["same"], each["repeats"]), "builds": _builds(each)}
            for each in records
        ],
        {
            "model": "model",
            "repeats": "asked again",
            "same": "same reply",
            "rate": "share the same",
            "builds": "the server called itself",
        },
        "repeats",
    )


def _share(part: object, whole: object) -> str:
    of = int(str(whole))
    return f"{level(int(str(part)) / of, 'share')} %" if of else "nothing asked again"


def _builds(record: Record) -> str:
    builds = record["builds"]
    return "; ".join(map(str, builds)) if isinstance(builds, list) and builds else "nothing"


def _agreement(records: Sequence[Record]) -> TableView:
    return record_table(
        "Agreement over samples",
        [
            {**each, "agreement": f"{level(float(str(each['agreement'])), 'share')} %"}
            for each in records
        ],
        {
            "task": "task",
            "dataset": "dataset",
            "choices": "choices",
            "model": "model",
            "questions": "questions",
            "agreement": "pairs of samples with the same answer",
        },
        "agreement",
    )


def _warnings(
    ends: Sequence[Record], repeats: Sequence[Record], replacement: Sequence[Record]
) -> Iterator[str]:
    """What a reader must not overlook, a sentence each."""
    for model in dict.fromkeys(str(each["model"]) for each in ends):
        yield from _missing(model, [each for each in ends if each["model"] == model])
    for each in repeats:
        asked, same = int(str(each["repeats"])), int(str(each["same"]))
        builds = each["builds"]
        model = visible(str(each["model"]))
        if same < asked:
            yield (
                f"{model}: {asked - same} of {asked} replies were not the same when asked again,"
                " so the server does not repeat itself or changed through the run."
            )
        if isinstance(builds, list) and len(builds) > 1:
            yield f"{model} was served by {len(builds)} builds, which may differ."
    left = sum(int(str(each["leaks"])) for each in replacement)
    if left:
        yield f"{left:,} names of the cast still stand in passages whose names were to be replaced."


def _missing(model: str, own: Sequence[Record]) -> Iterator[str]:
    cells = sum(int(str(each["cells"])) for each in own)
    for end, words in (
        ("pending", "are still to be asked"),
        ("failed", "failed"),
        ("unavailable", "cannot be had from its endpoint"),
        ("filtered", "were filtered by the host"),
        ("refused", "were refused"),
        ("truncated", "were cut off at the token limit"),
        ("unparsed", "have a reply that holds no answer"),
    ):
        count = sum(int(str(each[end])) for each in own)
        if count > _FEW * cells:
            share = level(count / cells, "share")
            yield f"{visible(model)}: {plain(count)} of {plain(cells)} cells ({share} %) {words}."
