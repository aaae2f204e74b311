"""What the paper prints, put beside numbers that were worked out without it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.resources import files

from analysis.cells import Cell

Printed = Mapping[tuple[str, str, str], str]
"""Table, row and column -> the number as printed."""


def printed_in_paper() -> Printed:
    """Every number of the paper's tables."""
    text = (files("analysis.studies.austenalike") / "paper.toml").read_text(encoding="utf-8")
    found: dict[tuple[str, str, str], str] = {}
    for table, content in tomllib.loads(text)["tables"].items():
        for row, own in content["rows"].items():
            by_column = (
                own if isinstance(own, dict) else dict(zip(content["columns"], own, strict=True))
            )
            found |= {(table, row, column): text for column, text in by_column.items() if text}
    return found


def with_paper(cells: Iterable[Cell], printed: Printed) -> tuple[Cell, ...]:
    """The same cells with what the paper has in their place; a value is never changed."""
    return tuple(
        replace(cell, paper=printed.get((cell.table, cell.row, cell.column))) for cell in cells
    )
