"""What was run: plan, code, machine, models as served, runs, spend; no secrets, no places."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from analysis.errors import NoSuchTable
from analysis.report.tables import plain, record_table
from analysis.report.text import public, visible
from analysis.report.values import Fact, Provenance, TableView
from analysis.sql import query
from analysis.tables import Record
from store.read import Source, ask

PACKAGE: Final = "analysis.report"
_DASH: Final = "–"


def provenance(source: Source, experiment: str) -> Provenance:
    """What an experiment's results depend on.

    Raises:
        NoSuchTable: The store has no such experiment.
    """
    named: dict[str, object] = {"experiment": experiment}
    plans = ask(source, query("plan", PACKAGE), named).records()
    if not plans:
        raise NoSuchTable(experiment, ())
    runs = ask(source, query("runs", PACKAGE), named).records()
    return Provenance(
        facts=tuple(_facts(plans[0], runs)),
        spec=visible(public(str(plans[0]["spec"]))),
        models=_models(ask(source, query("served", PACKAGE), named).records()),
        runs=_runs(runs),
        spend=_spend(ask(source, query("spend", PACKAGE), named).records()),
    )


def moment(value: object) -> str:
    """A point in time as people read it, in UTC; a dash where there is none."""
    return value.strftime("%Y-%m-%d %H:%M UTC") if isinstance(value, datetime) else _DASH


def _facts(plan: Record, runs: Sequence[Record]) -> Iterator[Fact]:
    yield Fact(label="Seed", value=str(plan["seed"]))
    yield Fact(label="Items and cells", value=f"{plain(plan['items'])} and {plain(plan['cells'])}")
    yield Fact(label="Planned", value=moment(plan["planned_at"]))
    replied = f"{moment(plan['first_reply'])} to {moment(plan['last_reply'])}"
    yield Fact(label="Replies", value=replied)
    known = [_known(run["provenance"]) for run in runs]
    for key, label in (
        ("code_revision", "Code revision"),
        ("python", "Python"),
        ("platform", "Machine"),
        ("cores", "Cores"),
    ):
        values = dict.fromkeys(str(each[key]) for each in known if each.get(key) is not None)
        yield Fact(label=label, value=_all(values) or "not recorded")
    yield Fact(label="Packages", value=_packages(known) or "not recorded")
    commands = dict.fromkeys(_command(each) for each in known if each.get("command"))
    yield Fact(label="Command", value=_all(commands) or "not recorded")


def _known(text: object) -> Mapping[str, object]:
    found = json.loads(str(text))
    return found if isinstance(found, dict) else {}


def _all(values: Mapping[str, None]) -> str:
    """Different values of several runs, all of them."""
    return visible("; ".join(public(value) for value in values))


def _packages(known: Sequence[Mapping[str, object]]) -> str:
    versions: dict[str, dict[str, None]] = {}
    for each in known:
        packages = each.get("packages")
        if isinstance(packages, dict):
            for name, version in sorted(packages.items()):
                versions.setdefault(str(name), {})[str(version)] = None
    return visible(", ".join(f"{name} {' / '.join(own)}" for name, own in versions.items()))


def _command(each: Mapping[str, object]) -> str:
    words = each.get("command")
    return " ".join(map(str, words)) if isinstance(words, list) else ""


def _models(records: Sequence[Record]) -> TableView:
    """Each model, what is asked of it and what its server says of itself."""
    return record_table(
        "Models as served",
        [
            {
                "model": each["model"],
                "provider": each["provider"],
                "identity": _pairs(each["identity"]),
                "facts": _pairs(each["facts"]),
                "unavailable": _pairs(each["unavailable"]),
                "note": each["note"],
            }
            for each in records
        ],
        {
            "model": "model",
            "provider": "provider",
            "identity": "asked as",
            "facts": "its server says",
            "unavailable": "cannot do",
            "note": "note",
        },
        "served",
    )


def _pairs(text: object) -> str | None:
    """A JSON object in words; None where it says nothing."""
    found = json.loads(str(text)) if text is not None else None
    if not found:
        return None
    return "; ".join(_said(found, ""))


def _said(value: object, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, own in value.items():
            yield from _said(own, f"{name} {key}".strip())
    elif value is not None:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{name}: {text}" if name else text


def _runs(records: Sequence[Record]) -> TableView:
    return record_table(
        "Runs",
        [
            {
                **each,
                "started_at": moment(each["started_at"]),
                "ended_at": moment(each["ended_at"]),
                "how": each["how"] or "no end recorded: killed, or still on",
            }
            for each in records
        ],
        {
            "run_id": "run",
            "started_at": "began",
            "ended_at": "ended",
            "how": "how",
            "asked": "cells asked",
            "failed": "failed",
        },
        "runs",
    )


def _spend(records: Sequence[Record]) -> TableView:
    return record_table(
        "Requests and spend",
        [
            {
                **each,
                "usd": _dollars(each["usd"]),
                "uncertain_usd": _dollars(each["uncertain_usd"]),
            }
            for each in records
        ],
        {
            "model": "model",
            "requests": "requests",
            "troubles": "of them in trouble",
            "prompt_tokens": "prompt tokens",
            "reply_tokens": "reply tokens",
            "usd": "US$",
            "uncertain_usd": "at most, of requests whose cost is not known (US$)",
        },
        "spend",
    )


def _dollars(value: object) -> str:
    return "no price given" if value is None else f"{float(str(value)):,.4f}"
