"""Which characters are most alike? Three tasks that ask it of a numbered list of names.

Source: AustenAlike, section 4.3 and appendix B. The paper asks for the most similar character, for
the most similar one with reasons, and for the ten most similar, each in the plain question alone.
The words here are our own; the wordings `verbatim` (what is remembered of comparisons) and `gist`
(what the characters are like) are ours in substance too. As in the paper the list holds the target
itself, whose number the prompt forbids, and nothing asks for an order among the ten.

There is no right answer: a reply is read, never marked, so `score` is NULL and `units` 0. What the
answers are worth is found by holding them against a benchmark of similar characters.

What lands in `scores.answer`, with names as the prompt shows them:

- `most_similar_character`, `most_similar_character_reasoned`: `{"1": name}`;
- `ten_most_similar_characters`: `{"1": name, "2": name, …}`, up to `"10"`, in the reply's order,
  each name once. Fewer than ten keys are a reply that gives fewer; what a reply gives beyond ten,
  or beside the list, `ranking` tells from its text. JSON sorts the keys as text.

The target is never taken out of an answer: `prompts.gold` holds `{"target": name}`, its name as
shown, by which a model that chooses it is told. Under replaced names `prompts.name_map` gives
`{name: name shown}`; read backwards it leads from an answer to the characters, and a name that it
does not hold was shown as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prompts.item import PromptName
from prompts.tasks.base import Answer, GoldIs, Marked, TaskBase, Unparsed
from prompts.tasks.similar_replies import TEN, last_choice, one_choice, ranking

TARGET = "target"
"""The label that an item's gold has in place of an answer: the character to compare."""

_COMPARE: dict[PromptName, str] = {
    "baseline": (
        "Here is the name of a character. Which character of the numbered list below is the most "
        "similar to this one?"
    ),
    "verbatim": (
        "Here is the name of a character. Which character of the numbered list below is the most "
        "similar to this one? Work from direct recall alone: bring back what you have read that "
        "sets this character beside another, and go by that. Do not weigh for yourself what the "
        "characters are like."
    ),
    "gist": (
        "Here is the name of a character. Which character of the numbered list below is the most "
        "similar to this one? Work it out: think of the place each has in the story and in "
        "society, of how they relate to others, of what they do and what they are like. Do not go "
        "by what you remember others having said of them."
    ),
}
_COMPARE_TEN: dict[PromptName, str] = {
    prompt: words.replace(
        "Which character of the numbered list below is the most similar to this one?",
        "Which ten characters of the numbered list below are the most similar to this one? "
        "Consider every character of the list, whatever work they come from.",
    )
    for prompt, words in _COMPARE.items()
}


class MostSimilarCharacter(TaskBase):
    """The one character of a list that is most like the target."""

    name = "most_similar_character"
    source = "AustenAlike, section 4.3 and appendix B (top character)"
    version = 1
    needs_options = True
    gold_is: GoldIs = "option"
    placeholder = "N"  # masks in a shuffled order: by appearance the target would always be 0
    how = "Reply with the number of the character you choose and nothing else."

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _COMPARE[prompt]

    def answer_format(self, gold: Mapping[str, str], options: Sequence[str]) -> str:
        """The numbered list, the target's own number, and how to answer."""
        listed = "\n".join(f"{number}. {name}" for number, name in enumerate(options, start=1))
        target = gold[TARGET]
        own = options.index(target) + 1
        return f"The list:\n{listed}\n\nDo not choose {own}, which is {target}. {self.how}"

    def chance(self, gold: Mapping[str, str], options: Sequence[str]) -> None:
        """None: where nothing is right there is no chance of it."""
        del gold, options

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The character a reply chooses."""
        return _alone(one_choice(reply, options, gold[TARGET]))

    def mark(
        self, answer: Answer | Unparsed, gold: Mapping[str, str], accepted: Sequence[str]
    ) -> Marked:
        """No unit: nothing is right or wrong here."""
        del answer, gold, accepted
        return Marked(right=0, units=0)


class MostSimilarCharacterReasoned(MostSimilarCharacter):
    """The one character that is most like the target, after the reasons."""

    name = "most_similar_character_reasoned"
    source = "AustenAlike, section 4.3 and appendix B (top character with reasoning)"
    how = (
        "First describe your reasoning in a few sentences. Then end with the number of the "
        "character you choose, on a line of its own in the form\nAnswer: number"
    )

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The character a reply chooses in the end."""
        return _alone(last_choice(reply, options, gold[TARGET]))


class TenMostSimilarCharacters(MostSimilarCharacter):
    """The ten characters of a list that are most like the target."""

    name = "ten_most_similar_characters"
    source = "AustenAlike, section 4.3 and appendix B (top ten characters)"
    how = "Reply with ten different numbers of the list, separated by commas, and nothing else."

    def instruction(self, prompt: PromptName) -> str:
        """The wording of one prompt."""
        return _COMPARE_TEN[prompt]

    def parse(
        self, reply: str, gold: Mapping[str, str], options: Sequence[str]
    ) -> Answer | Unparsed:
        """The first ten characters a reply lists, or as many as there are."""
        del gold
        found = ranking(reply, options)
        if isinstance(found, Unparsed):
            return found
        return Answer({str(at): name for at, name in enumerate(found.names[:TEN], start=1)})


def _alone(name: str | Unparsed) -> Answer | Unparsed:
    return name if isinstance(name, Unparsed) else Answer({"1": name})


MOST_SIMILAR_CHARACTER = MostSimilarCharacter()
MOST_SIMILAR_CHARACTER_REASONED = MostSimilarCharacterReasoned()
TEN_MOST_SIMILAR_CHARACTERS = TenMostSimilarCharacters()
