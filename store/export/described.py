"""What an export says of itself: `datapackage.json`, and the facts it shares with the README."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from store.export.decisions import OMITTED, Change
from store.export.folder import digest
from store.export.schema import Column, Relation
from store.migrate import schema_version
from store.read import Connection

DATA: Final = "data"
"""The folder of the Parquet files."""
_PROFILE: Final = "https://datapackage.org/profiles/2.0/datapackage.json"
_PARQUET: Final = "application/vnd.apache.parquet"
_JSON: Final = "JSON"
_SPAN: Final = """
    SELECT min(started_at), max(coalesce(ended_at, started_at)), count(*)
    FROM runs LEFT JOIN run_ends USING (run_id)"""
_MODELS: Final = """
    SELECT m.model, m.provider, m.identity ->> 'model' AS asked_for,
           string_agg(DISTINCT r.served_model, ', ') AS served, any_value(m.note) AS note
    FROM models AS m
    LEFT JOIN cells AS c USING (experiment_id, model)
    LEFT JOIN replies AS r USING (key)
    GROUP BY ALL ORDER BY ALL"""
_EXPERIMENTS: Final = """
    SELECT e.experiment, e.experiment_id, e.planned_at, e.spec, count(c.key) AS cells
    FROM experiments AS e LEFT JOIN cells AS c USING (experiment_id)
    GROUP BY ALL ORDER BY e.planned_at, e.experiment_id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a dataset's texts are from.

    Attributes:
        licence: Of the texts, in words.
        path: Its address; empty where it has none.
    """

    name: str
    title: str
    licence: str
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What an export is of.

    Attributes:
        created: When it was made.
        release: Whether text that may not be shared is left out.
        licence: Of the export's own numbers, as its maker says it; empty where they do not.
        chosen: Experiments it is limited to; empty where it is of all.
        sources: The datasets whose items are in it.
        rows: Of each table.
        schema: The version of the schema it is written in; a store of an older one is read into it.
        experiments: Rows of name, id, planned at, file, cells.
        models: Rows of name, provider, what was asked for, what was served, note.
        runs: First start, last end, count.
        provenance: What the last run says of code, packages and machine.
    """

    created: datetime
    release: bool
    licence: str
    chosen: tuple[str, ...]
    sources: tuple[Source, ...]
    rows: dict[str, int]
    schema: int
    experiments: list[tuple[Any, ...]]
    models: list[tuple[Any, ...]]
    runs: tuple[Any, ...]
    provenance: dict[str, Any]

    @property
    def title(self) -> str:
        """What it is in a few words."""
        names = list(dict.fromkeys(str(row[0]) for row in self.experiments))
        return f"gistprobe: {', '.join(names)}" if names else "gistprobe: a store's tables"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How an export is wanted; attributes as of `Facts`."""

    created: datetime
    release: bool
    licence: str
    chosen: tuple[str, ...]
    sources: dict[str, Source]


def gather(work: Connection, asked: Asked, found: Sequence[Relation]) -> Facts:
    """Read from an export's database what it says of itself."""
    datasets = [str(row[0]) for row in _rows(work, "SELECT DISTINCT dataset FROM items ORDER BY 1")]
    said = _rows(work, "SELECT provenance FROM runs ORDER BY started_at DESC, run_id DESC LIMIT 1")
    return Facts(
        created=asked.created,
        release=asked.release,
        licence=asked.licence,
        chosen=asked.chosen,
        sources=tuple(
            asked.sources.get(name, Source(name=name, title=name, licence="not known"))
            for name in datasets
        ),
        rows={each.name: _count(work, each.name) for each in found},
        schema=schema_version(work),
        experiments=_rows(work, _EXPERIMENTS),
        models=_rows(work, _MODELS),
        runs=_rows(work, _SPAN)[0],
        provenance=json.loads(str(said[0][0])) if said else {},
    )


def _rows(work: Connection, query: str) -> list[tuple[Any, ...]]:
    return work.execute(query).fetchall()


def _count(work: Connection, name: str) -> int:
    return int(_rows(work, f'SELECT count(*) FROM "{name}"')[0][0])


def datapackage(folder: Path, facts: Facts, found: Sequence[Relation]) -> str:
    """The descriptor of an export whose files are written, as JSON.

    Source:
        Data Package standard, version 2 (datapackage.org); readers of version 1 find all they need.
    """
    whole: dict[str, object] = {
        "$schema": _PROFILE,
        "name": "gistprobe-export",
        "title": facts.title,
        "description": _DESCRIPTION,
        "created": facts.created.isoformat(timespec="seconds"),
        "keywords": ["language models", "memorization", "evaluation"],
        "resources": [_resource(folder, facts, each) for each in found],
        "gistprobe": {
            "schema": facts.schema,
            "release": facts.release,
            "experiments": list(facts.chosen) or "all",
            "omitted": OMITTED,
            "provenance": facts.provenance,
        },
    }
    if facts.sources:
        whole["sources"] = [_source(each) for each in facts.sources]
    if facts.licence:
        whole["licenses"] = [{"name": facts.licence}]
    return json.dumps(whole, ensure_ascii=False, indent=2, default=str) + "\n"


_DESCRIPTION: Final = (
    "Questions about characters in books and shows, what language models answered, and how the"
    " answers were marked. README.md says how to read it."
)


def _source(source: Source) -> dict[str, str]:
    said = {"title": f"{source.title} ({source.name}); licence: {source.licence}"}
    return {**said, "path": source.path} if source.path else said


def _resource(folder: Path, facts: Facts, relation: Relation) -> dict[str, object]:
    path = folder / DATA / f"{relation.name}.parquet"
    return {
        "name": relation.name,
        "type": "table",
        "path": f"{DATA}/{path.name}",
        "description": relation.meaning,
        "format": "parquet",
        "mediatype": _PARQUET,
        "bytes": path.stat().st_size,
        "hash": f"sha256:{digest(path)}",
        "rows": facts.rows[relation.name],
        "schema": _schema(facts, relation),
    }


def _schema(facts: Facts, relation: Relation) -> dict[str, object]:
    made: dict[str, object] = {
        "fields": [_field(column, release=facts.release) for column in relation.columns]
    }
    if relation.primary:
        made["primaryKey"] = list(relation.primary)
    if relation.foreign:
        made["foreignKeys"] = [
            {"fields": list(keys), "reference": {"resource": to, "fields": list(keys)}}
            for keys, to in relation.foreign
        ]
    return made


def _field(column: Column, *, release: bool) -> dict[str, object]:
    meaning = column.meaning
    if column.kind == _JSON:
        meaning = f"{meaning} JSON, as text.".strip()
    made: dict[str, object] = {"name": column.name, "type": column.type, "description": meaning}
    if column.required:
        made["constraints"] = {"required": True}
    done = what_was_done(column, release=release)
    if done:
        made["exported"] = done
    return made


def what_was_done(column: Column, *, release: bool) -> str:
    """What was done to a column and why, in words; empty where it is as in the store."""
    how = column.how
    if how is None:
        return ""
    done = [how.always] if how.always is not Change.NONE else []
    if release and how.release is not Change.NONE:
        done.append(how.release)
    words = "; ".join(change.value for change in done)
    return f"{words} ({how.why})" if words else ""
