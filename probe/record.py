"""Writes a plan into the store as it is made, and reads from there what is still to be asked.

The store is the queue: a plan is recorded once, in the order of asking, and every start of a run
takes its cells from there. A plan that a kill cut short goes on where it ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final

from probe.batch.records import IN_BATCHES
from probe.conditions import Condition, ItemColumns
from probe.plan import Block, Cell, Drawn, Plan
from probe.resolve import note_for
from prompts.tasks import task_named
from store.insert import insert
from store.keys import as_one, canonical
from store.read import Connection, Source, ask
from store.rows import (
    CellRow,
    ExperimentRow,
    ItemRow,
    ModelRow,
    PlanChunkRow,
    PromptRow,
    SetAsideRow,
)

CHUNK_CELLS: Final = 4_000
SETTLED: Final = """
    SELECT key FROM replies
    UNION ALL
    SELECT key FROM failures WHERE run_id = $run OR (permanent AND NOT $retry)"""
"""Keys that are not asked (again): for queries that a `Scope` is bound to."""
HELD: Final = f"{SETTLED} UNION ALL {IN_BATCHES}"
"""As `SETTLED`, with those in batches that are open: they have been asked."""


def still_open(page: str, held: str = HELD) -> str:
    """The head of a query: `still_open`, those rows of some cells whose keys are not held.

    Only the page's own keys are gathered: all that are held may be more than memory takes.

    Args:
        page: A query for some cells, with their `key`.
        held: A query for keys.
    """
    return f"""
        WITH page AS MATERIALIZED ({page}),
        still_open AS (
            SELECT * FROM page WHERE key NOT IN (
                SELECT key FROM ({held}) WHERE key IN (SELECT key FROM page)))"""


@dataclass(frozen=True, slots=True)
class Recorded:
    """How much of a plan a store holds (counts).

    Attributes:
        known: Whether the store has heard of the plan at all.
    """

    known: bool
    items: int
    cells: int


def recorded(store: Source, experiment_id: str) -> Recorded:
    """How far a plan is recorded."""
    query = """
        SELECT count(DISTINCT e.experiment_id), coalesce(max(p.items), 0), coalesce(max(p.cells), 0)
        FROM experiments AS e LEFT JOIN plan_chunks AS p USING (experiment_id)
        WHERE e.experiment_id = $plan"""
    known, items, cells = map(int, map(str, ask(store, query, {"plan": experiment_id}).rows[0]))
    return Recorded(bool(known), items, cells)


def plan_rows(plan: Plan, drawn: Drawn, spec_text: str) -> list[ExperimentRow | ModelRow]:
    """The rows that stand for a plan as a whole."""
    experiment = ExperimentRow(
        experiment_id=drawn.experiment_id,
        experiment=plan.spec.name,
        seed=plan.spec.seed,
        spec=spec_text,
        cells=drawn.cells,
        planned_at=datetime.now(UTC),
        items=drawn.items,
    )
    models = [
        ModelRow(
            experiment_id=drawn.experiment_id,
            model=model.spec.name,
            provider=model.spec.provider,
            identity=canonical(model.identity()),
            note=note_for(model.spec),
        )
        for model in plan.models
    ]
    return [experiment, *models]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some blocks of a plan, recorded in one transaction."""

    blocks: Sequence[Block]
    end: PlanChunkRow

    def insert(self, connection: Connection) -> bool:
        """Write it, and that it is written; not so where another run has recorded on meanwhile."""
        conditions = [each for block in self.blocks for each in block.conditions]
        items = {each.item_hash: each for each in conditions}
        prompts = {each.prompt_hash: each for each in conditions}
        own = self.end.experiment_id
        cells = [cell for block in self.blocks for cell in block.cells]
        connection.execute("BEGIN")
        held = recorded(connection, own)
        if held.cells != self.end.cells - len(cells) or held.items >= self.end.items:
            connection.execute("ROLLBACK")
            return False
        insert(connection, map(_item_row, items.values()), new_by="item_hash")
        insert(connection, map(_prompt_row, prompts.values()), new_by="prompt_hash")
        seen = _recorded_keys(connection, own, cells)
        rows = []
        for cell in cells:
            rows.append(_cell_row(cell, own, is_first=cell.key not in seen))
            seen.add(cell.key)
        insert(connection, rows)
        insert(connection, _aside_rows(self.blocks, own))
        insert(connection, [self.end])
        connection.execute("COMMIT")
        return True


