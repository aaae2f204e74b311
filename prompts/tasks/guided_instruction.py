"""Guided instruction: does it help a model to go on with a passage that it is told which it is?

Source: Golchin and Surdeanu (2024), Time Travel in LLMs: Tracing Data Contamination in Large
Language Models, sections 3.1 and 3.2; the wording is ours. A text is parted into two pieces. The
*general* instruction, here `baseline`, shows the first piece and asks for the second; the *guided*
one, here `verbatim`, also names the work, and the place in it where that is known, and asks for the
second piece as it stands there. Both are asked at temperature 0. Of each reply

    rougeL = ROUGE-L's F-measure of the reply against the true second piece, in [0, 1]; headline
    exact  = 1 where the reply begins with the second piece's words, case and all, else 0

and a work is contaminated, says the paper, where guided replies share significantly more than
general ones: the paired difference of `rougeL`, verbatim less baseline, over a work's passages.
Their other measure, BLEURT, needs a model and is left out. Replies are not cut to the length of the
second piece, as they are not in the paper; both instructions say about how long that is.

There is no gist wording: to name the work and to forbid recall would contradict each other.

The work's name stands in the instruction as `{work}`, also in an experiment's own wording of it;
there the item's question is filled in where it has one ("Macbeth, act 1, scene 7"), or else the
title of its work. A question is shown under the item's names like any other text, a work's title
under every strategy as it is.

Access: text alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import Item, PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, Measure, TaskBase, Unparsed
from prompts.tasks.json_replies import object_schema
from prompts.tasks.overlap import common_prefix, rouge_l
from prompts.tasks.plain_replies import EMPTY, text_in, undecorated

WORK: Final = "{work}"
"""What stands for the name of the work in a wording."""
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": (
        "Here is the first piece of a text. Write the second piece, which follows directly on it "
        "and is part of the same text."
    ),
    "verbatim": (
        f"Here is the first piece of a text that comes from {WORK}. Write the second piece exactly "
        "as it follows on these words there. Rely on the original alone, and change nothing in it."
    ),
}


class GuidedInstruction(TaskBase):
    """The second piece of a passage, with the work named and without."""

    name = "guided_instruction"
    source = "Golchin and Surdeanu (2024), sections 3.1-3.2"
    version = 1
    needs_options = False
    placeholder = "P"
    gold_is: GoldIs = "text"
    prompts: tuple[PromptName, ...] = ("baseline", "verbatim")
    reply_tokens: int | None = 256

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt; the guided one has the work still to be filled in.

        Raises:
            KeyError: The prompt is `gist`, which this task is not asked under.
        """
        return _WORDING[prompt]

    def said_of(self, item: Item, instruction: str) -> str:
        """The instruction, which names the item's work where it says so."""
        return instruction.replace(WORK, item.question or item.work)

    def passage(self, item: Item) -> str:
        """The first piece alone: the question belongs to the instruction."""
        return item.text

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The second piece alone, and about how long it is."""
        del options
        words = len(gold["suffix"].split())
        return f"Answer with the second piece and nothing else. It is about {words} words long."

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with the second piece as a text."""
        del gold, options
        return object_schema({"suffix": {"type": "string"}})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: nothing is drawn at random here."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """All words of a reply; one that declines is a continuation that shares little."""
        del gold, options
        said = text_in(reply, "suffix")
        if isinstance(said, Unparsed):
            return said
        return Answer({"suffix": said}) if undecorated(said) else Unparsed(EMPTY)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """ROUGE-L against the second piece; 0 where there is no reply."""
        del accepted
        said = answer.value.get("suffix", "") if isinstance(answer, Answer) else ""
        true = gold["suffix"].split()
        exact = common_prefix(undecorated(said).split(), true) == len(true)
        measures = (
            Measure(metric="rougeL", num=rouge_l(said, gold["suffix"]), den=1, headline=True),
            Measure(metric="exact", num=float(exact), den=1),
        )
        return Marked(right=0, units=0, measures=measures)


GUIDED_INSTRUCTION = GuidedInstruction()
