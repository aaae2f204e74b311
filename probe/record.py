"""Writes a plan and a run's circumstances into the store."""

from __future__ import annotations

import itertools
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Final

from probe.plan import Condition, Plan, Survey, cell_row, item_row, prompt_row
from probe.resolve import note_for
from store.database import Database, insert
from store.keys import canonical
from store.read import Connection, ask
from store.rows import ExperimentRow, ModelRow, SetAsideRow

_CHUNK: Final = 2_000
_PACKAGES: Final = ("gistprobe", "duckdb", "aiohttp", "tenacity", "xllamacpp", "vllm", "pyarrow")
_HELD = "SELECT key FROM replies"
_FAILED_FOR_GOOD = " UNION SELECT key FROM failures WHERE permanent"


def held_keys(connection: Connection, *, retry_failed: bool = False) -> set[str]:
    """Keys that need no asking: those with a reply, and those given up for good.

    Args:
        connection: A store's.
        retry_failed: Ask again even what was given up for good.
    """
    query = _HELD if retry_failed else _HELD + _FAILED_FOR_GOOD
    return {str(row[0]) for row in ask(connection, query).rows}


def record_plan(database: Database, plan: Plan, survey: Survey, spec_text: str) -> None:
    """Write a plan's items, prompts and cells, unless the store has the same plan already."""

    def act(connection: Connection) -> None:
        known = connection.execute(
            "SELECT 1 FROM experiments WHERE experiment_id = ?", [survey.experiment_id]
        ).fetchone()
        if known:
            return
        connection.execute("BEGIN")
        conditions = plan.conditions()
        while chunk := list(itertools.islice(conditions, _CHUNK)):
            _insert_chunk(connection, plan, chunk, survey.experiment_id)
        insert(connection, _plan_rows(plan, survey, spec_text))
        connection.execute("COMMIT")

    database.call(act)


def _insert_chunk(
    connection: Connection, plan: Plan, chunk: list[Condition], experiment_id: str
) -> None:
    items = {condition.item_hash: condition for condition in chunk}
    prompts = {condition.prompt_hash: condition for condition in chunk}
    insert(connection, (item_row(each) for each in items.values()), new_by="item_hash")
    insert(connection, (prompt_row(each) for each in prompts.values()), new_by="prompt_hash")
    cells = (cell for condition in chunk for cell in plan.cells_of(condition))
    insert(connection, (cell_row(cell, experiment_id) for cell in cells))


def _plan_rows(
    plan: Plan, survey: Survey, spec_text: str
) -> list[ExperimentRow | ModelRow | SetAsideRow]:
    own = survey.experiment_id
    experiment = ExperimentRow(
        experiment_id=own,
        experiment=plan.spec.name,
        seed=plan.spec.seed,
        spec=spec_text,
        cells=survey.cells,
        planned_at=datetime.now(UTC),
    )
    models = [
        ModelRow(
            experiment_id=own,
            model=model.spec.name,
            provider=model.spec.provider,
            identity=canonical(model.identity()),
            note=note_for(model.spec),
        )
        for model in plan.models
    ]
    aside = [
        SetAsideRow(
            experiment_id=own,
            task=row.task,
            dataset=row.dataset,
            item_id=row.item_id,
            names=row.names,
            reason=row.reason,
        )
        for row in survey.set_aside
    ]
    return [experiment, *models, *aside]


def provenance(spec_text: str, served: dict[str, object]) -> str:
    """What a run's results depend on, as canonical JSON."""
    return canonical(
        {
            "spec": spec_text,
            "code_revision": _revision(),
            "packages": {name: found for name in _PACKAGES if (found := _version(name))},
            "python": platform.python_version(),
            "platform": platform.platform(),
            "cores": os.cpu_count(),
            "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
            "served": served,
        }
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _revision() -> str | None:
    """The commit this code is of, marked where files differ from it; None outside a checkout."""
    folder = Path(__file__).resolve().parent
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],  # noqa: S607
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
