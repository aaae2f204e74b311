"""Role detection: which mentions refer to the perpetrator?

Source: memorization paper, sections 4.2, 6.1 and 6.2, appendices G and H; the data are CSI
(Frermann et al., 2018). The measure is the F1 of the mentions named (Table 1), over all mentions of
all items together. A reply without an answer names none, so it costs recall and not precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import Item, PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, Measure, TaskBase, Unparsed
from prompts.tasks.json_replies import numbers_schema, object_schema
from prompts.tasks.mention_replies import mentions_in, mentions_listed
from prompts.tasks.mentions import mark_mentions
from prompts.tasks.plain_replies import json_property, words_of

YES: Final = "yes"

_ASK = (
    "Here is a passage from a crime story. Every mention of a person stands in square brackets, "
    "with its number before its words; a mention may lie within another. Say which mentions refer "
    "to the perpetrator."
)
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": _ASK,
    "verbatim": (
        f"{_ASK} Work from direct recall alone: find this very episode in your memory, and who is "
        "guilty in it, and go by that. Do not infer anything from what the people are like, what "
        "they do here or how they deal with each other, and do not explain."
    ),
    "gist": (
        f"{_ASK} Work it out from the passage: look at what part each person plays in what "
        "happens, what they do and how they stand to the others, and infer from that who is "
        "guilty. Do not go by who you remember to be guilty, or by names."
    ),
}


class RoleDetection(TaskBase):
    """The mentions of the perpetrator."""

    name = "role_detection"
    source = "memorization paper, sections 6.1-6.2 and appendices G-H"
    version = 1
    needs_options = False
    gold_is: GoldIs = "label"
    placeholder = "P"

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def passage(self, item: Item) -> str:
        """The passage with its mentions marked, and the item's own question if there is one.

        Raises:
            ValueError: Two mentions cross.
        """
        text = mark_mentions(item.text, item.spans)
        return f"{text}\n\n{item.question}" if item.question else text

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The numbers alone."""
        del gold, options
        return (
            "Answer with the numbers of the mentions that refer to the perpetrator, on one line, "
            "separated by commas, and nothing else. If none does, answer with the word none."
        )

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with the numbers in a list, which may be empty."""
        del options
        return object_schema({"mentions": numbers_schema(gold)})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: the measure is no accuracy, and mentions are not drawn one from several."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """`yes` for each mention a reply names; the others count as `no`.

        Numbers that no mention has are left aside where there are others; a reply that gives only
        such numbers has no answer. That there is no mention is an answer.
        """
        del options
        value = json_property(reply, "mentions")
        if value is None:
            numbers = mentions_in(words_of(reply))
        else:
            numbers = value if isinstance(value, Unparsed) else mentions_listed(value)
        if isinstance(numbers, Unparsed):
            return numbers
        named = [label for label in dict.fromkeys(map(str, numbers)) if label in gold]
        if numbers and not named:
            return Unparsed("names only numbers that no mention has")
        return Answer(dict.fromkeys(named, YES))

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Mentions named rightly, out of those named and out of those to name."""
        del accepted
        said = answer.value if isinstance(answer, Answer) else {}
        named = {label for label in gold if said.get(label) == YES}
        wanted = {label for label, is_meant in gold.items() if is_meant == YES}
        right = len(named & wanted)
        measure = Measure(
            metric="perpetrator",
            num=right,
            den=len(named),
            recall_num=right,
            recall_den=len(wanted),
            headline=True,
        )
        return Marked(right=0, units=0, measures=(measure,))


ROLE_DETECTION = RoleDetection()
