"""Migrations, applied once each in the order of their numbers, and the views on top."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """Every migration, oldest first."""
    steps = [path for path in files("store.schema").iterdir() if path.name[:4].isdigit()]
    return [
        Migration(int(path.name[:4]), path.name, path.read_text(encoding="utf-8"))
        for path in sorted(steps, key=lambda path: path.name)
    ]


def views() -> str:
    """The SQL that makes the views."""
    return (files("store.schema") / "views.sql").read_text(encoding="utf-8")
