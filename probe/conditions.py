"""One item under every condition: names x descriptions x wordings x prompts.

Pure: what the experiment file names is read before, and stands here as values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import product
from typing import Final

from prompts import (
    Character,
    Descriptions,
    Item,
    Manner,
    NamePolicy,
    Names,
    Prompt,
    PromptName,
    SetAside,
    TextSpan,
    Wording,
    render,
    show,
)
from prompts.descriptions import NONE
from prompts.tasks import Task, task_named
from prompts.wordings import OWN
from store.keys import canonical, digest

_HASH_DIGITS: Final = 32
_CHARACTER: Final = tuple(field.name for field in fields(Character))
_SPAN: Final = tuple(field.name for field in fields(TextSpan))


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One item under one condition, ready for any model; `item` is as its dataset has it."""

    item: Item
    item_hash: str
    prompt_hash: str
    choices: str
    prompt: Prompt

    @property
    def place(self) -> list[str]:
        """What tells it from the same names and prompt asked otherwise; empty for the usual way."""
        manner = self.prompt.manner
        if manner.wording.name == OWN and manner.descriptions == NONE:
            return []
        return [manner.wording.name, manner.descriptions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """An item that could not be shown under a name strategy, or with some descriptions.

    Attributes:
        descriptions: Their id; None where the names alone are the reason.
    """

    item: Item
    names: Names
    reason: str
    descriptions: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Under which conditions an experiment asks."""

    names: Sequence[Names]
    prompts: Sequence[PromptName]
    policy: NamePolicy
    wordings: Sequence[Wording] = (Wording(),)
    descriptions: Sequence[Descriptions] = field(default=(Descriptions(),))

    def identity(self) -> list[object]:
        """What stands for the content of the files it was read from."""
        return [
            [[each.name, each.instructions] for each in self.wordings],
            [[each.name, each.by_work] for each in self.descriptions],
            {name: asdict(own) for name, own in self.policy.maps.items()},
        ]

    def conditions(self, item: Item, choices: str, aside: list[Aside]) -> Iterator[Condition]:
        """An item under every condition; what it cannot be shown under is added to `aside`."""
        item_hash = hash_item(item)
        for names in self.names:
            try:
                shown = show(item, names, self.policy)
            except SetAside as error:
                aside.append(Aside(item=item, names=names, reason=error.reason))
                continue
            for manner in self._manners(item, names, aside):
                prompt = render(shown, manner)
                yield Condition(
                    item=item,
                    item_hash=item_hash,
                    prompt_hash=hash_prompt(item_hash, prompt),
                    choices=choices,
                    prompt=prompt,
                )

    def _manners(self, item: Item, names: Names, aside: list[Aside]) -> Iterator[Manner]:
        task = task_named(item.task)
        prompts = asked_prompts(task, self.prompts)
        if task.asks != "reply":  # a bare passage has neither wording nor descriptions
            yield from (Manner(prompt=prompt) for prompt in prompts)
            return
        for described in self.descriptions:
            try:
                block = described.block(item)
            except SetAside as error:
                own = described.name
                aside.append(Aside(item=item, names=names, reason=error.reason, descriptions=own))
                continue
            for wording, prompt in product(self.wordings, prompts):
                yield Manner(
                    prompt=prompt, wording=wording, descriptions=described.name, block=block
                )


def asked_prompts(task: Task, prompts: Sequence[PromptName]) -> list[PromptName]:
    """Those of an experiment's prompts that a task is asked under; a bare passage has one."""
    if task.asks != "reply":
        return list(task.prompts)
    return [prompt for prompt in prompts if prompt in task.prompts]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemColumns:
    """An item as its table holds it; JSON columns as canonical JSON."""

    task: str
    dataset: str
    item_id: str
    work: str
    text: str
    question: str
    gold: str
    accepted: str
    options: str
    cast: str
    culture: str
    notes: str
    spans: str
    scene: str
    document: str
    part: int
    parts: int
    flags: str

    @classmethod
    def of(cls, item: Item) -> ItemColumns:
        """The columns of an item."""
        return cls(
            task=item.task,
            dataset=item.dataset,
            item_id=item.item_id,
            work=item.work,
            text=item.text,
            question=item.question,
            gold=canonical(item.gold),
            accepted=canonical(item.accepted),
            options=canonical(item.options),
            cast=canonical([_values(each, _CHARACTER) for each in item.cast]),
            culture=item.culture,
            notes=canonical(item.notes),
            spans=canonical([_values(each, _SPAN) for each in item.spans]),
            scene=item.scene,
            document=item.document,
            part=item.part,
            parts=item.parts,
            flags=canonical(item.flags),
        )


def _values(of: Character | TextSpan, names: Sequence[str]) -> dict[str, object]:
    return {name: getattr(of, name) for name in names}


def hash_item(item: Item) -> str:
    """What stands for everything an item says: the start of its sha256, in hex (128 bits)."""
    return digest(asdict(ItemColumns.of(item)))[:_HASH_DIGITS]


def hash_prompt(item_hash: str, prompt: Prompt) -> str:
    """What stands for an item under a condition: what is sent, what is right, what is measured."""
    item, manner = prompt.item, prompt.manner
    parts: list[object] = [item_hash, prompt.shown.names, prompt.prompt, prompt.text, prompt.schema]
    parts += [item.gold, item.options, item.accepted, manner.wording.name, manner.descriptions]
    if prompt.shown.names_at:
        parts.append(prompt.shown.names_at)
    return digest(parts)[:_HASH_DIGITS]
