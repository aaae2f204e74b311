"""From an experiment file to cells, streamed.

The items are drawn once, in an order that the seed decides, over all tasks together. They are asked
in blocks: a few items under every condition, of every model, shuffled. Whatever part of a plan has
been asked is therefore a random sample of its items under all conditions alike, but for one block.
Nothing here opens a socket or a database, and nothing is kept but where each item lies.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from probe.conditions import Aside, Asking, Condition, hash_item
from probe.errors import PlanEmpty
from probe.model_spec import ModelSpec
from probe.providers.base import continuation_params, response_format
from probe.spec import Spec, TaskSpec
from probe.spool import Spool
from prompts import Item
from prompts.datasets import Selection, dataset_named
from prompts.revision import revision
from prompts.tasks import Task, task_named
from store.keys import cell_key, digest

BLOCK_ITEMS: Final = 8
_FORM: Final = 4
"""Goes up when the order of cells changes; a plan of another form is recorded anew."""
_INSTRUCTION_TOKENS: Final = 350
"""What instructions, options and the form of the answer take at most (tokens, an estimate)."""
_TOKENS_A_WORD: Final = 1.6
_MARKED: Final = 2.5
"""How much longer marks of mentions make a text."""
_LEAST_WORDS: Final = 50

_Ranked: TypeAlias = tuple[bytes, int, int]
"""An item's rank, its source, and its number in the spool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of the experiment, with what stands for it in keys.

    Attributes:
        endpoint: Its address or name; of a local model, the sha256 of its weights.
    """

    spec: ModelSpec
    endpoint: str

    def identity(self, schema: Mapping[str, object] | None = None) -> dict[str, object]:
        """What stands for the model in its cells' keys, but for the sample.

        The schema of an answer is part of the parameters where the model is sent it.

        A local model's context length is part of it: a reply may be cut, or refused, by it. So are
        headers that the file sets, since a server may answer by them.
        """
        params = dict(self._served)
        if self.spec.structured and schema is not None:
            params["response_format"] = response_format(schema)
        return self._identity(self.spec.api, {**self.spec.body_params, **params})

    def bare_identity(self, task: Task, sample: int) -> dict[str, object]:
        """The same where a passage is sent alone, to be continued or to be found likely or not.

        A likelihood is not drawn, so no sampling parameter is part of it; how many of the likeliest
        tokens come with it is.
        """
        if task.asks == "likelihood":
            more = {"prompt_logprobs": self.spec.likeliest} if self.spec.likeliest != 1 else {}
            return self._identity("likelihood", {**self._served, **more})
        params = continuation_params(self.spec, task.reply_tokens, task.decoding(sample))
        return self._identity("completions", {**params, **self._served})

    def _identity(self, api: str, params: Mapping[str, object]) -> dict[str, object]:
        model = "" if self.spec.weights_here else self.spec.model
        return {"api": api, "endpoint": self.endpoint, "model": model, "params": dict(params)}

    @property
    def _served(self) -> dict[str, object]:
        """What of how it is served may change its replies."""
        own: dict[str, object] = {}
        if self.spec.weights_here:
            own["context_tokens"] = self.spec.context_tokens
        if self.spec.headers:
            own["headers"] = {name.lower(): value for name, value in self.spec.headers.items()}
        return own


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A task of the experiment, with where its dataset lies."""

    task: TaskSpec
    root: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: a condition of an item, a model, a sample.

    Attributes:
        ordinal: Its place in the order of asking, from 0.
    """

    cell_id: str
    key: str
    condition: Condition
    model: Model
    sample: int
    ordinal: int

    @property
    def text(self) -> str:
        """What is sent, as the user's message."""
        return self.condition.prompt.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A few items under every condition, of every model.

    Attributes:
        items: Items of the plan up to the end of this block (count).
        cells: In the order of asking.
    """

    items: int
    conditions: tuple[Condition, ...]
    cells: tuple[Cell, ...]
    aside: tuple[Aside, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An experiment file, its models and datasets found, and its other files read."""

    spec: Spec
    models: tuple[Model, ...]
    sources: tuple[Source, ...]
    asking: Asking

    @property
    def samples_together(self) -> int:
        """Samples that stand together in the order, since one request may bring them (count)."""
        return math.lcm(*(model.spec.request_samples for model in self.models))

    @property
    def unit(self) -> int:
        """Cells between which the order can be cut without parting such samples (count)."""
        return len(self.models) * self.samples_together

    def draw(self) -> Drawn:
        """Read the datasets and draw the items.

        Raises:
            PlanEmpty: A dataset gives no item.
            DatasetError, UnknownName: A dataset's files are not as they should be.
        """
        spool = Spool()
        try:
            return self._drawn(spool)
        except BaseException:
            spool.close()
            raise

    def _drawn(self, spool: Spool) -> Drawn:
        drawn: list[_Ranked] = []
        for owner, source in enumerate(self.sources):
            found = [(self._rank(item), owner, spool.add(item)) for item in self._items(source)]
            if not found:
                why = f"nothing in {source.root} fits; check path, works and excerpt_words"
                raise PlanEmpty(source.task.name, source.task.dataset, why)
            drawn += _first(found, source.task.limit)
        drawn.sort()
        sha = hashlib.sha256()
        for _, owner, number in drawn:
            sha.update(f"{owner}:{hash_item(spool.get(number))}".encode())
        return Drawn(
            plan=self,
            spool=spool,
            order=[number for *_, number in drawn],
            owners=[owner for _, owner, _ in drawn],
            experiment_id=digest([*self._identity(), sha.hexdigest()]),
        )

    def _identity(self) -> list[object]:
        """All that a plan's cells and keys depend on, but for the items."""
        spec = self.spec
        tasks = [[t.name, t.dataset, t.asked] for t in spec.tasks]
        models = [[m.spec.name, m.identity()] for m in self.models]
        conditions = spec.conditions.model_dump(mode="json")
        own = [spec.name, spec.seed, tasks, models, conditions, self.asking.identity()]
        return [_FORM, revision(), *own]

    def _items(self, source: Source) -> Iterator[Item]:
        task = source.task
        selection = Selection(
            task=task.name,
            works=tuple(task.works),
            excerpt_words=task.excerpt_words,
            window_words=task.window_words or self._window_words(task_named(task.name)),
            options=task.options if task.asked == "options" else 0,
            seed=self.spec.seed,
        )
        return iter(dataset_named(task.dataset).items(source.root, selection))

    def _window_words(self, task: Task) -> int | None:
        """Words that every model's context bears, beside the instructions and the reply (count)."""
        rooms = [
            spec.known_context - spec.reply_tokens - _INSTRUCTION_TOKENS
            for spec in (model.spec for model in self.models)
            if spec.known_context is not None
        ]
        each = _TOKENS_A_WORD * (_MARKED if task.gold_is == "label" else 1)
        return max(_LEAST_WORDS, int(min(rooms) / each)) if rooms else None

    def _rank(self, item: Item) -> bytes:
        """A seeded place for an item that does not depend on the other items.

        The windows of a text that are answered as one have one place: they are drawn together.
        """
        whole = item.document if task_named(item.task).joined else ""
        named = f"{self.spec.seed}\x1f{whole or item.item_id}"
        return hashlib.sha256(named.encode()).digest()[:8]


