"""The similarity study of AustenAlike: its published files, and its tables and figures.

Source: "Evaluating Computational Representations of Character: An Austen Character Similarity
Benchmark", and the repository Wellesley-EASEL-lab/AustenAlike. Nothing outside this folder knows
about its books.
"""

from analysis.studies.austenalike.study import STUDY

__all__ = ["STUDY"]
