"""Migrations, applied once each in the order of their numbers, and the views on top."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import duckdb

_SCALAR_MACRO: Final = re.compile(r"\bREPLACE MACRO \w+\([^()]*\) AS(?! TABLE)\b")


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


def views(*, described: bool = True) -> str:
    """The SQL that makes the views, and where they are described says what each column is."""
    text = (files("store.schema") / "views.sql").read_text(encoding="utf-8")
    return text if described else re.sub(r"(?m)^COMMENT ON .*;$", "", text)


def scalar_macros() -> list[str]:
    """The statements that make macros of one value, for a database without the store's tables.

    Macros that give a table read the store's views.
    """
    made = [each.query for each in duckdb.extract_statements(views())]
    return [statement for statement in made if _SCALAR_MACRO.search(statement)]
