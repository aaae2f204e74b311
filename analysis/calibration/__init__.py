"""Whether contrasts find what was planted: planted effects held against estimated ones."""

from analysis.calibration.compare import Calibrated, Group, alarmed, calibrated
from analysis.calibration.planted import Expected, Planted, Where
from analysis.calibration.verdict import Verdict, enough_items, verdict

__all__ = [
    "Calibrated",
    "Expected",
    "Group",
    "Planted",
    "Verdict",
    "Where",
    "alarmed",
    "calibrated",
    "enough_items",
    "verdict",
]
