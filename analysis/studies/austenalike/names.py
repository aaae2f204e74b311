"""The words of the published files and of the paper's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CORPUS: Final = "austenalike"
PUBLISHED: Final = "published"
"""What the vectors that the authors published go by, as an encoder's name."""

NOVELS: Final = {
    "E": "emma",
    "MP": "mansfield",
    "N": "northanger",
    "P": "persuasion",
    "P&P": "pride",
    "S&S": "sense",
}
"""Code of a novel -> what the files of features and vectors call it."""
OTHER_CODES: Final = {"NA": "N"}
"""Northanger Abbey has two codes; the shorter is that of the list of characters."""

ROLES: Final = ("hero", "heroine", "deceiver", "rival", "wooer", "parent", "sibling")
ATTRIBUTES: Final = ("age", "gender", "income", "maritalStatus", "rank")
SINGLE: Final = ("gpt4_plain", "gpt4_reasoning")
TEN: Final = "gpt4_top10"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """A published file of vectors.

    Attributes:
        row: What the tables and the file call the representation.
        dim: Numbers in a vector (count); of events the agent's half and then the patient's.
    """

    row: str
    pipeline: str
    kind: str
    dim: int


VECTORS: Final = (
    Vectors(row="fanfic_assertions", pipeline="fanfictionnlp", kind="assertion", dim=4096),
    Vectors(row="booknlp_events", pipeline="booknlp", kind="event", dim=2048),
    Vectors(row="booknlp_modifiers", pipeline="booknlp", kind="modifier", dim=1024),
    Vectors(row="booknlp_quotes", pipeline="booknlp", kind="quote", dim=4096),
    Vectors(row="fanfic_quotes", pipeline="fanfictionnlp", kind="quote", dim=4096),
)
"""In the order of the tables' rows."""
