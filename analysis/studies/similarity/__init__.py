"""The similarity study for any corpus: benchmarks in two plain files, and the metrics over them."""

from analysis.studies.similarity.study import STUDY

__all__ = ["STUDY"]
