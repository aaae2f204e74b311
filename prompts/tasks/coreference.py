"""Coreference: which mentions are the same person?

Source: memorization paper, sections 4.2 and 6.1 and appendix H (coreference resolution). The words
are our own; the gist wording says what the paper's does, and the verbatim wording carries its
section 4.2 over to mentions. The paper asks over the passage and does not say how mentions are
shown; here each stands in brackets with its number, and the reply groups the numbers.

Gold numbers the clusters; so does an answer, in the reply's order, and neither numbering matters.
What lands in `scores.answer` is `{mention: cluster}`, both numbers as text. A mention that a reply
leaves out is in no cluster, not in one of its own: recall suffers, precision does not. One that
comes twice stays where it comes first.

The headline is the score of the CoNLL-2012 shared task: the mean F1 of `muc`, `b_cubed` and
`ceaf_e`, over all mentions, singletons included. `lea` stands beside it. The metrics named
`_plural` leave out clusters of one mention on either side; `muc` never counts them. Sources of the
metrics are given in `prompts.tasks.clusters`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prompts.item import Item, PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, Measure, TaskBase, Unparsed
from prompts.tasks.cluster_replies import read_clusters
from prompts.tasks.clusters import Sums, b_cubed, ceaf_e, lea, muc, overlap
from prompts.tasks.json_replies import numbers_schema, object_schema
from prompts.tasks.mentions import mark_mentions

_ASKED = (
    "In the following passage the mentions of people are marked: names, descriptions and pronouns. "
    "Say which of them refer to the same character."
)
_WORDING: dict[PromptName, str] = {
    "baseline": _ASKED,
    "verbatim": (
        f"{_ASKED} Work from direct recall alone: find these exact lines in your memory, and whom "
        "each mention stands for there. Do not infer it from traits, from how people deal with "
        "each other or from the context, and do not explain."
    ),
    "gist": (
        f"{_ASKED} Work it out: look at the wording of each mention, at what stands around it, and "
        "at how the passage hangs together and the story moves on. Do not rely on what you already "
        "know of who these people are."
    ),
}


class Coreference(TaskBase):
    """Which of the marked mentions refer to the same character."""

    name = "coreference"
    source = "memorization paper, section 6.1 and appendix H"
    version = 1
    needs_options = False
    gold_is: GoldIs = "label"
    placeholder = "P"

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def passage(self, item: Item) -> str:
        """The passage with its mentions marked: `[number: words]`."""
        return mark_mentions(item.text, item.spans)

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """How many mentions there are, and one line of numbers for each character."""
        del options
        return (
            f"There are {len(gold)} marked mentions, each in square brackets with its number. "
            "Answer with one line for each character: the numbers of all the mentions that refer "
            "to this character, separated by commas. Put every number in exactly one line; the "
            "only mention of a character has a line of its own. Write nothing but numbers and "
            "commas."
        )

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An array of clusters, each an array of the numbers of mentions."""
        del options
        numbers = numbers_schema(gold, least=1)
        return object_schema({"clusters": {"type": "array", "items": numbers, "minItems": 1}})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: there are no options to draw from."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The cluster of each mention that a reply groups."""
        del options
        clusters = read_clusters(reply, gold.keys())
        if isinstance(clusters, Unparsed):
            return clusters
        return Answer({label: str(at) for at, own in enumerate(clusters) for label in own})

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """What the clusters add to each metric; an unparsed reply has none."""
        del accepted
        right = _clusters(gold)
        found = _clusters(answer.value) if isinstance(answer, Answer) else []
        pairs = overlap(right, found)
        plural = overlap(right, found, keep_singletons=False)
        measures = (
            _measure("muc", muc(pairs), headline=True),
            _measure("b_cubed", b_cubed(pairs), headline=True),
            _measure("ceaf_e", ceaf_e(pairs), headline=True),
            _measure("lea", lea(pairs)),
            _measure("b_cubed_plural", b_cubed(plural)),
            _measure("ceaf_e_plural", ceaf_e(plural)),
            _measure("lea_plural", lea(plural)),
        )
        return Marked(right=0, units=0, measures=measures)


def _clusters(cluster_of: Mapping[str, str]) -> list[list[str]]:
    clusters: dict[str, list[str]] = {}
    for label, cluster in cluster_of.items():
        clusters.setdefault(cluster, []).append(label)
    return list(clusters.values())


def _measure(metric: str, sums: Sums, *, headline: bool = False) -> Measure:
    return Measure(
        metric=metric,
        num=sums.num,
        den=sums.den,
        recall_num=sums.recall_num,
        recall_den=sums.recall_den,
        headline=headline,
    )


COREFERENCE = Coreference()
