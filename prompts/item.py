"""What a dataset yields: items, with their work, their cast and their gold answer.

Pure values. The vocabulary of name strategies and prompts is defined here, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Names: TypeAlias = str
"""A name strategy, or a named map; `prompts.names.strategies` knows them all."""
PromptName: TypeAlias = Literal["baseline", "verbatim", "gist"]
Gender: TypeAlias = Literal["female", "male", "unknown"]
Choices: TypeAlias = Literal["open", "options"]

NAMES: tuple[Names, ...] = ("original", "masked", "same_culture", "cross_culture")
PROMPTS: tuple[PromptName, ...] = ("baseline", "verbatim", "gist")


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """One member of a work's cast.

    Attributes:
        name: The name as it is shown in labels and options.
        aliases: Other forms the text uses for the same person, titles allowed.
        gender: Decides which list a replacement comes from.
        proper: Whether the name is a proper name. Roles ("First Clown") are not, and keep
            their wording under every strategy.
    """

    name: str
    aliases: tuple[str, ...] = ()
    gender: Gender = "unknown"
    proper: bool = True

    @property
    def forms(self) -> tuple[str, ...]:
        """The name and its aliases."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """A stretch of an item's text that something is said about.

    Attributes:
        label: A key of the item's gold answer; several spans may share one.
        start: First code point of the text.
        end: One past the last.
    """

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question of a dataset.

    Attributes:
        item_id: Unique within its dataset and task.
        work: The book, play or show it comes from.
        text: The passage shown to the model.
        gold: What a right answer says, label by label. What the values are is for the task to say
            (`Task.gold_is`): names, titles, traits, clusters, texts.
        question: What is asked about the passage, where that is the item's own.
        spans: Mentions or answers in `text`, by label of `gold`; a name strategy moves them with
            the text.
        accepted: Further spellings of the gold answer that count as right.
        options: Answers offered to the model, in the order shown; empty for an open question.
        cast: People the name strategies may rename.
        culture: The culture of the cast's names, a key of the name lists.
        scene: What the item shares with its neighbours, such as a scene or an episode: intervals
            resample works, and scenes where there is only one work. The item's own id if empty.
        document: The longer text that the item is a window of; empty for a whole.
        part: Which window, from 0.
        parts: Windows of the document (count).
        flags: What to tell items apart by in tables, such as `title_in_text`.
        notes: What the reader had to mend, in words, for the audit.
    """

    item_id: str
    task: str
    dataset: str
    work: str
    text: str
    gold: Mapping[str, str]
    question: str = ""
    spans: tuple[TextSpan, ...] = ()
    accepted: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    cast: tuple[Character, ...] = ()
    culture: str = "english"
    scene: str = ""
    document: str = ""
    part: int = 0
    parts: int = 1
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
