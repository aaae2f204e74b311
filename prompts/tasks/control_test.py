"""The control test: do labels in the prompt win over memory? Source: memorization paper, E.4.

The first half of a scene names its speakers; in the second half the same people, called P0, P1 …,
go on. Under the names `other_cast` the first half is labelled with people of another work: who
reads the prompt gives those, who remembers the lines gives the people who really say them. The
people are not offered, so both can be answered. The wording is ours.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, Measure, TaskBase, Unparsed, counted
from prompts.tasks.character_guessing import name_key, said, said_in_json
from prompts.tasks.json_replies import object_schema

_BASE: Final = (
    "The first part of a conversation names its speakers. It goes on between the same people, who "
    "are called P0, P1 and so on in the second part. Say who they are."
)
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": _BASE,
    "verbatim": f"{_BASE} Recall who says these lines; do not infer it, and do not explain.",
    "gist": f"{_BASE} Infer it from how they talk and what they talk about in the first part.",
}
REMEMBERED: Final = ": "
"""Between a label and the name its speaker really has, in the item's `accepted`."""


class ControlTest(TaskBase):
    """Who goes on talking, with the first half of the scene labelled."""

    name = "control_test"
    source = "memorization paper, appendix E.4"
    version = 1
    needs_options = False
    gold_is: GoldIs = "option"
    placeholder = "N"  # the speakers of the second half are already called P0, P1 …

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """One line a speaker; nobody is offered."""
        del options
        return (
            f"The speakers to name are {', '.join(gold)}.\n"
            f"Answer with one line for each speaker and nothing else, in the form\n"
            f"{next(iter(gold))}: name"
        )

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with a name for each speaker."""
        del options
        return object_schema({label: {"type": "string"} for label in gold})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: nobody is offered."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The first name given for each label, whoever it is."""
        del options
        for pairs in (said_in_json(reply), said(unicodedata.normalize("NFC", reply))):
            found: dict[str, str] = {}
            for label, name in pairs:
                if label in gold and name_key(name):
                    found.setdefault(label, name)
            if found:
                return Answer(found)
        return Unparsed("no line gives a speaker a name")

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Speakers named as the prompt has them; beside it those named as the original has them."""
        own = answer.value if isinstance(answer, Answer) else {}
        real = dict(line.split(REMEMBERED, 1) for line in accepted if REMEMBERED in line)
        right = sum(_names(own.get(label, ""), name) for label, name in gold.items())
        remembered = sum(_names(own.get(label, ""), real.get(label, "")) for label in gold)
        memory = Measure(metric="remembered", num=remembered, den=len(gold))
        return counted(right, len(gold), memory)


def _names(said_name: str, name: str) -> bool:
    """Whether an answer names someone: the name, or some of its words and no others."""
    words, own = name_key(said_name).split(), name_key(name).split()
    return bool(words) and (set(words) <= set(own) or (bool(own) and words[: len(own)] == own))


CONTROL_TEST = ControlTest()
