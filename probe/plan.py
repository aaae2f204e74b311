"""From an experiment file to cells, streamed.

Items are drawn with the seed; each item's cells follow one another, so that whatever part of a plan
has been asked holds whole items under every condition. Nothing here opens a socket or a database.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Container, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from probe.errors import PlanEmpty
from probe.spec import ModelSpec, Spec, TaskSpec
from prompts import Item, NamePolicy, Names, Prompt, SetAside, Shown, render, show
from prompts.datasets import Selection, dataset_named
from store.keys import canonical, cell_key, digest
from store.rows import CellRow, ItemRow, PromptRow, SetAsideRow

_CHARS_PER_TOKEN = 4
"""A common rule of thumb for English text; forecasts only."""
_DEFAULT_REPLY_TOKENS = 256
_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of the experiment, with what stands for it in keys.

    Attributes:
        endpoint: Its address or name; of a local model, the sha256 of its weights.
    """

    spec: ModelSpec
    endpoint: str

    def identity(self) -> dict[str, object]:
        """What stands for the model in its cells' keys, but for the sample.

        A local model's context length is part of it: a reply may be cut, or refused, by it.
        """
        local = self.spec.provider == "local"
        own = {"context_tokens": self.spec.context_tokens} if local else {}
        return {
            "api": "chat",
            "endpoint": self.endpoint,
            "model": "" if local else self.spec.model,
            "params": {**self.spec.params, **own},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A task of the experiment, with where its dataset lies."""

    task: TaskSpec
    root: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One item under one condition, ready for any model; `item` is as its dataset has it."""

    item: Item
    item_hash: str
    prompt_hash: str
    choices: str
    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: a condition of an item, a model, a sample."""

    cell_id: str
    key: str
    condition: Condition
    model: Model
    sample: int

    @property
    def text(self) -> str:
        """What is sent, as the user's message."""
        return self.condition.prompt.text


@dataclass(slots=True)
class Tally:
    """What a plan comes to, for one model.

    Attributes:
        held: Cells whose key has a reply already (count).
        to_ask: Requests that are left; cells that share a key share one (count).
        prompt_tokens: Of those requests, estimated.
    """

    cells: int = 0
    held: int = 0
    to_ask: int = 0
    prompt_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An experiment file, its models and datasets found."""

    spec: Spec
    models: tuple[Model, ...]
    sources: tuple[Source, ...]

    def conditions(self, aside: list[SetAsideRow] | None = None) -> Iterator[Condition]:
        """Every item under every condition, item by item.

        Args:
            aside: Told the items that a strategy could not show.

        Raises:
            PlanEmpty: A dataset gives no item.
            DatasetError, UnknownName: A dataset's files are not as they should be.
        """
        policy = NamePolicy(cross_culture=self.spec.conditions.cross_culture, seed=self.spec.seed)
        for source in self.sources:
            for item in self._items(source):
                item_hash = hash_item(item)
                for names in self.spec.conditions.names:
                    shown = self._shown(item, names, policy, aside)
                    if shown is None:
                        continue
                    for prompt_name in self.spec.conditions.prompts:
                        prompt = render(shown, prompt_name, source.task.wording)
                        yield Condition(
                            item=item,
                            item_hash=item_hash,
                            prompt_hash=hash_prompt(item_hash, prompt),
                            choices=source.task.asked,
                            prompt=prompt,
                        )

    def cells(self, model: Model | None = None) -> Iterator[Cell]:
        """Every cell, or every cell of one model."""
        for condition in self.conditions():
            yield from self.cells_of(condition, model)

    def cells_of(self, condition: Condition, model: Model | None = None) -> Iterator[Cell]:
        """The cells of one condition."""
        for each in self.models if model is None else (model,):
            for sample in range(self.spec.conditions.samples):
                yield self._cell(condition, each, sample)

    def _cell(self, condition: Condition, model: Model, sample: int) -> Cell:
        item = condition.prompt.item
        shown = condition.prompt.shown
        messages = [{"role": "user", "content": condition.prompt.text}]
        place = [self.spec.name, item.task, item.dataset, condition.choices, item.item_id]
        place += [shown.names, condition.prompt.prompt, model.spec.name, str(sample)]
        return Cell(
            cell_id=digest(place)[:20],
            key=cell_key({**model.identity(), "messages": messages, "sample": sample}),
            condition=condition,
            model=model,
            sample=sample,
        )

    def _items(self, source: Source) -> list[Item]:
        task = source.task
        selection = Selection(
            task=task.name,
            works=tuple(task.works),
            excerpt_words=task.excerpt_words,
            options=task.options if task.asked == "options" else 0,
            seed=self.spec.seed,
        )
        found = dataset_named(task.dataset).read(source.root, selection)
        if task.limit is None:
            items = list(found)
        else:
            ranked = heapq.nsmallest(task.limit, found, key=self._rank)
            items = sorted(ranked, key=self._rank)
        if not items:
            why = f"nothing in {source.root} fits"
            raise PlanEmpty(task.name, task.dataset, f"{why}; check path, works and excerpt_words")
        return items

    def _rank(self, item: Item) -> bytes:
        """A seeded place for an item that does not depend on the other items."""
        return hashlib.sha256(f"{self.spec.seed}\x1f{item.item_id}".encode()).digest()

    @staticmethod
    def _shown(
        item: Item, names: Names, policy: NamePolicy, aside: list[SetAsideRow] | None
    ) -> Shown | None:
        try:
            return show(item, names, policy)
        except SetAside as error:
            if aside is not None:
                aside.append(
                    SetAsideRow(
                        experiment_id="",
                        task=item.task,
                        dataset=item.dataset,
                        item_id=item.item_id,
                        names=names,
                        reason=error.reason,
                    )
                )
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A plan counted through once: its identity and its size."""

    experiment_id: str
    tallies: dict[str, Tally]
    set_aside: tuple[SetAsideRow, ...]

    @property
    def cells(self) -> int:
        """Cells of all models (count)."""
        return sum(tally.cells for tally in self.tallies.values())


def survey(plan: Plan, held: Container[str] = frozenset()) -> Survey:
    """Go through a plan without keeping it: its identity, counts, tokens, what was set aside.

    Args:
        plan: The experiment.
        held: Keys that need no asking.
    """
    sha = hashlib.sha256(canonical([plan.spec.name, plan.spec.seed]).encode())
    tallies = {model.spec.name: Tally() for model in plan.models}
    seen: set[str] = set()
    aside: list[SetAsideRow] = []
    for condition in plan.conditions(aside):
        sha.update(condition.prompt_hash.encode())
        for cell in plan.cells_of(condition):
            sha.update(f"{cell.cell_id}{cell.key}".encode())
            tally = tallies[cell.model.spec.name]
            tally.cells += 1
            if cell.key in held:
                tally.held += 1
            elif cell.key not in seen:
                seen.add(cell.key)
                tally.to_ask += 1
                tally.prompt_tokens += estimate_tokens(cell.text)
    return Survey(experiment_id=sha.hexdigest(), tallies=tallies, set_aside=tuple(aside))


def estimate_tokens(text: str) -> int:
    """Tokens of a text, roughly (count)."""
    return len(text) // _CHARS_PER_TOKEN + 8


def most_reply_tokens(model: ModelSpec) -> int:
    """The longest reply a model's parameters allow (tokens)."""
    found = [model.params.get(name) for name in _LIMITS]
    return next((value for value in found if isinstance(value, int)), _DEFAULT_REPLY_TOKENS)


def has_limit(model: ModelSpec) -> bool:
    """Whether a model's parameters limit its replies; else forecasts assume a length."""
    return any(isinstance(model.params.get(name), int) for name in _LIMITS)


def item_row(condition: Condition) -> ItemRow:
    """The row of an item as its dataset gives it."""
    return ItemRow(item_hash=condition.item_hash, **_item_columns(condition.item))


def _item_columns(item: Item) -> dict[str, str]:
    return {
        "task": item.task,
        "dataset": item.dataset,
        "item_id": item.item_id,
        "work": item.work,
        "text": item.text,
        "gold": canonical(item.gold),
        "accepted": canonical(item.accepted),
        "options": canonical(item.options),
        "cast": canonical([asdict(character) for character in item.cast]),
        "culture": item.culture,
        "notes": canonical(item.notes),
    }


def hash_item(item: Item) -> str:
    """sha256 of everything an item says."""
    return digest(_item_columns(item))


def hash_prompt(item_hash: str, prompt: Prompt) -> str:
    """sha256 of an item under a condition: what is sent and what is right."""
    item = prompt.item
    parts = [item_hash, prompt.shown.names, prompt.prompt, prompt.text, item.gold, item.options]
    return digest(parts)


def prompt_row(condition: Condition) -> PromptRow:
    """The row of one item under one condition."""
    prompt = condition.prompt
    item, account = prompt.item, prompt.shown.audit
    return PromptRow(
        prompt_hash=condition.prompt_hash,
        item_hash=condition.item_hash,
        names=prompt.shown.names,
        prompt=prompt.prompt,
        choices=condition.choices,
        text=prompt.text,
        gold=canonical(item.gold),
        accepted=canonical(item.accepted),
        options=canonical(item.options),
        chance=prompt.chance,
        name_map=canonical(prompt.shown.name_map.people),
        replaced=account.replaced,
        leaks=canonical(account.leaks),
        suspects=canonical(account.suspects),
    )


def cell_row(cell: Cell, experiment_id: str) -> CellRow:
    """The row of one cell."""
    return CellRow(
        experiment_id=experiment_id,
        cell_id=cell.cell_id,
        key=cell.key,
        prompt_hash=cell.condition.prompt_hash,
        model=cell.model.spec.name,
        sample=cell.sample,
    )
