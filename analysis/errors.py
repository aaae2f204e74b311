"""Errors of the analysis room."""

from __future__ import annotations

from pathlib import Path


class AnalysisError(Exception):
    """Base of every error this package raises on purpose."""


class Undefined(AnalysisError):
    """A statistic that these data do not define; it is reported as such, never as 0."""


class NoSuchTable(AnalysisError):
    """Nothing in the store goes by that name."""

    def __init__(self, name: str, known: tuple[str, ...], studies: tuple[str, ...] = ()) -> None:
        super().__init__(name, known, studies)
        self.name, self.known, self.studies = name, known, studies

    def __str__(self) -> str:
        what = "experiment or study" if self.studies else "experiment"
        have = f"the store has {', '.join(self.known)}" if self.known else "the store is empty"
        studies = f", the studies are {', '.join(self.studies)}" if self.studies else ""
        return f"no {what} is called {self.name!r}; {have}{studies}"


class MissingExtra(AnalysisError):
    """A package of an optional extra is not installed."""

    def __init__(self, package: str, purpose: str, extra: str) -> None:
        super().__init__(package, purpose, extra)
        self.package, self.purpose, self.extra = package, purpose, extra

    def __str__(self) -> str:
        return (
            f"{self.package} is not installed, and {self.purpose} need it; "
            f"pip install 'gistprobe[{self.extra}]'"
        )


class BadFigure(AnalysisError):
    """The cells handed over do not make up a figure; it is not drawn with a gap."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found

    def __str__(self) -> str:
        return (
            f"these cells make no figure: {self.found}; "
            "give one cell for each row, group and side, and label each row and group"
        )


class NotWritten(AnalysisError):
    """A folder does not take a file; what it held is still there."""

    def __init__(self, what: str, folder: Path, reason: str) -> None:
        super().__init__(what, folder, reason)
        self.what, self.folder, self.reason = what, folder, reason

    def __str__(self) -> str:
        return (
            f"{self.what} cannot be written to {self.folder} ({self.reason}); "
            "free some space, or name a folder you may write to"
        )


class NotHeld(AnalysisError):
    """The store lacks what a study needs."""

    def __init__(self, corpus: str, missing: str, fix: str) -> None:
        super().__init__(corpus, missing, fix)
        self.corpus, self.missing, self.fix = corpus, missing, fix

    def __str__(self) -> str:
        return f"the store has no {self.missing} of the corpus {self.corpus!r}; {self.fix}"


class NoDescriptions(AnalysisError):
    """An experiment holds no description of any character."""

    def __init__(self, experiment: str, model: str | None) -> None:
        super().__init__(experiment, model)
        self.experiment, self.model = experiment, model

    def __str__(self) -> str:
        by = f" by {self.model!r}" if self.model else ""
        return (
            f"experiment {self.experiment!r} holds no description{by}; "
            "give it the task character_description under original names, and run it first"
        )


class NoVectors(AnalysisError):
    """None of a corpus's representations can be compared by the encoders asked for."""

    def __init__(self, corpus: str, reasons: tuple[str, ...], fix: str) -> None:
        super().__init__(corpus, reasons, fix)
        self.corpus, self.reasons, self.fix = corpus, reasons, fix

    def __str__(self) -> str:
        why = "; ".join(self.reasons) or "the store has neither features nor vectors of it"
        return f"no characters of {self.corpus!r} can be compared: {why}; {self.fix}"


class BadRequest(AnalysisError):
    """A study is asked for something that it does not do."""
