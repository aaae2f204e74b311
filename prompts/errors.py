"""Errors of the prompts room.

PromptsError
├── DatasetError       a file is not what the dataset's format says
├── UnknownName        a dataset, task or work that is not there
└── SetAside           one item cannot be shown under one strategy; counted, never fatal
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class PromptsError(Exception):
    """Base of every error this package raises on purpose."""


class DatasetError(PromptsError):
    """A dataset's file is missing or not in its native format."""

    def __init__(self, path: Path, where: str, found: str, fix: str) -> None:
        super().__init__(path, where, found, fix)
        self.path, self.where, self.found, self.fix = path, where, found, fix

    def __str__(self) -> str:
        place = f"{self.path}, {self.where}" if self.where else str(self.path)
        return f"{place}: {self.found}; {self.fix}"


class UnknownName(PromptsError):
    """Something was asked for by a name that nothing has."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(kind, name, self.known)
        self.kind, self.name = kind, name

    def __str__(self) -> str:
        near = difflib.get_close_matches(self.name, self.known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(self.known))}"
        return f"unknown {self.kind} {self.name!r}; {hint}"


class SetAside(PromptsError):
    """An item cannot be shown under a name strategy; it is counted with this reason."""

    def __init__(self, item_id: str, reason: str) -> None:
        super().__init__(item_id, reason)
        self.item_id, self.reason = item_id, reason

    def __str__(self) -> str:
        return f"item {self.item_id}: {self.reason}"
