"""Queries, one file each, readable and runnable by hand; `$names` are their parameters."""

from __future__ import annotations

from importlib.resources import files


def query(name: str, package: str = "analysis") -> str:
    """The text of a query by its file's name.

    Args:
        name: Of the file, without its ending.
        package: Whose folder `sql` it lies in.
    """
    return (files(package) / "sql" / f"{name}.sql").read_text(encoding="utf-8")
