"""What the child says where it cannot do what is asked.

ProbeError
└── ScoringError     base of the child's own errors
    ├── NotAModel    a file or folder from which no model can be loaded
    ├── Refused      a request that is answered with a refusal
    └── NotFinite    a model whose log-probabilities are no numbers
"""

from __future__ import annotations

from pathlib import Path

from probe.errors import ProbeError


class ScoringError(ProbeError):
    """Base of the child's own errors."""


class NotAModel(ScoringError):
    """A file or folder from which no model can be loaded."""

    def __init__(self, path: Path, found: str, fix: str) -> None:
        super().__init__(path, found, fix)
        self.path, self.found, self.fix = path, found, fix

    def __str__(self) -> str:
        return f"{self.path}: {self.found}; {self.fix}"


class Refused(ScoringError):
    """A request that is answered with a refusal, for good."""

    def __init__(self, said: str, status: int = 400) -> None:
        super().__init__(said, status)
        self.said, self.status = said, status

    def __str__(self) -> str:
        return self.said


class NotFinite(ScoringError):
    """A model whose log-probabilities are no numbers."""

    def __init__(self, tokens: int) -> None:
        super().__init__(tokens)
        self.tokens = tokens

    def __str__(self) -> str:
        return (
            f"the model's log-probabilities are no finite numbers for {self.tokens} tokens;"
            " its weights are damaged, or too large for the type they are computed in"
        )
