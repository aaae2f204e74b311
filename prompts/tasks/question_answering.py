"""Question answering: which words of a dialogue answer a question?

Source: memorization paper, sections 4.2, 6.1 and 6.2, appendices G and H; the data are FriendsQA
(Yang & Choi, 2019). The paper's measure is exact match (Table 1), which is the headline here; F1
stands beside it. Both are SQuAD's, with two differences in typing set aside, each of which only
makes equal what reads the same: curly quotation marks and dashes count as the plain ones, and an
answer that equals an accepted one but for its gaps is that answer, for FriendsQA sets its words
apart ("Joey 's", "half - hour") and models close them up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from prompts.item import PromptName
from prompts.tasks import squad
from prompts.tasks.base import Answer, GoldIs, Marked, Measure, TaskBase, Unparsed
from prompts.tasks.json_replies import object_schema
from prompts.tasks.plain_replies import EMPTY, text_in, undecorated

_ASK = (
    "Here is a dialogue, and below it a question about it. Answer the question with words of the "
    "dialogue."
)
_WORDING: Final[dict[PromptName, str]] = {
    "baseline": _ASK,
    "verbatim": (
        f"{_ASK} Work from direct recall alone: find this very scene in your memory and give the "
        "answer as you know it from there. Do not infer anything from what the people are like, "
        "how they deal with each other or what leads to what, and do not explain."
    ),
    "gist": (
        f"{_ASK} Use nothing but the passage: find what bears on the question, follow what happens "
        "and how the people deal with each other, and reason from that to the answer. Do not draw "
        "on what you know or remember of them from elsewhere."
    ),
}
_TYPED: Final = str.maketrans({**dict.fromkeys("‘’‚‛′", "'"), **dict.fromkeys("“”„‟«»″", '"'),
                               **dict.fromkeys("‐‑‒–—―−", "-"), "…": "..."})  # fmt: skip
_LEAD: Final = re.compile(
    r"[\W_]*(?:(?:(?:so|thus|therefore|hence),?\s+)?(?:(?:the|my|final|short|correct|exact)\s+){0,3}"
    r"answer(?:\s+to\s+(?:the|this|your)\s+question)?[\"”*_`]*\s*(?::|\bis\b\s*:?)"
    r"|a[*_]*:)",
    re.IGNORECASE,
)
# Models that were not tuned to stop ask themselves the next question.
_ASKED: Final = re.compile(r"[\W_]*(?:question|q|passage|dialogue)\s*\d*[*_]*\s*:", re.IGNORECASE)


class QuestionAnswering(TaskBase):
    """The words of a dialogue that answer a question."""

    name = "question_answering"
    source = "memorization paper, sections 6.1-6.2 and appendices G-H"
    version = 1
    needs_options = False
    gold_is: GoldIs = "span"
    placeholder = "P"

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _WORDING[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The words alone."""
        del gold, options
        return (
            "Answer with the shortest words of the passage that answer the question, or with the "
            "name of a speaker, copied as they stand there, on one line and nothing else."
        )

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object]:
        """An object with the answer as a text."""
        del gold, options
        return object_schema({"answer": {"type": "string"}})

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: the question is open."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The words a reply gives; that the passage does not say is an answer, a wrong one.

        Of a reply of several lines one is the answer: the first where it says so ("Answer: …"),
        or else the last that says so, or else the first that neither asks nor announces anything.
        """
        del gold, options
        said = text_in(reply, "answer", _answer_line)
        if isinstance(said, Unparsed):
            return said
        words = undecorated(said)
        return Answer({"answer": words}) if words else Unparsed(EMPTY)

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Exact match and F1, each the best over the accepted answers."""
        golds = [text.translate(_TYPED) for text in (*gold.values(), *accepted)]
        match, overlap = 0, 0.0
        if isinstance(answer, Answer):
            said = answer.value.get("answer", "").translate(_TYPED)
            match = max(squad.exact_match(said, golds), int(_equal_but_for_gaps(said, golds)))
            overlap = max(squad.f1(said, golds), float(match))
        return Marked(
            right=match,
            units=1,
            measures=(
                Measure(metric="exact_match", num=match, den=1, headline=True),
                Measure(metric="f1", num=overlap, den=1),
            ),
        )


def _answer_line(words: str) -> str:
    """The line of a reply that answers; empty where it has none."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    if lines and _ASKED.match(lines[0]):
        del lines[0]
    further = next((at for at, line in enumerate(lines) if at and _ASKED.match(line)), len(lines))
    lines = lines[:further]
    led = [(at, lead) for at, line in enumerate(lines) if (lead := _LEAD.match(line))]
    if led:
        at, lead = led[0] if led[0][0] == 0 else led[-1]
        rest = lines[at][lead.end() :]
        return rest if undecorated(rest) else "".join(lines[at + 1 : at + 2])
    told = [line for line in lines[:-1] if not undecorated(line).endswith(("?", ":"))]
    return next(iter([*told, *lines[-1:]]), "")


def _equal_but_for_gaps(said: str, golds: Sequence[str]) -> bool:
    closed = squad.normalise(said).replace(" ", "")
    return any(closed == squad.normalise(gold).replace(" ", "") for gold in golds)


QUESTION_ANSWERING = QuestionAnswering()
