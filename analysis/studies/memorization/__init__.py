"""The memorization study: what character understanding loses when the names change.

Source: Memorization Over Reasoning? Exposing and Mitigating Verbatim Memorization in Large Language
Models' Character Understanding Evaluation, sections 4 to 6, Table 3 and Figures 2 to 5.
"""

from analysis.studies.memorization.study import STUDY

__all__ = ["STUDY"]
