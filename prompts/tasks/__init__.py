"""The tasks: how each asks, and how its replies are read and marked."""

from prompts.tasks.base import Answer, Marked, Task, Unparsed
from prompts.tasks.registry import TASKS, task_named

__all__ = ["TASKS", "Answer", "Marked", "Task", "Unparsed", "task_named"]
