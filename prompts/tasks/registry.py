"""Every task by its name."""

from __future__ import annotations

from prompts.errors import UnknownName
from prompts.tasks.base import Task
from prompts.tasks.character_description import CHARACTER_DESCRIPTION
from prompts.tasks.character_guessing import CHARACTER_GUESSING
from prompts.tasks.similar_characters import (
    MOST_SIMILAR_CHARACTER,
    MOST_SIMILAR_CHARACTER_REASONED,
    TEN_MOST_SIMILAR_CHARACTERS,
)
from prompts.tasks.source_identification import SOURCE_IDENTIFICATION

_ALL: tuple[Task, ...] = (
    CHARACTER_GUESSING,
    SOURCE_IDENTIFICATION,
    CHARACTER_DESCRIPTION,
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