def chunks(drawn: Drawn, done: Recorded) -> Iterator[Chunk]:
    """The rest of a plan: first one block, so that asking can begin, then larger pieces."""
    cells, most = done.cells, 1
    gathered: list[Block] = []
    size = 0
    for block in drawn.blocks(done.items, done.cells):
        gathered.append(block)
        size += len(block.cells)
        if size >= most or block.items == drawn.items:
            cells += size
            end = PlanChunkRow(
                experiment_id=drawn.experiment_id,
                items=block.items,
                cells=cells,
                recorded_at=datetime.now(UTC),
            )
            yield Chunk(blocks=gathered, end=end)
            gathered, size, most = [], 0, CHUNK_CELLS


def _item_row(condition: Condition) -> ItemRow:
    return ItemRow(item_hash=condition.item_hash, **asdict(ItemColumns.of(condition.item)))


def _prompt_row(condition: Condition) -> PromptRow:
    prompt = condition.prompt
    item, account = prompt.item, prompt.shown.audit
    likelihood = task_named(item.task).asks == "likelihood"
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
        wording=prompt.manner.wording.name,
        descriptions=prompt.manner.descriptions,
        titles=canonical(account.titles),
        places=canonical(account.places),
        phrases=canonical(account.phrases),
        answer_schema=None if prompt.schema is None else canonical(prompt.schema),
        names_at=canonical(prompt.shown.names_at) if likelihood else None,
    )


def _recorded_keys(connection: Connection, experiment_id: str, cells: Iterable[Cell]) -> set[str]:
    """Those of some cells' keys that earlier cells of the plan have."""
    found = ask(
        connection,
        """
        SELECT key FROM cells WHERE experiment_id = $plan
          AND key IN (SELECT unnest(string_split($keys, ' ')))""",
        {"plan": experiment_id, "keys": as_one(cell.key for cell in cells)},
    ).rows
    return {str(row[0]) for row in found}


def _cell_row(cell: Cell, experiment_id: str, *, is_first: bool) -> CellRow:
    return CellRow(
        experiment_id=experiment_id,
        cell_id=cell.cell_id,
        key=cell.key,
        prompt_hash=cell.condition.prompt_hash,
        model=cell.model.spec.name,
        sample=cell.sample,
        ordinal=cell.ordinal,
        is_first=is_first,
    )


