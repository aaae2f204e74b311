"""Character guessing: who are P0, P1 …? Source: memorization paper, sections 4.1 and 4.2.

The wording follows the paper's three prompts in substance, in words of our own; an experiment may
set others. Names are offered as options, and the measure is person-level accuracy: each speaker of
a scene counts once. Source of the measure: Sang et al. (2022), TVSHOWGUESS.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from prompts.item import PromptName
from prompts.names.replace import is_title
from prompts.tasks.base import Answer, GoldIs, Marked, TaskBase, Unparsed, counted
from prompts.tasks.json_replies import object_schema, read_object

_LABEL = re.compile(
    r"""(?<![^\W_])(P\d+)(?![^\W_])["'”’*_`)\]]*\s*(?::|=|->|→|–|—|-|\||\bis\b|\bwas\b)"""
)
_BEFORE_NAME = re.compile(
    r"""["'“‘*_`\[(\s]*(?:name\s*:|(?:most\s+)?(?:likely|probably)\s)?["'“‘*_`\[(\s]*""",
    re.IGNORECASE,
)
# After a name only an end or an aside may follow: "P0: Hamlet, thou hast …" goes on with the scene.
_REST = re.compile(r"""["'”’*_`\])}.,;!|]*(?:\s*[(\[—].*|\s+[–-].*|\s+and\s*)?\Z""", re.DOTALL)
# "Ross" is offered, "Ross Geller" is said: one more capitalised word, with the line at its end.
_SURNAME = re.compile(r"""\s[^\W\d_a-z][\w'’-]*["'”’*_`\])}.]*\s*\Z""")
_LINE = re.compile(r"[^\n;|]*")
_LONGEST_NAME = 200  # an answer's line beyond this is not read

_WORDING: dict[PromptName, str] = {
    "baseline": "Here is a dialogue. Say who the speakers are.",
    "verbatim": (
        "Here is a dialogue. Say who the speakers are. Work from direct recall alone: find these "
        "exact lines in your memory and give the names that stand beside them. Do not reason from "
        "character, relationships or context, and do not explain."
    ),
    "gist": (
        "Here is a dialogue. Say who the speakers are. Work it out: look at how the speakers "
        "relate to each other, at what happens and at what each is like, and match that to the "
        "people you can choose from. Do not recall from memory who said these lines."
    ),
}


def name_key(name: str) -> str:
    """A name in the form that is compared: case and punctuation set aside."""
    return " ".join(re.sub(r"[^\w]+", " ", unicodedata.normalize("NFC", name).casefold()).split())


def said(reply: str) -> Iterator[tuple[str, str]]:
    """Each label of a reply, with what its line says up to the next label."""
    marks = list(_LABEL.finditer(reply))
    for mark, after in zip_longest(marks, marks[1:]):
        start = mark.end()
        end = min(after.start() if after else len(reply), start + _LONGEST_NAME)
        name = _BEFORE_NAME.match(reply, start, end)
        line = _LINE.match(reply, name.end() if name else start, end)
        yield mark[1], line[0].rstrip(" \t\r\"'“‘*_`[({") if line else ""


def said_in_json(reply: str) -> Iterator[tuple[str, str]]:
    """Each label of a reply's first JSON object, with the text it has there."""
    for label, name in (read_object(reply) or {}).items():
        if isinstance(name, str):
            yield label.strip(), unicodedata.normalize("NFC", name).strip()


def _spellings(options: Sequence[str]) -> dict[str, str]:
    """Ways to write each option; a form without titles counts where it is no one else's."""
    forms: dict[str, set[str]] = {}
    for option in options:
        if name_key(option):
            forms.setdefault(name_key(option), set()).add(option)
        untitled = " ".join(word for word in option.split() if not is_title(word))
        if name_key(untitled):
            forms.setdefault(name_key(untitled), set()).add(option)
    exact = {name_key(option): option for option in options if name_key(option)}
    return {form: next(iter(own)) for form, own in forms.items() if len(own) == 1} | exact


class CharacterGuessing(TaskBase):
    """Who speaks, among the people offered."""

    name = "character_guessing"
    source = "memorization paper, sections 4.1-4.2"
    version = 3
    needs_options = True
    gold_is: GoldIs = "option"
    placeholder = "N"  # the speakers are already called P0, P1 …

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The people to choose from, and one line a speaker."""
        labels = list(gold)
        return (
            f"The speakers to name are {', '.join(labels)}. Each is one of: {', '.join(options)}.\n"
            f"Answer with one line for each speaker and nothing else, in the form\n"
            f"{labels[0]}: name"
        )

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with one of the people for each speaker."""
        name: dict[str, object] = {"type": "string"}
        if options:
            name["enum"] = list(dict.fromkeys(options))
        return object_schema(dict.fromkeys(gold, name))

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> float | None:
        """One in as many as are offered, for every speaker."""
        del gold
        return 1 / len(options) if options else None

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The first name given for each label, where it is one of the options.

        JSON that gives a label one of the names is the answer; else the lines are read.
        """
        spellings = _spellings(options)
        longest_first = sorted(spellings, key=lambda form: (-len(form), form))
        for said_by_label in (said_in_json(reply), said(unicodedata.normalize("NFC", reply))):
            found: dict[str, str] = {}
            for label, words in said_by_label:
                name = _option_at_start(words, spellings, longest_first)
                if label in gold and name is not None:
                    found.setdefault(label, name)
            if found:
                return Answer(found)
        return Unparsed("no line gives a speaker one of the names")

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Speakers named rightly, out of the speakers of the scene."""
        del accepted
        own = answer.value if isinstance(answer, Answer) else {}
        right = sum(own.get(label) == name for label, name in gold.items())
        return counted(right, len(gold))


def _option_at_start(
    words: str, spellings: Mapping[str, str], longest_first: Sequence[str]
) -> str | None:
    for form in longest_first:
        pattern = r"\W+".join(map(re.escape, form.split()))
        match = re.match(pattern + r"(?!\w)", words, re.IGNORECASE)
        if match is None:
            continue
        surname = " " not in form and _SURNAME.match(words, match.end())
        if surname or _REST.fullmatch(words, match.end()):
            return spellings[form]
    return None


CHARACTER_GUESSING = CharacterGuessing()
