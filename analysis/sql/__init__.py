"""Queries, one file each, readable and runnable by hand; `$names` are their parameters."""

from __future__ import annotations

from importlib.resources import files


def query(name: str) -> str:
    """The text of a query by its file's name."""
    return (files("analysis.sql") / f"{name}.sql").read_text(encoding="utf-8")
