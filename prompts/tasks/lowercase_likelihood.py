"""Lowercase likelihood: how likely a model finds a passage without its capitals.

Source: Carlini et al. (2021), Extracting Training Data from Large Language Models, section 5.2, the
"lowercase" comparison. A model that remembers a text finds it less likely once its case is gone;
one that only knows the language minds less. Their score is the ratio of log-perplexities

    lowercase ratio = (-logprob_all of the passage in lower case) / (-logprob_all of the passage)

of which this task gives the numerator and `passage_likelihood` the denominator, as the measures of
that name; larger means remembered. Measures and access are those of `passage_likelihood`.

A letter whose lower-case form is several code points stays as it is, so that all offsets are those
of the passage with capitals.
"""

from __future__ import annotations

from prompts.item import Item
from prompts.tasks.passage_likelihood import PassageLikelihood


def lowered(text: str) -> str:
    """A text in lower case, code point for code point."""
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


class LowercaseLikelihood(PassageLikelihood):
    """How likely the words of a passage are in lower case."""

    name = "lowercase_likelihood"
    source = "Carlini et al. (2021), section 5.2"
    version = 1

    def passage(self, item: Item) -> str:
        """The passage in lower case."""
        return lowered(item.text)


LOWERCASE_LIKELIHOOD = LowercaseLikelihood()
