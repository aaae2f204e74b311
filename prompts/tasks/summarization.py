"""Summarization: what happens in a transcript?

Source: memorization paper, sections 4.2, 6.1 and 6.2, appendices G and H; the data are SummScreen
(Chen et al., 2022). The paper's measure is "ROUGE" (Table 1), without saying which. ROUGE-1, -2 and
-L are reported. ROUGE-1 is the headline: the paper's 37.5 for GPT-4o is in the range of ROUGE-1 on
these data, where ROUGE-2 is about a quarter of it, so that a mean of the three lies far lower.

ROUGE (Lin, 2004) is computed by the package `rouge-score`: the F-measure, in [0, 1], of stemmed
words; against several recaps the best for each of the three. ROUGE-L takes a text as one sequence.
Words are runs of a-z and 0-9, so a summary in another script scores 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, Measure, TaskBase, Unparsed
from prompts.tasks.json_replies import object_schema
from prompts.tasks.overlap import scorer
from prompts.tasks.plain_replies import EMPTY, text_in

METRICS: Final = ("rouge1", "rouge2", "rougeL")
"""The first is the headline."""

_ASK = "Here is a passage of a transcript. Sum up what happens in it."
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": _ASK,
    "verbatim": (
        f"{_ASK} Work from direct recall alone: find this very episode in your memory and give its "
        "recap word for word as you remember it. Do not infer anything from what the people are "
        "like, how they deal with each other or what leads to what, and do not explain."
    ),
    "gist": (
        f"{_ASK} Work it out from the passage: find the main events, see how the people deal with "
        "each other and how one thing leads to the next, and tell that as one coherent account of "
        "what matters. Say it in words of your own; do not copy lines of the passage, and do not "
        "call on summaries you remember."
    ),
}
_HEADING: Final = re.compile(
    r"[\W_]*(?:(?:here(?:['’]s|\s+is)|this\s+is|sure|certainly|of\s+course|below\s+is)\b[^\n:]{0,100}:"
    r"|(?:(?:brief|short|episode|plot|scene|a|the)\s+){0,3}(?:summary|recap|synopsis)"
    r"(?:\s+of\s+[^\n:.]{1,60})?(?:[*_]*:|[*_#]*[ \t]*(?=\n)))[*_]*[ \t]*",
    re.IGNORECASE,
)


class Summarization(TaskBase):
    """A summary of a transcript; the windows of a long one are summed up one by one and joined."""

    name = "summarization"
    source = "memorization paper, sections 6.1-6.2 and appendices G-H"
    version = 1
    needs_options = False
    gold_is: GoldIs = "text"
    placeholder = "P"
    joined = True

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The summary alone."""
        del gold, options
        return "Answer with the summary and nothing else, in one short paragraph of plain text."

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with the summary as a text."""
        del gold, options
        return object_schema({"summary": {"type": "string"}})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: nothing is drawn at random here."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """All words of a reply but a heading; one that declines is a summary that shares little."""
        del gold, options
        said = text_in(reply, "summary", _without_heading)
        if isinstance(said, Unparsed):
            return said
        return Answer({"summary": said}) if re.search(r"[^\W_]", said) else Unparsed(EMPTY)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """ROUGE against the recaps, the best for each metric; 0 where there is no summary."""
        scores = dict.fromkeys(METRICS, 0.0)
        if isinstance(answer, Answer):
            scores = _rouge(answer.value.get("summary", ""), (*gold.values(), *accepted))
        measures = tuple(
            Measure(metric=metric, num=scores[metric], den=1, headline=metric == METRICS[0])
            for metric in METRICS
        )
        return Marked(right=0, units=0, measures=measures)


def _without_heading(words: str) -> str:
    heading = _HEADING.match(words)
    return words[heading.end() :].strip() if heading else words


def _rouge(said: str, recaps: Sequence[str]) -> dict[str, float]:
    """The best F-measure of each metric over the recaps."""
    each = [scorer(METRICS).score(recap, said) for recap in recaps]
    return {metric: max(float(one[metric].fmeasure) for one in each) for metric in METRICS}


SUMMARIZATION = Summarization()
