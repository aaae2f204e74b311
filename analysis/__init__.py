"""From stored replies to scores, contrasts and tables."""

from analysis.errors import AnalysisError, NoSuchTable, Undefined
from analysis.scoring import score_replies
from analysis.tables import ExperimentTable, experiment_table

__all__ = [
    "AnalysisError",
    "ExperimentTable",
    "NoSuchTable",
    "Undefined",
    "experiment_table",
    "score_replies",
]
