"""Character description: what is each person of a scene like?

Source: memorization paper, section 5.2 and appendix D. A preparatory step, not a test: what a
chosen model says of the characters is stored like any other reply, taken out with `probe describe`,
and put before the passages of an experiment. The wording follows the appendix in substance, in
words of our own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, TaskBase, Unparsed
from prompts.tasks.json_replies import object_schema, read_object

_BASE: Final = (
    "You assist a psychologist who studies what people are like from how they talk. Read the "
    "conversation and describe each of the people named below it."
)
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": _BASE,
    "verbatim": f"{_BASE} Draw on all that you remember of these people.",
    "gist": f"{_BASE} Draw on this conversation alone, not on what you may remember of them.",
}
_MARKS: Final = " \t*_#-–—•>\"'“”"
_NUMBERED: Final = re.compile(r"\s*\d{1,2}[.)]\s*")
_REASON: Final = "no line describes one of the people"


class CharacterDescription(TaskBase):
    """What each person of a scene is like."""

    name = "character_description"
    source = "memorization paper, section 5.2 and appendix D"
    version = 1
    needs_options = False
    placeholder = "P"
    gold_is: GoldIs = "label"

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """Whom to describe, one line each."""
        del options
        return (
            f"Describe {', '.join(gold)}. Answer with one line for each, two or three short "
            "sentences long, and nothing else, in the form\nname: description"
        )

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """A text for each name."""
        del options
        return object_schema({name: {"type": "string"} for name in gold})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: nothing is right here."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The first description of each name."""
        del options
        said = read_object(reply)
        pairs = said.items() if said is not None else map(_parted, reply.splitlines())
        names = {_key(name): name for name in gold}
        found: dict[str, str] = {}
        for label, text in pairs:
            name = names.get(_key(label))
            if name is not None and isinstance(text, str) and text.strip():
                found.setdefault(name, " ".join(text.split()))
        return Answer(found) if found else Unparsed(_REASON)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """No unit: nothing is right or wrong here."""
        del answer, gold, accepted
        return Marked(right=0, units=0)


def _parted(line: str) -> tuple[str, str]:
    label, _, text = _NUMBERED.sub("", line, count=1).partition(":")
    return label, text.strip(_MARKS)


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip(_MARKS)).casefold()


CHARACTER_DESCRIPTION = CharacterDescription()
