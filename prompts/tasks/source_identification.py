"""Source identification: which work is a passage from? Source: memorization paper, section 5.1.

Open, with every accepted title counting as right, or with options. The paper words only the plain
question; the verbatim and gist wordings are ours, after its section 4.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from prompts.item import PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, TaskBase, Unparsed, counted
from prompts.tasks.json_replies import object_schema
from prompts.tasks.plain_replies import as_text, json_property
from prompts.tasks.titles import accepted as is_accepted
from prompts.tasks.titles import bare, normalise

_WORDING: dict[PromptName, str] = {
    "baseline": "Which work does the following passage come from?",
    "verbatim": (
        "Which work does the following passage come from? Work from direct recall alone: find "
        "these exact words in your memory and give the title they stand under. Do not reason "
        "about style, setting or people, and do not explain."
    ),
    "gist": (
        "Which work does the following passage come from? Work it out from what happens, from the "
        "people and how they relate to each other, and from the setting. Do not try to recall the "
        "exact words."
    ),
}
_QUOTED = re.compile(r"[\"“*_]{1,2}([A-Z][^\"”“*_\n]{1,80}?)[\"”*_]{1,2}")
_THING = r"(?:passage|excerpt|extract|text|dialogue|scene|work|title|source|answer)"
# Verbs in lower case only: "This is Emma" is a sentence, "This Is Our Youth" a title.
_LEAD = re.compile(
    rf"^(?:I\s+(?:think|believe|guess|would\s+say)\s+(?:that\s+)?)?"
    rf"(?i:(?:(?:the|this|that|my|your)\s+)?(?:(?:given|following|above)\s+)?(?:{_THING}|it|this|that)?"
    rf"\b(?:\s+{_THING})?(?:\s+of\s+(?:the|this)\s+{_THING})?(?:\s+you\s+(?:gave|provided))?)"
    r"\s*(?::|\bis\s+(?:(?:most\s+)?(?:likely|probably)\s+)?(?:taken\s+|an?\s+(?:excerpt|extract"
    r"|passage|scene)\s+)?(?:from\b)?|\b(?:likely\s+|probably\s+)?comes?\s+from\b|(?<=\w)\s+from\b)"
    r"\s*(?:(?:the\s+)?(?:novel|play|book|story|show|series|sitcom)\s+(?=[A-Z]))?"
)
# A reply that says it has no answer, or talks of the passage without a title in quotation marks.
_NO_ANSWER = re.compile(
    r"\bI(?:['’]m|['’]d|['’]ve| am| do| don| can| could| would| have| think| believe"
    r"| apologi[sz]e)\b"
    r"|(?i:\b(?:sorry,? (?:but )?I\b|unfortunately|unable to|no idea|as an ai"
    r"|not (?:sure|able|certain|possible|familiar)"
    r"|(?:cannot|can['’]t|could not) (?:be )?(?:identif|determin|tell|say|help))"
    r"|^\W*(?:unknown|unidentified|uncertain|unclear|none|n/a)\W*$)"
)
_ABOUT = re.compile(
    r"(?:The|This|That|It|These)\s+(?:(?:passage|excerpt|extract|text|scene|dialogue|style|language"
    r"|answer|title|work)s?\s+)?(?:is|was|are|seems|appears|sounds|describes|comes|reads|could|may"
    r"|might|can|cannot|does)\s"
)
_LISTED = re.compile(r"\s*(?:\d{1,2}[.):]|[-*•])\s")
_MOST_WORDS = 14
_MOST_LETTERS = 300


def _first_line(reply: str) -> str:
    return next((line.strip() for line in _lines(reply)), "")


def _lines(reply: str) -> list[str]:
    """The lines with words in them, less those that only announce the next ("The title is:")."""
    lines = [line for line in reply.splitlines() if line.strip()]
    told = [line for line in lines[:-1] if not line.rstrip(" *_").endswith(":")]
    return [*told, *lines[-1:]]


class SourceIdentification(TaskBase):
    """Which work a passage comes from."""

    name = "source_identification"
    source = "memorization paper, section 5.1"
    version = 3
    needs_options = False
    gold_is: GoldIs = "kept"
    placeholder = "P"

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The titles to choose from, if any, and the title alone as the answer."""
        del gold
        if not options:
            return "Answer with the title of the work and nothing else."
        listed = "\n".join(f"{number}. {title}" for number, title in enumerate(options, start=1))
        return f"It is one of these:\n{listed}\nAnswer with the title of the work and nothing else."

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with the title: one of those offered, if any are."""
        del gold
        title: dict[str, object] = {"type": "string"}
        if options:
            title["enum"] = list(dict.fromkeys(options))
        return object_schema({"title": title})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> float | None:
        """One in as many as are offered; None for an open question."""
        del gold
        return 1 / len(options) if options else None

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The title a reply gives, in JSON or in words."""
        del gold
        value = json_property(reply, "title")
        if value is not None:
            said = value if isinstance(value, Unparsed) else as_text(value, "title")
            if isinstance(said, Unparsed):
                return said
            reply = said
        title = _choice(reply, options) if options else _open_title(reply)
        return title if isinstance(title, Unparsed) else Answer({"title": title})

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Right where the title is one of those accepted."""
        title = answer.value.get("title", "") if isinstance(answer, Answer) else ""
        right = bool(title) and is_accepted(title, (*gold.values(), *accepted))
        return counted(int(right), 1)


def _choice(reply: str, options: Sequence[str]) -> str | Unparsed:
    """The one option a reply names, by number or by title; its first line decides a tie."""
    first = _first_line(reply).strip("*_ ")
    number = re.fullmatch(r"(?:answer\s*:?\s*)?[(\[]?(\d{1,2})[)\].:]?", first, re.IGNORECASE)
    if number and 1 <= int(number[1]) <= len(options):
        return options[int(number[1]) - 1]
    lines = _lines(reply)
    if len(lines) > 1 and all(_LISTED.match(line) for line in lines[:2]):
        return Unparsed("lists the options")
    for text in (first, reply):
        named = _named(text, options)
        if len(named) == 1:
            return named[0]
        if len(named) > 1:
            return Unparsed(f"names {len(named)} of the options")
    return Unparsed("names none of the options")


def _named(text: str, options: Sequence[str]) -> list[str]:
    """Options whose title stands in a text; one inside another's title does not count twice."""
    rest = f" {normalise(text)} "
    named = []
    for option in sorted(options, key=lambda title: -len(normalise(title))):
        needle = f" {normalise(option)} "
        if needle.strip() and needle in rest:
            named.append(option)
            rest = rest.replace(needle, " | ")
    return named


def _open_title(reply: str) -> str | Unparsed:
    first = _first_line(reply)
    for text in (first, reply):
        for quoted in _QUOTED.finditer(text):
            # "**Title:** Emma" sets the word in bold, not the title.
            if not quoted[1].endswith(":"):
                return bare(quoted[1])
    plain = first.replace("*", "")[:_MOST_LETTERS]
    line = _LEAD.sub("", plain, count=1)
    title = bare(line)
    if not re.search(r"[^\W_]", title):
        return Unparsed("the reply is empty")
    # Inside a sentence a title begins with a capital, whatever is said in lower case is not one.
    in_sentence = line != plain and title[0].islower() and not plain.islower()
    if in_sentence or len(title.split()) > _MOST_WORDS or _says_no_title(line):
        return Unparsed("no title: the first line is a sentence")
    return title


def _says_no_title(line: str) -> bool:
    return bool(_NO_ANSWER.search(line) or _ABOUT.match(line))


SOURCE_IDENTIFICATION = SourceIdentification()
