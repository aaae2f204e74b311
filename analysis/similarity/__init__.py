"""How alike characters are by their vectors, held against benchmarks of groups and of pairs."""

from analysis.similarity.measures import Case, Place, correlation_cell, mean_cell
from analysis.similarity.relations import LeftOut, Relations, Representation, load
from analysis.similarity.rows import InOut, Member, Nearest, PairRow, TopTen

__all__ = [
    "Case",
    "InOut",
    "LeftOut",
    "Member",
    "Nearest",
    "PairRow",
    "Place",
    "Relations",
    "Representation",
    "TopTen",
    "correlation_cell",
    "load",
    "mean_cell",
]
