"""Wordings of the instructions as data: the treatment itself, so an experiment may bring others.

Format: TOML, a table a task, in it a text a prompt:

    [character_guessing]
    baseline = "…"
    verbatim = "…"
    gist = "…"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from prompts.datasets.base import read_text
from prompts.errors import DatasetError, UnknownName
from prompts.item import PROMPTS, PromptName
from prompts.tasks.registry import TASKS

OWN: Final = "own"
"""The id of the tasks' own wording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One wording of the instructions.

    Attributes:
        name: Its id, in tables.
        instructions: Task -> prompt -> what is said; of the tasks' own wording nothing is here.
    """

    name: str = OWN
    instructions: Mapping[str, Mapping[PromptName, str]] = field(default_factory=dict)

    def instruction(self, task: str, prompt: PromptName) -> str:
        """What it says for a prompt of a task; the task's own words where it is the own wording."""
        if self.name == OWN:
            return TASKS[task].instruction(prompt)
        return self.instructions[task][prompt]

    def missing(self, tasks: Iterable[str], prompts: Iterable[PromptName]) -> list[str]:
        """Prompts it does not word, as `task.prompt`."""
        if self.name == OWN:
            return []
        worded = [TASKS[task] for task in dict.fromkeys(tasks) if TASKS[task].asks == "reply"]
        asked = [(own.name, each) for own in worded for each in prompts if each in own.prompts]
        return [
            f"{task}.{prompt}"
            for task, prompt in asked
            if prompt not in self.instructions.get(task, {})
        ]


def read_wording(path: Path, name: str) -> Wording:
    """A file of wordings, checked.

    Raises:
        DatasetError: It is missing, not TOML, or names a task or prompt that there is not.
    """
    try:
        raw = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DatasetError(path, "", f"not TOML ({error})", "mend the line") from None
    return Wording(name=name, instructions={task: _prompts(path, task, raw[task]) for task in raw})


def _prompts(path: Path, task: str, raw: object) -> dict[PromptName, str]:
    if task not in TASKS:
        unknown = UnknownName("task", task, TASKS)
        raise DatasetError(path, f"[{task}]", str(unknown), "name a table after a task")
    if not isinstance(raw, dict):
        found = f"expected a table, found {raw!r:.60}"
        raise DatasetError(path, task, found, 'write [task] and below it baseline = "…"')
    found_prompts: dict[PromptName, str] = {}
    for name, text in raw.items():
        prompt = next((known for known in PROMPTS if known == name), None)
        if prompt is None:
            unknown = UnknownName("prompt", str(name), PROMPTS)
            raise DatasetError(path, f"[{task}]", str(unknown), "rename the key")
        if not isinstance(text, str) or not text.strip():
            found = f"no text under {name}"
            raise DatasetError(path, f"[{task}]", found, "give the instruction as a string")
        found_prompts[prompt] = text.strip()
    return found_prompts
