"""The tasks: how each asks, and how its replies are read and marked."""

from prompts.likelihood import Likelihood
from prompts.tasks.base import Answer, Marked, Measure, Task, Unparsed
from prompts.tasks.registry import TASKS, task_named
from prompts.tasks.similar_replies import Ranking, ranking

__all__ = [
    "TASKS",
    "Answer",
    "Likelihood",
    "Marked",
    "Measure",
    "Ranking",
    "Task",
    "Unparsed",
    "ranking",
    "task_named",
]
