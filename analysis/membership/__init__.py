"""Whether a model has seen a passage: scores from its likelihoods, and how well they tell.

A score is made of what a model finds likely (`scores`), and tells passages that are known from
passages that are not more or less well (`detection`). What a classifier of the text alone tells,
which never sees the model, stands beside it (`blind`): a score that does no better shows that the
two kinds of passage differ, and nothing about memory.
"""

from analysis.membership.blind import blind_by_length, blind_by_words
from analysis.membership.detection import Detection, Estimated, Labelled, detect
from analysis.membership.scores import METHODS, Method, Passage, Reading

__all__ = [
    "METHODS",
    "Detection",
    "Estimated",
    "Labelled",
    "Method",
    "Passage",
    "Reading",
    "blind_by_length",
    "blind_by_words",
    "detect",
]
