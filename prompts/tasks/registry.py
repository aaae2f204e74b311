"""Every task by its name."""

from __future__ import annotations

from prompts.errors import UnknownName
from prompts.tasks.base import Task
from prompts.tasks.character_description import CHARACTER_DESCRIPTION
from prompts.tasks.character_guessing import CHARACTER_GUESSING
from prompts.tasks.control_test import CONTROL_TEST
from prompts.tasks.coreference import COREFERENCE
from prompts.tasks.decop import DECOP
from prompts.tasks.extraction import EXTRACTION
from prompts.tasks.guided_instruction import GUIDED_INSTRUCTION
from prompts.tasks.lowercase_likelihood import LOWERCASE_LIKELIHOOD
from prompts.tasks.name_cloze import NAME_CLOZE
from prompts.tasks.output_distribution import OUTPUT_DISTRIBUTION
from prompts.tasks.passage_likelihood import PASSAGE_LIKELIHOOD
from prompts.tasks.personality import PERSONALITY
from prompts.tasks.prefix_continuation import PREFIX_CONTINUATION
from prompts.tasks.question_answering import QUESTION_ANSWERING
from prompts.tasks.role_detection import ROLE_DETECTION
from prompts.tasks.similar_characters import (
    MOST_SIMILAR_CHARACTER,
    MOST_SIMILAR_CHARACTER_REASONED,
    TEN_MOST_SIMILAR_CHARACTERS,
)
from prompts.tasks.source_identification import SOURCE_IDENTIFICATION
from prompts.tasks.summarization import SUMMARIZATION

_ALL: tuple[Task, ...] = (
    CHARACTER_GUESSING,
    COREFERENCE,
    PERSONALITY,
    QUESTION_ANSWERING,
    ROLE_DETECTION,
    SUMMARIZATION,
    SOURCE_IDENTIFICATION,
    CHARACTER_DESCRIPTION,
    CONTROL_TEST,
    MOST_SIMILAR_CHARACTER,
    MOST_SIMILAR_CHARACTER_REASONED,
    TEN_MOST_SIMILAR_CHARACTERS,
    PASSAGE_LIKELIHOOD,
    LOWERCASE_LIKELIHOOD,
    EXTRACTION,
    PREFIX_CONTINUATION,
    OUTPUT_DISTRIBUTION,
    NAME_CLOZE,
    DECOP,
    GUIDED_INSTRUCTION,
)
TASKS: dict[str, Task] = {task.name: task for task in _ALL}


def task_named(name: str) -> Task:
    """The task of that name.

    Raises:
        UnknownName: There is none; the message names the nearest.
    """
    try:
        return TASKS[name]
    except KeyError:
        raise UnknownName("task", name, TASKS) from None