def _aside_rows(blocks: Iterable[Block], experiment_id: str) -> list[SetAsideRow]:
    return [
        SetAsideRow(
            experiment_id=experiment_id,
            task=aside.item.task,
            dataset=aside.item.dataset,
            item_id=aside.item.item_id,
            names=aside.names,
            reason=aside.reason,
            descriptions=aside.descriptions,
        )
        for block in blocks
        for aside in block.aside
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose cells are meant, and which of them count as settled.

    Attributes:
        retry_failed: Whether what was given up for good is asked again.
    """

    experiment_id: str
    run_id: str
    retry_failed: bool = False

    @property
    def bound(self) -> dict[str, object]:
        """As parameters of the queries below."""
        return {
            "experiment": self.experiment_id,
            "run": self.run_id,
            "retry": self.retry_failed,
        }


@dataclass(frozen=True, slots=True)
class ToAsk:
    """A recorded cell that has no reply yet."""

    ordinal: int
    key: str
    sample: int
    prompt_hash: str
    text: str
    answer_schema: str | None
    task: str


_OF_MODEL: Final = """
    SELECT ordinal, key, sample, prompt_hash FROM cells
    WHERE experiment_id = $experiment AND model = $model AND is_first"""
PAGE_OF_MODEL: Final = f"{_OF_MODEL} AND ordinal > $after AND ordinal <= $upto"
"""A model's cells in a stretch of the plan."""
_NAMED: Final = f"{_OF_MODEL} AND key IN (SELECT unnest(string_split($keys, ' ')))"


def to_ask(
    connection: Connection, scope: Scope, model: str, *, after: int, upto: int, most: int
) -> list[ToAsk]:
    """A model's cells without a reply in a stretch of the plan, in the order of asking.

    Those in batches that are open are left out: they have been asked.

    Args:
        connection: The owner's.
        scope: Whose.
        model: Of which model.
        after: Beyond this ordinal.
        upto: Up to this one.
        most: Cells at most, the first ones (count).
    """
    bound = {**scope.bound, "model": model, "after": after, "upto": upto, "most": most}
    found = ask(
        connection,
        f"{still_open(PAGE_OF_MODEL)} SELECT * FROM still_open ORDER BY ordinal LIMIT $most",
        bound,
    ).rows
    return _with_texts(connection, found)


def _with_texts(connection: Connection, found: Sequence[tuple[object, ...]]) -> list[ToAsk]:
    """Cells with what is sent for them, from their ordinals, keys, samples and prompts."""
    hashes = as_one(dict.fromkeys(str(row[3]) for row in found))
    prompts = ask(
        connection,
        """
        SELECT p.prompt_hash, p.text, p.answer_schema, i.task
        FROM prompts AS p
        JOIN (SELECT item_hash, task FROM items) AS i USING (item_hash)
        WHERE p.rowid IN (  -- so that only the texts that are wanted are read
            SELECT rowid FROM prompts
            WHERE prompt_hash IN (SELECT unnest(string_split($hashes, ' '))))""",
        {"hashes": hashes},
    ).rows
    sent = {
        str(own): (str(text), None if schema is None else str(schema), str(task))
        for own, text, schema, task in prompts
    }
    return [
        ToAsk(int(str(ordinal)), str(key), int(str(sample)), str(own), *sent[str(own)])
        for ordinal, key, sample, own in found
    ]


def to_ask_again(
    connection: Connection, scope: Scope, model: str, keys: Sequence[str]
) -> list[ToAsk]:
    """Those of some keys of a model that have no reply, wherever they stand in the plan."""
    found = ask(
        connection,
        f"{still_open(_NAMED, SETTLED)} SELECT * FROM still_open ORDER BY ordinal",
        {**scope.bound, "model": model, "keys": as_one(keys)},
    ).rows
    return _with_texts(connection, found)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one model's cells stand when a run starts.

    Attributes:
        cells: Cells recorded (count).
        held: Of them, those that need no asking (count).
        to_ask: Keys that are left; cells that share one share its reply (count).
    """

    cells: int = 0
    held: int = 0
    to_ask: int = 0

    def __add__(self, other: Standing) -> Standing:
        """Of two stretches of a plan."""
        return Standing(
            self.cells + other.cells,
            self.held + other.held,
            self.to_ask + other.to_ask,
        )


def standings(store: Source, scope: Scope) -> dict[str, Standing]:
    """Where every model's cells stood before this run, as far as the plan is recorded."""
    found: dict[str, Standing] = {}
    for stretch in stretches(store, scope):
        for name, *counts in ask(store, _STANDING, stretch).rows:
            here = Standing(*(int(str(count)) for count in counts))
            found[str(name)] = found.get(str(name), Standing()) + here
    return found


def stretches(store: Source, scope: Scope) -> Iterator[dict[str, object]]:
    """A recorded plan cut up, as parameters of a query: all at once may be too much for memory."""
    last = ask(
        store,
        "SELECT coalesce(max(ordinal), -1) FROM cells WHERE experiment_id = $experiment",
        {"experiment": scope.experiment_id},
    ).rows[0][0]
    for start in range(0, int(str(last)) + 1, _STRETCH):
        yield {**scope.bound, "after": start - 1, "upto": start + _STRETCH - 1}


_STRETCH: Final = 100_000
_STANDING: Final = """
    SELECT c.model, count(*), count(*) FILTER (s.key IS NOT NULL),
           count(*) FILTER (s.key IS NULL AND is_first)
    FROM cells AS c
    LEFT JOIN (
        SELECT DISTINCT key FROM (
            SELECT key FROM replies WHERE run_id <> $run
            UNION ALL
            SELECT key FROM failures WHERE permanent AND run_id <> $run AND NOT $retry)
        WHERE key IN (
            SELECT key FROM cells
            WHERE experiment_id = $experiment AND ordinal > $after AND ordinal <= $upto)) AS s
        USING (key)
    WHERE c.experiment_id = $experiment AND c.ordinal > $after AND c.ordinal <= $upto
    GROUP BY c.model"""
