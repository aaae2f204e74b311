"""The queries beside this module, one file each, readable and runnable by hand."""

from __future__ import annotations

from importlib.resources import files


def query(name: str) -> str:
    """The text of a query by its file's name."""
    folder = files("analysis.studies.memorization") / "sql"
    return (folder / f"{name}.sql").read_text(encoding="utf-8")
