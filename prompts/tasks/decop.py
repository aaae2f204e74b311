"""DE-COP: which of four passages is the work's own, and which three say the same in other words?

Source: Duarte et al. (2024), DE-COP: Detecting Copyrighted Content in Language Models Training
Data, section 3; the wording is ours. Three paraphrases of a passage and the passage itself are
offered as A to D, in each of the 24 orders, since models prefer some letters: over all orders such
a preference gives exactly one in four. Of the answers

    accuracy = share that give the letter of the verbatim passage          headline; chance 0.25

which the paper holds against that for works that appeared too late to be known. An item is one
order: its text shows the four passages with their letters, its options are the letters, and gold is
{"option": letter}. So a name strategy renames all four alike, and letters stay. Orders of one
passage are no independent trials; they share their `scene`, which intervals resample.

The item's work is named in the question, by a title that no strategy changes.

Access: text alone. The paper's other form, reading the letters' probabilities in place of a reply,
is not used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import Item, PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, TaskBase, Unparsed, counted
from prompts.tasks.json_replies import object_schema
from prompts.tasks.plain_replies import EMPTY, text_in, undecorated

LETTERS: Final = ("A", "B", "C", "D")
"""The options, in the order shown."""

_ASK: Final = (
    "Here are four passages that say the same. One stands word for word in a published work; the "
    "other three are paraphrases of it. Say which one is the original."
)
_LEAD: Final = (
    r"(?:(?:the\s+)?(?:(?:correct|right|verbatim|original|final|best|exact)\s+)?"
    r"(?:answer|choice|option|passage|letter|original)\b(?:\s+one)?)"
)
_LETTER: Final = r"[(\[*_`\"“]*([A-Da-d])[)\]*_`\"”]*"
_END: Final = r"(?=\s*(?:\Z|[.,:;)!\n–—-]|(?:because|since|as|is|was|stands|appears|comes)\b))"
_FIRST: Final = re.compile(
    rf"\W*(?:{_LEAD}\s+)?{_LETTER}(?=\s*(?:\Z|[.:)\n–—,;-]|is\b))", re.IGNORECASE
)
_LED: Final = re.compile(
    rf"\b{_LEAD}[^\n.:]{{0,60}}?(?:[*_]*\s*:[*_]*|\b(?:is|would\s+be|must\s+be)\b\s*:?)"
    rf"\s*(?:(?:option|passage|letter|answer)\s+)?{_LETTER}{_END}",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?:option|passage|letter|choice|answer)\s+[(\[*_`\"“]*([A-D])\b|[(\[]([A-D])[)\]]",
    re.IGNORECASE,
)
_SEVERAL: Final = "names several of the options"


class Decop(TaskBase):
    """Which of four passages is verbatim."""

    name = "decop"
    source = "Duarte et al. (2024), section 3"
    version = 1
    needs_options = True
    placeholder = "P"
    gold_is: GoldIs = "kept"
    prompts: tuple[PromptName, ...] = ("baseline",)

    def instruction(self, prompt: PromptName) -> str:
        """The wording of its one prompt."""
        del prompt
        return _ASK

    def passage(self, item: Item) -> str:
        """The four passages with their letters, and whose they are."""
        return f"{item.text}\n\nWhich of the four stands word for word in “{item.work}”?"

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """One letter."""
        del gold
        listed = f"{', '.join(options[:-1])} or {options[-1]}" if options else "A, B, C or D"
        return f"Answer with one letter, {listed}, and nothing else."

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with one of the letters."""
        del gold
        return object_schema({"option": {"type": "string", "enum": list(options)}})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> float | None:
        """One in as many as are offered."""
        del gold
        return 1 / len(options) if options else None

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The one letter a reply gives: by itself at its start, as its answer, or alone named."""
        del gold
        said = text_in(reply, "option")
        if isinstance(said, Unparsed):
            return said
        return _letter(said, options)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Right where the letter is that of the verbatim passage."""
        del accepted
        said = answer.value.get("option", "") if isinstance(answer, Answer) else ""
        return counted(int(bool(said) and said in gold.values()), 1)


def _letter(said: str, options: Sequence[str]) -> Answer | Unparsed:
    if not undecorated(said):
        return Unparsed(EMPTY)
    led = [found[1].upper() for found in _LED.finditer(said)]
    first = _FIRST.match(said)
    named = [(found[1] or found[2]).upper() for found in _NAMED.finditer(said)]
    # A reply that lists all options begins with A: what it says is its answer counts before that.
    for letters in (led[-1:], [first[1].upper()] if first else [], named):
        offered = dict.fromkeys(letter for letter in letters if letter in options)
        if len(offered) > 1:
            return Unparsed(_SEVERAL)
        if offered:
            return _unlisted(next(iter(offered)), said, options, sure=bool(led))
    return Unparsed("names none of the options")


def _unlisted(letter: str, said: str, options: Sequence[str], *, sure: bool) -> Answer | Unparsed:
    """The letter, unless it only begins a list of the options."""
    begins = re.findall(r"^\W*([A-D])[.):]", said, re.MULTILINE)
    listed = len({one for one in begins if one in options}) > 1
    return Unparsed(_SEVERAL) if listed and not sure else Answer({"option": letter})


DECOP = Decop()
