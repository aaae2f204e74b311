"""What a task is: how it asks, and how its replies are read.

A parser gives an answer or says why there is none; it never guesses a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from prompts.item import PromptName


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says, label by label, in the words of the options or of the reply."""

    value: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A reply that holds no answer, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer held against gold.

    Attributes:
        right: Units answered rightly (count).
        units: Units asked for: speakers of a scene, or 1 for a title (count).
    """

    right: int
    units: int


class Task(Protocol):
    """One of the tasks of the papers."""

    name: str
    source: str
    """Paper and section the task comes from."""
    version: int
    """Goes up with every change to the parser or the marking; scores record it."""
    needs_options: bool
    """Whether the task always offers its options."""
    placeholder: str
    """Letter of the masks under the strategy `masked`."""

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        ...

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """What stands after the passage: the options, and how to answer."""
        ...

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> float | None:
        """Accuracy of an answer drawn at random from the options; None where there are none."""
        ...

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """Read a reply. `gold` gives the labels asked for, never the answers."""
        ...

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Hold an answer against gold; an unparsed reply has no unit right."""
        ...