def _first(found: list[_Ranked], limit: int | None) -> list[_Ranked]:
    """So many items with the first places; more where further ones share the last place."""
    if limit is None or limit >= len(found):
        return found
    last = heapq.nsmallest(limit, found)[-1][0]
    return [each for each in found if each[0] <= last]


@dataclass(slots=True, kw_only=True)
class Drawn:
    """A plan whose items are drawn. Close it when done.

    Attributes:
        order: The numbers of the items in the spool, in the order of asking.
        owners: Of each of them, which of the plan's sources it is of.
        experiment_id: sha256 of everything the plan's cells depend on, in hex.
    """

    plan: Plan
    spool: Spool
    order: Sequence[int]
    owners: Sequence[int]
    experiment_id: str

    @property
    def items(self) -> int:
        """Items of all tasks (count)."""
        return len(self.order)

    @property
    def cells(self) -> int:
        """Cells of the design (count), those of items that are set aside included."""
        spec = self.plan.spec
        items = Counter(self.owners)
        conditions = sum(
            spec.conditions_each(task) * items[at] for at, task in enumerate(spec.tasks)
        )
        return conditions * spec.conditions.samples * len(self.plan.models)

    def close(self) -> None:
        """Give the spool's file back."""
        self.spool.close()

    def __enter__(self) -> Drawn:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def blocks(self, items: int = 0, cells: int = 0) -> Iterator[Block]:
        """The plan, block by block, from where so many items and cells are done."""
        for start in range(items, self.items, BLOCK_ITEMS):
            end = min(start + BLOCK_ITEMS, self.items)
            block = self._block(start, end, cells)
            cells += len(block.cells)
            yield block

    def _block(self, start: int, end: int, ordinal: int) -> Block:
        aside: list[Aside] = []
        conditions = [
            condition
            for place in range(start, end)
            for condition in self.plan.asking.conditions(
                self.spool.get(self.order[place]), self._task(place).asked, aside
            )
        ]
        together = self.plan.samples_together
        firsts = range(0, self.plan.spec.conditions.samples, together)
        asked = list(conditions)
        random.Random(f"{self.plan.spec.seed}\x1f{start}").shuffle(asked)  # noqa: S311 - an order
        numbers = itertools.count(ordinal)
        cells = tuple(
            self._cell(condition, model, sample, next(numbers))
            for condition in asked
            for first in firsts  # samples of one prompt in a row: servers reuse what they have read
            for model in self.plan.models
            for sample in range(first, first + together)
        )
        return Block(items=end, conditions=tuple(conditions), cells=cells, aside=tuple(aside))

    def _task(self, place: int) -> TaskSpec:
        return self.plan.spec.tasks[self.owners[place]]

    def _cell(self, condition: Condition, model: Model, sample: int, ordinal: int) -> Cell:
        item, text = condition.prompt.item, condition.prompt.text
        place = [self.plan.spec.name, item.task, item.dataset, condition.choices, item.item_id]
        place += [condition.prompt.shown.names, condition.prompt.prompt]
        place += condition.place
        place += [model.spec.name, str(sample)]
        task = task_named(item.task)
        chat = model.spec.api == "chat" and task.asks == "reply"
        sent = {"messages": [{"role": "user", "content": text}] if chat else text}
        bare = task.asks != "reply"
        identity = (
            model.bare_identity(task, sample) if bare else model.identity(condition.prompt.schema)
        )
        # A likelihood is the same in every sample, which so share one.
        own_sample = 0 if task.asks == "likelihood" else sample
        return Cell(
            cell_id=digest(place)[:20],
            key=cell_key({**identity, **sent, "sample": own_sample}),
            condition=condition,
            model=model,
            sample=sample,
            ordinal=ordinal,
        )
