"""From the output of literary pipelines to the features of characters. Pure: no store, no model."""

from embedder.features.aliases import AliasMap, nobody_of, read_aliases
from embedder.features.base import Extracted, Feature, Kind, Pipeline, Reading, Report
from embedder.features.booknlp import read_booknlp
from embedder.features.coverage import drafted_aliases, report_as_dict, report_lines
from embedder.features.fanfictionnlp import read_fanfictionnlp
from embedder.features.published import read_published, write_published
from embedder.features.run_booknlp import BookNLPJob, run_booknlp

__all__ = [
    "AliasMap",
    "BookNLPJob",
    "Extracted",
    "Feature",
    "Kind",
    "Pipeline",
    "Reading",
    "Report",
    "drafted_aliases",
    "nobody_of",
    "read_aliases",
    "read_booknlp",
    "read_fanfictionnlp",
    "read_published",
    "report_as_dict",
    "report_lines",
    "run_booknlp",
    "write_published",
]
