"""Tasks that send a passage alone: nothing is asked before it, and no form of answer after it.

What a base model does with a text shows what it remembers of it only where nothing but the text
stands before it: an instruction would be one more thing that is continued or found likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prompts.item import Item, PromptName
from prompts.tasks.base import Answer, Asks, GoldIs, Marked, Measure, TaskBase, Unit, Unparsed


class BarePassage(TaskBase):
    """A passage that is sent as it stands."""

    prompts: tuple[PromptName, ...] = ("baseline",)
    needs_options = False
    placeholder = "P"

    def instruction(self, prompt: PromptName) -> str:
        """None: nothing is said."""
        del prompt
        return ""

    def passage(self, item: Item) -> str:
        """The passage alone."""
        return item.text

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """None: nothing is asked."""
        del gold, options
        return ""

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: nothing is drawn at random here."""
        del gold, options


class LikelihoodTask(BarePassage):
    """A passage whose tokens' probabilities are read; each such task says what it measures."""

    asks: Asks = "likelihood"
    unit: Unit = "nats"
    gold_is: GoldIs = "kept"

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """Nothing: no reply is asked for."""
        del reply, gold, options
        return Unparsed("the task asks for likelihoods, not for a reply")

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """No unit: nothing is right or wrong here."""
        del answer, gold, accepted
        return Marked(right=0, units=0)


def values_at(values: Sequence[float | None], tokens: Sequence[int]) -> list[float]:
    """What is known of some tokens, in their order.

    Args:
        values: One a token; none at all where the endpoint does not tell.
        tokens: Their numbers, from 0.
    """
    told = [values[at] for at in tokens] if values else []
    return [value for value in told if value is not None]


def mean_of(metric: str, values: Sequence[float], *, headline: bool = False) -> Measure:
    """A metric that is a mean: over nothing where there are no values, so that it stays undefined.

    Pooled over passages it is the mean over all their tokens, of which a long one has more.
    """
    return Measure(metric=metric, num=sum(values), den=len(values), headline=headline)
