"""Finds the studies: the packages beside this module, each with an object `STUDY`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Final

from analysis.studies.study import ExperimentStudy, Study

_PACKAGE: Final = "analysis.studies"


def study_names() -> tuple[str, ...]:
    """The names of all studies, in order."""
    package = importlib.import_module(_PACKAGE)
    found = pkgutil.iter_modules(package.__path__)
    return tuple(sorted(module.name for module in found if module.ispkg))


def find_study(name: str) -> Study | ExperimentStudy | None:
    """A study by its name; None where there is none."""
    if name not in study_names():
        return None
    study: Study | ExperimentStudy = importlib.import_module(f"{_PACKAGE}.{name}").STUDY
    return study
