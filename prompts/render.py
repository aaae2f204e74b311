"""Item x names x prompt -> a frozen prompt.

`show` puts an item under a name strategy: passage, question, options, gold and spans together, or
not at all. `render` adds the wording. Both are pure, and the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from prompts.descriptions import Descriptions
from prompts.errors import SetAside
from prompts.item import Item, Names, PromptName, TextSpan
from prompts.likelihood import Place
from prompts.names.align import Alignment, Edit, SpanInsideName
from prompts.names.audit import Audit, audit
from prompts.names.maps import NamedMap
from prompts.names.planning import NameOptions, plan_map
from prompts.names.replace import NameMap
from prompts.names.replace import replace as replace_names
from prompts.names.strategies import strategy_named
from prompts.tasks.base import Task
from prompts.tasks.registry import task_named
from prompts.wordings import Wording

NOT_NAMED = "character_not_in_text"
"""Flag of an item that asks about someone its passage never names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePolicy:
    """How an experiment replaces names.

    Attributes:
        cross_culture: List that `cross_culture` draws from; a work of that culture draws from
            English instead.
        seed: The experiment's seed.
        match_length: Whether replacements are about as long as the names they replace.
        maps: Name maps of the experiment's own, by name.
    """

    cross_culture: str = "chinese"
    seed: int = 0
    match_length: bool = False
    maps: Mapping[str, NamedMap] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An item under one name strategy, with the account of what was replaced.

    Attributes:
        names_at: Where names stand in the passage, for tasks that ask for a likelihood.
    """

    item: Item
    names: Names
    name_map: NameMap
    audit: Audit
    names_at: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How an item is asked, beside its names.

    Attributes:
        block: What is known of its characters, under original names; empty for nothing.
        descriptions: Id of where that comes from.
    """

    prompt: PromptName
    wording: Wording = field(default_factory=Wording)
    descriptions: str = "none"
    block: str = ""

    @classmethod
    def of(
        cls, item: Item, prompt: PromptName, wording: Wording, described: Descriptions
    ) -> Manner:
        """For one item.

        Raises:
            SetAside: Descriptions are wanted, and there are none of its people.
        """
        return cls(
            prompt=prompt,
            wording=wording,
            descriptions=described.name,
            block=described.block(item),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What one condition of an item sends, and what a right reply to it says.

    Attributes:
        text: The user message.
        schema: JSON schema of an answer, for models that take one; None where it is prose.
        chance: Accuracy of a random answer, in [0, 1]; None for an open question.
    """

    shown: Shown
    manner: Manner
    text: str
    schema: dict[str, object] | None
    chance: float | None

    @property
    def item(self) -> Item:
        """The item, with names replaced."""
        return self.shown.item

    @property
    def prompt(self) -> PromptName:
        """Which of the wording's instructions."""
        return self.manner.prompt


def show(item: Item, names: Names, policy: NamePolicy) -> Shown:
    """An item under a name strategy.

    Raises:
        SetAside: A name, label, span or option cannot be mapped with the text.
        UnknownName: There is no such strategy.
    """
    task = task_named(item.task)
    strategy_named(names, policy.maps)
    if names != "original" and NOT_NAMED in item.flags:
        raise SetAside(item.item_id, "its passage never names whom it asks about")
    # Titles and traits are not names: under every strategy they stay.
    mapped = item.options if task.gold_is == "option" else ()
    own_texts = (*item.gold.values(), *item.accepted) if task.gold_is == "text" else ()
    planned = _Planned(item=item, task=task, policy=policy, texts=(*mapped, *own_texts))
    name_map = planned.names_as(names)
    changed = replace_names(item.text, name_map)
    options = tuple(_renamed(option, name_map) for option in mapped) or item.options
    if len(set(options)) < len(set(item.options)):
        raise SetAside(item.item_id, "two options become the same name")
    by_option = dict(zip(item.options, options, strict=True))
    spans = _moved(item, changed.alignment)
    moved = replace(
        item,
        # A passage that is one of the options is shown alike.
        text=by_option.get(item.text, changed.text) if mapped else changed.text,
        question=replace_names(item.question, name_map).text,
        options=options,
        spans=spans,
    )
    shown = _with_gold(item, moved, task, name_map)
    account = audit(changed, name_map, item.cast, work=item.work)
    places: tuple[Place, ...] = ()
    if task.asks == "likelihood":
        masked = replace_names(item.text, planned.names_as("masked"))
        places = _names_at(masked.edits, changed.alignment)
    return Shown(item=shown, names=names, name_map=name_map, audit=account, names_at=places)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """An item whose names are to be mapped.

    Attributes:
        texts: Options and answers that are mapped with it.
    """

    item: Item
    task: Task
    policy: NamePolicy
    texts: tuple[str, ...]

    def names_as(self, names: Names) -> NameMap:
        item, policy = self.item, self.policy
        try:
            return plan_map(
                item,
                strategy_named(names, policy.maps),
                texts=(item.text, item.question, *self.texts),
                options=NameOptions(
                    cross_culture=policy.cross_culture,
                    seed=policy.seed,
                    match_length=policy.match_length,
                    # Numbered by appearance, the masks would give the speakers away.
                    shuffle_masks=self.task.placeholder != "P",
                ),
                placeholder=self.task.placeholder,
            )
        except SetAside as error:
            raise SetAside(item.item_id, error.reason) from None


def _names_at(masked: Sequence[Edit], alignment: Alignment) -> tuple[Place, ...]:
    """Where names stand in a shown text: what masks would cover, titles too, and what was replaced.

    So what lies outside them is the same under every strategy.
    """
    found = list(_new_places(alignment.edits))
    for edit in masked:
        with suppress(SpanInsideName):  # then what was replaced reaches further, and counts
            there = alignment.span(edit.start, edit.end)
            found.append((there.start, there.end))
    places: list[Place] = []
    for start, end in sorted(found):
        if places and start <= places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    return tuple(places)


def _new_places(edits: Sequence[Edit]) -> Iterator[Place]:
    """Where the replacements stand in the text they were made in."""
    shift = 0
    for edit in edits:
        start = edit.start + shift
        yield start, start + len(edit.new)
        shift += len(edit.new) - len(edit.old)


def _renamed(option: str, name_map: NameMap) -> str:
    return name_map.people.get(option) or replace_names(option, name_map).text


def _moved(item: Item, alignment: Alignment) -> tuple[TextSpan, ...]:
    """The item's spans in the new text."""
    if not alignment.edits:
        return item.spans
    moved = []
    for span in item.spans:
        try:
            there = alignment.span(span.start, span.end)
        except SpanInsideName as error:
            reason = f"the span {span.label!r} ends inside the name {error.name!r}"
            raise SetAside(item.item_id, reason) from None
        moved.append(TextSpan(label=span.label, start=there.start, end=there.end))
    return tuple(moved)


def _with_gold(item: Item, moved: Item, task: Task, name_map: NameMap) -> Item:
    """The item as it is shown, with the gold answer under the same names."""
    if task.gold_is in {"kept", "label"}:
        return moved
    if task.gold_is == "option":
        by_option = dict(zip(item.options, moved.options, strict=True))
        gold = {label: by_option.get(name, "") for label, name in item.gold.items()}
        if not all(gold.values()):
            raise SetAside(item.item_id, "a gold name is not among the options")
        return replace(moved, gold=gold)
    stretches = {span.label: moved.text[span.start : span.end] for span in moved.spans}
    gold = {
        label: stretches[label] if label in stretches else _renamed(value, name_map)
        for label, value in item.gold.items()
    }
    accepted = tuple(_renamed(text, name_map) for text in item.accepted)
    return replace(moved, gold=gold, accepted=accepted)


def render(shown: Shown, manner: Manner) -> Prompt:
    """The prompt for an item as it is shown, asked in a manner; a bare passage has none."""
    item = shown.item
    task = task_named(item.task)
    if task.asks != "reply":
        text = task.passage(item)
        return Prompt(shown=shown, manner=manner, text=text, schema=None, chance=None)
    described = replace_names(manner.block, shown.name_map).text
    parts = (
        task.said_of(item, manner.wording.instruction(item.task, manner.prompt)),
        described,
        task.passage(item),
        task.answer_format(item.gold, item.options),
    )
    return Prompt(
        shown=shown,
        manner=manner,
        text="\n\n".join(part for part in parts if part),
        schema=task.schema(item.gold, item.options),
        chance=task.chance(item.gold, item.options),
    )
