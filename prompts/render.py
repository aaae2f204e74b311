"""Item x names x prompt -> a frozen prompt.

`show` puts an item under a name strategy: passage, options, gold and labels together, or not at
all. `render` adds the wording. Both are pure, and the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from prompts.datasets.base import shuffled
from prompts.errors import SetAside
from prompts.item import Character, Item, Names, PromptName
from prompts.names.audit import Audit, audit
from prompts.names.replace import NameMap, fold, name_phrase, plan_names, words
from prompts.names.replace import replace as replace_names
from prompts.tasks.base import Task
from prompts.tasks.registry import task_named


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePolicy:
    """How an experiment replaces names.

    Attributes:
        cross_culture: List that `cross_culture` draws from; a work of that culture draws from
            English instead.
        seed: The experiment's seed.
    """

    cross_culture: str = "chinese"
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An item under one name strategy, with the account of what was replaced."""

    item: Item
    names: Names
    name_map: NameMap
    audit: Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What one condition of an item sends, and what a right reply to it says.

    Attributes:
        text: The user message.
        chance: Accuracy of a random answer, in [0, 1]; None for an open question.
    """

    shown: Shown
    prompt: PromptName
    text: str
    chance: float | None

    @property
    def item(self) -> Item:
        """The item, with names replaced."""
        return self.shown.item


def _present(item: Item) -> list[Character]:
    """The cast members that the item's text or options may name, in order of first appearance."""
    first = _first_places((item.text, *item.options))
    placed = []
    for character in item.cast:
        own = [word for form in character.forms for word in name_phrase(form)]
        at = [first[fold(word)] for part in own for word in words(part) if fold(word) in first]
        if at and character.proper:
            placed.append((min(at), character))
    return [character for _, character in sorted(placed, key=lambda pair: pair[0])]


@lru_cache(maxsize=2)  # the same under every strategy
def _first_places(texts: tuple[str, ...]) -> dict[str, int]:
    """Folded word -> its first place among the words of some texts."""
    all_words = [word for text in texts for word in words(text)]
    return {fold(word): at for at, word in reversed(list(enumerate(all_words)))}


def show(item: Item, names: Names, policy: NamePolicy) -> Shown:
    """An item under a name strategy.

    Raises:
        SetAside: A name, label or option cannot be mapped with the text.
    """
    task = task_named(item.task)
    cast = _present(item)
    if names == "masked" and task.placeholder != "P":
        # Numbered by appearance, the masks would give the speakers away.
        cast = list(shuffled(cast, policy.seed, item.dataset, item.item_id, "masks"))
    culture = item.culture
    if names == "cross_culture":
        culture = policy.cross_culture if policy.cross_culture != item.culture else "english"
    # Titles are not names: under every strategy the question is about the same works.
    mapped = item.options if task.needs_options else ()
    try:
        name_map = plan_names(
            cast,
            (item.text, *mapped),
            names,
            culture=culture,
            seed=f"{policy.seed}|{item.dataset}|{item.work}|{names}|{culture}",
            placeholder=task.placeholder,
        )
    except SetAside as error:
        raise SetAside(item.item_id, error.reason) from None
    changed = replace_names(item.text, name_map)
    account = audit(changed, name_map, cast)
    options = tuple(_renamed(option, name_map) for option in mapped) or item.options
    if len(set(options)) < len(item.options):
        raise SetAside(item.item_id, "two options become the same name")
    gold, text = item.gold, changed.text
    if task.needs_options:
        by_option = dict(zip(item.options, options, strict=True))
        gold = {label: by_option.get(name, "") for label, name in item.gold.items()}
        if not all(gold.values()):
            raise SetAside(item.item_id, "a gold name is not among the options")
        text = by_option.get(item.text, text)  # a passage that is one of them is shown alike
    shown = replace(item, text=text, options=options, gold=gold)
    return Shown(item=shown, names=names, name_map=name_map, audit=account)


def _renamed(option: str, name_map: NameMap) -> str:
    return name_map.people.get(option) or replace_names(option, name_map).text


def render(
    shown: Shown, prompt: PromptName, wording: Mapping[PromptName, str] | None = None
) -> Prompt:
    """The prompt for an item as it is shown.

    Args:
        shown: The item under a name strategy.
        prompt: Which of the task's wordings.
        wording: Instructions to use in place of the task's own, by prompt.
    """
    task: Task = task_named(shown.item.task)
    item = shown.item
    instruction = (wording or {}).get(prompt) or task.instruction(prompt)
    parts = (instruction, item.text, task.answer_format(item.gold, item.options))
    return Prompt(
        shown=shown,
        prompt=prompt,
        text="\n\n".join(parts),
        chance=task.chance(item.gold, item.options),
    )
