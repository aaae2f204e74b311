"""The memory study: what a model finds likely, continues and can be told from.

Three tables and two figures over passages that are well known and passages that are not: the
likelihood of a passage under its own names against others, its continuation word for word, and how
well scores of membership tell the two kinds apart, beside a classifier that sees the text alone.
"""

from analysis.studies.memory.study import STUDY

__all__ = ["STUDY"]
