"""Replies of subjects with planted memory: right where they recognise, else as their skill has it.

Every name of a model is a subject of its own. A reply is a function of the kind of subject, the
seed, the model's name, the prompt and the sample, and so the same in whatever order requests come.
The sample is told by the request's `seed` and by which of its `n` choices it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from probe.simulate.errors import UnknownPrompt
from probe.simulate.memory import Memory, Passage, Subject, even
from probe.simulate.replies import Asked, Made, in_form, made, text_digest
from probe.simulate.written import (
    Said,
    letter_of,
    speakers_said,
    title_said,
    trait_said,
    words_said,
)

REFUSAL: Final = "I'm sorry, but I can't help with that."
GARBLED: Final = "vrk tlpp zzq, gth wvx"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be known of a prompt.

    Attributes:
        task: One of `FORMS`.
        right: What a right answer says, by unit asked for.
        wrong: By the same, what wrong answers may say; a unit without any is left out of them.
        options: Those offered, as shown.
    """

    task: str
    passage: Passage
    right: Mapping[str, str]
    wrong: Mapping[str, tuple[str, ...]]
    options: tuple[str, ...]


class PlantedMaker:
    """Answers the prompts of one experiment, and no others."""

    def __init__(
        self, questions: Mapping[bytes, Question], experiment: str, memory: Memory, seed: int
    ) -> None:
        """Take what is known.

        Args:
            questions: By the digest of the prompt's text.
            experiment: Its name, for the message of an unknown prompt.
            memory: The kind of subject.
            seed: Of all draws.
        """
        self._questions, self._experiment = questions, experiment
        self._memory, self._seed = memory, seed

    def make(self, asked: Asked, choice: int) -> Made:
        """A subject's reply.

        Raises:
            UnknownPrompt: The prompt is none of the experiment.
        """
        digest = text_digest(asked.text)
        question = self._questions.get(digest)
        if question is None:
            raise UnknownPrompt(self._experiment)
        sample = f"{asked.body.get('seed', '')}\x1f{choice}"
        own = (f"{self._seed}", asked.model, digest.hex(), sample)
        ended = even("reply", *own)[0]
        if ended < self._memory.refuse:
            return made(asked, REFUSAL, refused=asked.chat)
        if ended < self._memory.refuse + self._memory.garble:
            return made(asked, GARBLED)
        subject = Subject(memory=self._memory, seed=self._seed, name=asked.model)
        if subject.recognises(question.passage):
            return made(asked, in_form(asked, choice, said(question, question.right)))
        answer = {}
        for label, right in question.right.items():
            reasoned, drawn, _, _ = even("unit", *own, label)
            wrong = question.wrong[label]
            if reasoned < self._memory.skill:
                answer[label] = right
            elif wrong:
                answer[label] = wrong[int(drawn * len(wrong))]
        return made(asked, in_form(asked, choice, said(question, answer)) if answer else GARBLED)


def said(question: Question, answer: Mapping[str, str]) -> Said:
    """An answer in its task's form."""
    return FORMS[question.task](answer, question)


FORMS: Final[Mapping[str, Callable[[Mapping[str, str], Question], Said]]] = {
    "character_guessing": lambda answer, _: speakers_said(answer),
    "source_identification": lambda answer, _: title_said(answer["title"]),
    "personality": lambda answer, question: trait_said(
        answer["trait"], letter_of(answer["trait"], question.options)
    ),
    "question_answering": lambda answer, _: words_said(answer["answer"]),
}
"""Tasks whose answers are right or wrong by unit, and how they are written."""
