"""Source identification: which work is a passage from? Source: memorization paper, section 5.1.

Open, with every accepted title counting as right, or with options. The paper words only the plain
question; the verbatim and gist wordings are ours, after its section 4.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from prompts.item import PromptName
from prompts.tasks.base import Answer, Marked, Unparsed
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
_LEAD = re.compile(
    r"^(?:the\s+)?(?:answer|title|work|source|passage|excerpt|text|it|this|that)?\b"
    r"(?:\s+(?:passage|excerpt|text|work|title|dialogue|scene))?"
    r"\s*(?::|\bis\s+(?:taken\s+)?(?:from\b)?|\bcomes?\s+from\b|\bfrom\b)\s*",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:\d{1,2}[.):]|[-*•])\s")
_MOST_WORDS = 14


def _first_line(reply: str) -> str:
    return next((line.strip() for line in reply.splitlines() if line.strip()), "")


class SourceIdentification:
    """Which work a passage comes from."""

    name = "source_identification"
    source = "memorization paper, section 5.1"
    version = 1
    needs_options = False
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

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> float | None:
        """One in as many as are offered; None for an open question."""
        del gold
        return 1 / len(options) if options else None

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The title a reply gives."""
        del gold
        title = _choice(reply, options) if options else _open_title(reply)
        return title if isinstance(title, Unparsed) else Answer({"title": title})

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Right where the title is one of those accepted."""
        title = answer.value.get("title", "") if isinstance(answer, Answer) else ""
        right = bool(title) and is_accepted(title, (*gold.values(), *accepted))
        return Marked(right=int(right), units=1)


def _choice(reply: str, options: Sequence[str]) -> str | Unparsed:
    """The one option a reply names, by number or by title; its first line decides a tie."""
    first = _first_line(reply)
    number = re.fullmatch(r"(?:answer\s*:?\s*)?[(\[]?(\d{1,2})[)\].:]?", first, re.IGNORECASE)
    if number and 1 <= int(number[1]) <= len(options):
        return options[int(number[1]) - 1]
    lines = [line for line in reply.splitlines() if line.strip()]
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
        if needle in rest:
            named.append(option)
            rest = rest.replace(needle, " | ")
    return named


def _open_title(reply: str) -> str | Unparsed:
    first = _first_line(reply)
    quoted = _QUOTED.search(first) or _QUOTED.search(reply)
    if quoted:
        return bare(quoted[1])
    line = _LEAD.sub("", first, count=1)
    title = bare(line)
    if not title:
        return Unparsed("the reply is empty")
    if len(title.split()) > _MOST_WORDS:
        return Unparsed("no title: the first line is a sentence")
    return title


SOURCE_IDENTIFICATION = SourceIdentification()
