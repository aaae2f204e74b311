"""Studies: each package in this folder makes the tables of one, and is found by being there."""

from analysis.studies.bring_in import bring_in
from analysis.studies.discovery import find_study, study_names
from analysis.studies.study import (
    Asked,
    AskedOf,
    ExperimentStudy,
    Inputs,
    Layout,
    PartSource,
    Study,
    StudyTable,
)

__all__ = [
    "Asked",
    "AskedOf",
    "ExperimentStudy",
    "Inputs",
    "Layout",
    "PartSource",
    "Study",
    "StudyTable",
    "bring_in",
    "find_study",
    "study_names",
]
