"""Errors of the probe room.

ProbeError
├── SpecError        the experiment file says something that cannot be
├── ProviderDown     a model's endpoint cannot be used; its cells stay to be asked
├── PlanEmpty        nothing to ask: no item was found
├── NoCeiling        a ceiling in dollars could not be held for a model
└── NoBatch          a file of a batch, or a batch, that cannot be used
"""

from __future__ import annotations

from pathlib import Path


class ProbeError(Exception):
    """Base of every error this package raises on purpose."""


class SpecError(ProbeError):
    """The experiment file cannot be used."""

    def __init__(self, path: Path, problems: tuple[str, ...]) -> None:
        super().__init__(path, problems)
        self.path, self.problems = path, problems

    def __str__(self) -> str:
        return f"{self.path}: {'; '.join(self.problems)}"


class ProviderDown(ProbeError):
    """A model's endpoint cannot be used at all; what it holds stays to be asked."""

    def __init__(self, model: str, found: str, fix: str) -> None:
        super().__init__(model, found, fix)
        self.model, self.found, self.fix = model, found, fix

    def __str__(self) -> str:
        return f"model {self.model}: {self.found}; {self.fix}"


class PlanEmpty(ProbeError):
    """An experiment that asks nothing."""

    def __init__(self, task: str, dataset: str, why: str) -> None:
        super().__init__(task, dataset, why)
        self.task, self.dataset, self.why = task, dataset, why

    def __str__(self) -> str:
        return f"task {self.task}: dataset {self.dataset} gave no item; {self.why}"


class NoCeiling(ProbeError):
    """A ceiling in dollars that could not be held, since a model's worst case is not known."""

    def __init__(self, model: str, found: str, fix: str) -> None:
        super().__init__(model, found, fix)
        self.model, self.found, self.fix = model, found, fix

    def __str__(self) -> str:
        return f"model {self.model} {self.found}, so --max-usd cannot be held; {self.fix}"


class NoBatch(ProbeError):
    """A file of a batch cannot be used, or a batch is not what it is taken for."""

    def __init__(self, what: str, found: str, fix: str) -> None:
        super().__init__(what, found, fix)
        self.what, self.found, self.fix = what, found, fix

    def __str__(self) -> str:
        return f"{self.what}: {self.found}; {self.fix}"
