"""The tasks: how each asks, and how its replies are read and marked."""

from prompts.likelihood import Likelihood
from prompts.tasks.base import Answer, Marked, Measure, Task, Unparsed
from prompts.tasks.peakedness import XI, peakedness
from prompts.tasks.registry import TASKS, task_named
from prompts.tasks.similar_replies import Ranking, ranking

__all__ = [
    "TASKS",
    "XI",
    "Answer",
    "Likelihood",
    "Marked",
    "Measure",
    "Ranking",
    "Task",
    "Unparsed",
    "peakedness",
    "ranking",
    "task_named",
]
