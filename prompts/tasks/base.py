"""What a task is: how it asks, and how its replies are read.

A parser gives an answer or says why there is none; it never guesses a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from prompts.item import PROMPTS, Item, PromptName
from prompts.likelihood import Likelihood, Place


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says, label by label, in the words of the options or of the reply."""

    value: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A reply that holds no answer, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What one answer adds to a metric: sums, so that conditions, windows and items pool.

    Over any set of answers a plain metric is `sum(num) / sum(den)`: an accuracy, or a mean where
    each `den` is 1. One with recall is an F1: `sum(num) / sum(den)` is the precision,
    `sum(recall_num) / sum(recall_den)` the recall; a precision or recall over nothing counts as 0
    as long as the other is over something.

    Attributes:
        metric: Its name in tables, such as `accuracy` or `rouge1`.
        headline: Whether it is part of the task's headline, which is the mean of all that are.
    """

    metric: str
    num: float
    den: float
    recall_num: float | None = None
    recall_den: float | None = None
    headline: bool = False


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer held against gold.

    Attributes:
        right: Units answered rightly, where answers are right or wrong (count).
        units: Units asked for: speakers of a scene, or 1 for a title; 0 where answers are more or
            less good, or nothing is right (count).
        measures: What the answer adds to each of the task's metrics; the same metrics for every
            answer. None where nothing is right or wrong.
    """

    right: int
    units: int
    measures: tuple[Measure, ...] = ()


def counted(right: int, units: int, *more: Measure) -> Marked:
    """Answers that are right or wrong: `accuracy` is the headline."""
    accuracy = Measure(metric="accuracy", num=right, den=units, headline=True)
    return Marked(right=right, units=units, measures=(accuracy, *more))


GoldIs: TypeAlias = Literal["option", "kept", "span", "label", "text"]
"""What the values of a gold answer are, and so how a name strategy changes them.

`option`: one of the item's options, which are mapped like names. `kept`: a title or a trait, which
no strategy changes, nor the options.
`span`: the words of the span of that label; a label without a span is a speaker, mapped like a
name. `label`: something about the span or person of that label that holds under any names, such as
the number of a cluster. `text`: a text of its own, in which names are replaced.
"""


Asks: TypeAlias = Literal["reply", "continuation", "likelihood"]
"""What is asked of the model. `reply`: an answer to an instruction, by chat or completion.
`continuation`: what follows the passage, which is sent alone as a completion. `likelihood`: nothing
is written; how likely the model finds each token of the passage.
"""


Decoding: TypeAlias = Literal["told", "greedy", "drawn"]
"""How a reply is decoded: as the model's parameters say, at temperature 0, or above it."""
Unit: TypeAlias = Literal["share", "nats"]
"""Of a metric: a share in [0, 1], or natural logarithms a token."""


class Task(Protocol):
    """One of the tasks of the papers, or another probe."""

    name: str
    source: str
    """Paper and section the task comes from."""
    version: int
    """Goes up with every change to the parser or the marking; scores record it."""
    needs_options: bool
    """Whether the task always offers its options."""
    placeholder: str
    """Letter of the masks under the strategy `masked`."""
    gold_is: GoldIs
    """What its gold answers are made of."""
    asks: Asks
    """What is asked of the model."""
    prompts: tuple[PromptName, ...]
    """The prompts it has wordings for; under others it is not asked."""
    reply_tokens: int | None
    """Tokens its replies may take, whatever the model's parameters say (count); None: as they say.
    """
    unit: Unit
    """Of its headline."""
    joined: bool
    """Whether the replies to the windows of a document are joined and marked as one answer; else
    each window is marked by itself and their measures are pooled."""

    def decoding(self, sample: int) -> Decoding:
        """How one of its samples is decoded, counted from 0."""
        ...

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        ...

    def said_of(self, item: Item, instruction: str) -> str:
        """An instruction, in whichever wording, as it is given for one item."""
        ...

    def passage(self, item: Item) -> str:
        """The passage and what is asked about it, as shown: with the marks of mentions, if any."""
        ...

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """What stands after the passage: the options, and how to answer."""
        ...

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object] | None:
        """JSON schema of an answer, for endpoints that take one; None where answers are prose."""
        ...

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> float | None:
        """Accuracy of an answer drawn at random from the options; None where there are none."""
        ...

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """Read a reply, prose or JSON. `gold` gives the labels asked for, never the answers."""
        ...

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """Hold an answer against gold; an unparsed reply has nothing right."""
        ...

    def measure(self, likelihood: Likelihood, text: str, names: Sequence[Place]) -> Marked:
        """What a likelihood adds to the task's metrics; for tasks that ask for one.

        Args:
            likelihood: Of the text.
            text: The passage as shown.
            names: Where names stand in it.
        """
        ...


class TaskBase:
    """What most tasks have in common; each says otherwise where it differs."""

    asks: Asks = "reply"
    prompts: tuple[PromptName, ...] = PROMPTS
    reply_tokens: int | None = None
    unit: Unit = "share"
    joined = False

    def measure(self, likelihood: Likelihood, text: str, names: Sequence[Place]) -> Marked:
        """Nothing: the task asks for no likelihood."""
        del likelihood, text, names
        return Marked(right=0, units=0)

    def decoding(self, sample: int) -> Decoding:
        """As the model's parameters say."""
        del sample
        return "told"

    def said_of(self, item: Item, instruction: str) -> str:
        """The instruction as it is: it says the same of every item."""
        del item
        return instruction

    def passage(self, item: Item) -> str:
        """The passage, with the item's own question below it where it has one."""
        return f"{item.text}\n\n{item.question}" if item.question else item.text

    def schema(self, gold: Mapping[str, str], options: Sequence[str]) -> dict[str, object] | None:
        """None: the answer is prose."""
        del gold, options
        return None
