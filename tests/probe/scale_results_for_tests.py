"""What benchmarks gave (`bench/results/`), for the constants and the checks of `probe/scale`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parents[2] / "bench" / "results"
PAGE, CHUNK = 4_096, 4_000
"""Cells of a page that is read, and of a piece of a plan that is recorded (counts)."""


def result(name: str) -> dict[str, Any]:
    """A benchmark's result."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def writing(measured: Mapping[str, Any]) -> float:
    """The writer's CPU for a reply in one of the stores that were measured (seconds).

    A plan is recorded as it grows from nothing, so its queries see half of it on the mean.
    """
    own = measured["owner"]
    took = {name: each["CPU (s)"] for name, each in own.items()}
    planning = took["which keys of a chunk are recorded"]
    planning += took["which prompts of a chunk are recorded"]
    return float(
        took["a page of cells to ask"] / PAGE
        + planning / CHUNK / 2
        + took["a commit"] / own["a commit"]["replies"]
        + took["scoring"] / own["scoring"]["replies"]
    )
