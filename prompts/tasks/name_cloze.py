"""Name cloze: which name was taken out of a passage that says nothing else of its work?

Source: Chang et al. (2023), Speak, Memory: An Archaeology of Books Known to ChatGPT/GPT-4, section
3; the wording is ours. A passage of 40 to 60 tokens has exactly one proper name, which is replaced
by [MASK]; no other name stands in it, so that whoever has not read it can only guess (their readers
got 0 of 100). With a the answer and g the name,

    accuracy        = share of passages with a = g letter for letter                 headline
    accuracy_folded = the same with case set aside

An answer is one word, as the paper asks for: a title before it is left out, and "Emma Woodhouse" is
not "Emma".

The text holds no name, so a name strategy changes neither it nor the name that was taken out: the
question is the same under each, and only `original` is worth asking. Gold is {"name": the word}.

Access: text alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import PromptName
from prompts.names.words import is_title
from prompts.tasks.base import Answer, GoldIs, Marked, Measure, TaskBase, Unparsed, counted
from prompts.tasks.json_replies import object_schema
from prompts.tasks.plain_replies import EMPTY, as_text, json_property, undecorated, words_of

MASK: Final = "[MASK]"
"""What stands where the name was."""

_ASK: Final = (
    f"In the following passage one proper name of a single word was replaced by {MASK}. Say which "
    "name it was. Give a name even if you are not sure."
)
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": _ASK,
    "verbatim": (
        f"{_ASK} Work from direct recall alone: find these exact words in your memory and give the "
        "name that stands in this place. Do not reason from style, setting or events, and do not "
        "explain."
    ),
    "gist": (
        f"{_ASK} Work it out from what happens, from the setting and from how the people deal with "
        "each other, and name who that would be. Do not try to recall the exact words."
    ),
}
_TAGGED: Final = re.compile(r"<\s*name\s*>\s*([^<\n]*)", re.IGNORECASE)
# "The name that was replaced by [MASK] is Emma", "Name: Emma", "[MASK] = Emma".
_LED: Final = re.compile(
    r"(?:(?:\b(?:name|answer|word|guess|it|that)\b|\[MASK\])[^\n:=.]{0,80}?"
    r"(?:[*_`\"”]*\s*[:=]|\b(?:is|was|would\s+be|should\s+be|must\s+be|stands\s+for)\b\s*:?)"
    r"|\b(?:it|that)['’]s\b)"
    # Looked ahead, so that a lead within it is found too.
    r"(?=\s*(?:(?:most\s+)?(?:likely|probably|perhaps)\s+)?(?P<said>[^\n]*))",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"“‘«`*_]{1,3}([^\W\d_][^\"”’»`*_\n]{0,38}?)[.,]?[\"”’»`*_]{1,3}")
_BOLD: Final = re.compile(r"\*{1,3}|_{2,3}")
# After a name only an end, an aside or a reason may follow.
_NAME: Final = re.compile(
    r"[\W_]*(?i:(?:perhaps|probably|maybe|possibly)[,:]?\s+)?"
    r"(?P<name>[^\W\d_][\w'’.-]*(?:[ ][^\W\d_a-z][\w'’.-]*){0,3}?)"
    r"(?:[\"'”’*_`\])}>.,;!|]*\s*(?:[(\[—–-].*)?\Z|[\"'”’*_`\])}>]*[,;.!]?\s+"
    r"(?:because|since|as|for|from|in|but|who|which|although|though)\b.*)",
    re.DOTALL,
)
_LETTER: Final = re.compile(r"[^\W\d_]")
_NONE: Final = "no name: the reply is a sentence"
_PRONOUNS: Final = frozenset(
    "i it he she they we you this that there none unknown unclear uncertain sorry mask".split()
)


class NameCloze(TaskBase):
    """Which name stands where a passage has a mask."""

    name = "name_cloze"
    source = "Chang et al. (2023), section 3"
    version = 1
    needs_options = False
    placeholder = "P"
    gold_is: GoldIs = "kept"

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The name alone, in tags."""
        del gold, options
        return "Answer with the name, one word long, and nothing else, in the form\n<name>…</name>"

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with the name."""
        del gold, options
        return object_schema({"name": {"type": "string"}})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: the question is open."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The name a reply gives: in tags, in JSON, alone, in quotation marks or where it leads."""
        del gold, options
        tagged = _TAGGED.findall(words_of(reply))
        if tagged:
            # The form itself may be repeated before the answer.
            return _given(next(filter(_LETTER.search, tagged), ""))
        value = json_property(reply, "name")
        if value is None:
            return _in_words(words_of(reply))
        said = value if isinstance(value, Unparsed) else as_text(value, "name")
        return said if isinstance(said, Unparsed) else _given(said)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Right where the answer is the name letter for letter; beside it with case set aside."""
        said = answer.value.get("name", "") if isinstance(answer, Answer) else ""
        names = [name for name in (*gold.values(), *accepted) if name]
        folded = said.casefold() in [name.casefold() for name in names]
        more = Measure(metric="accuracy_folded", num=float(folded), den=1)
        return counted(int(said in names), 1, more)


def _given(said: str) -> Answer | Unparsed:
    """What stands where a name was asked for, whatever it is."""
    words = undecorated(said).strip(" .,;:!?'’[]()")
    if not words:
        return Unparsed(EMPTY)
    return Answer({"name": _untitled(words)})


def _untitled(words: str) -> str:
    """A name without the titles before it and its possessive."""
    parts = words.split()
    while len(parts) > 1 and is_title(parts[0]):
        del parts[0]
    parts[-1] = re.sub(r"['’]s\Z", "", parts[-1])
    return " ".join(parts).rstrip(".,")


def _in_words(words: str) -> Answer | Unparsed:
    """The name in a reply of prose: its first line alone, one it leads to, or one in quotes."""
    lines = [line for line in words.splitlines() if line.strip()]
    if not _LETTER.search(words):
        return Unparsed(EMPTY)
    text = _BOLD.sub("", "\n".join(lines))
    led = [line["said"] for line in _LED.finditer(text)]
    below = lines[1:2] if lines[0].rstrip("*_ ").endswith(":") else []
    for piece in (lines[0], *led, *below):
        name = _alone(piece, any_case=piece not in led)
        if name:
            return Answer({"name": name})
    quoted = {_alone(found[1]) for found in _QUOTED.finditer("\n".join([*led, words]))} - {None}
    if len(quoted) == 1:
        return Answer({"name": str(quoted.pop())})
    return Unparsed(_NONE)


def _alone(piece: str, *, any_case: bool = False) -> str | None:
    """The name that a line consists of, with nothing but an aside or a reason after it.

    Args:
        piece: The line, or the end of one.
        any_case: Whether one word alone may be a name without a capital.
    """
    found = _NAME.match(undecorated(_BOLD.sub("", piece)))
    if found is None:
        return None
    name = _untitled(found["name"])
    first = re.split(r"['’\s]", name, maxsplit=1)[0].casefold()
    lower = name[:1].islower() and not (any_case and " " not in piece.strip())
    return None if lower or first in _PRONOUNS else name


NAME_CLOZE = NameCloze()
