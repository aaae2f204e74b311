"""Every task by its name."""

from __future__ import annotations

from prompts.errors import UnknownName
from prompts.tasks.base import Task
from prompts.tasks.character_description import CHARACTER_DESCRIPTION
from prompts.tasks.character_guessing import CHARACTER_GUESSING
from prompts.tasks.control_test import CONTROL_TEST
from prompts.tasks.coreference import COREFERENCE
from prompts.tasks.personality import PERSONALITY
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
