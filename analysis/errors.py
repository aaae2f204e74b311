"""Errors of the analysis room."""

from __future__ import annotations


class AnalysisError(Exception):
    """Base of every error this package raises on purpose."""


class Undefined(AnalysisError):
    """A statistic that these data do not define; it is reported as such, never as 0."""


class NoSuchTable(AnalysisError):
    """Nothing in the store goes by that name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name, self.known = name, known

    def __str__(self) -> str:
        have = f"the store has {', '.join(self.known)}" if self.known else "the store is empty"
        return f"no experiment is called {self.name!r}; {have}"
