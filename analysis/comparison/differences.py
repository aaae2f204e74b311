"""How two runs differ: the same cells on both sides, what changed, and by how much.

Cells are the same where task, dataset, item, condition, sample and model are. Differences are the
second side's value less the first's. They are tested as `analysis.effects` tests contrasts: with
exact McNemar where each item is one answer that is right or wrong and moves alone, else by flipping
the signs of whole clusters.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from analysis.comparison.rescoring import in_turn
from analysis.comparison.sides import HERE, Record, Side, Together
from analysis.effects import Effect, effects
from analysis.errors import BadRequest
from analysis.metrics import SUMS, headline_and_each
from analysis.pairs import Documents, Gaps
from analysis.sql import query
from analysis.statistics import Interval, Paired, holm
from store.beside import Filled, beside
from store.read import Connection, ask

_PLACE: Final = (
    "task", "dataset", "choices", "wording", "descriptions", "model", "names", "prompt",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How the two sides differ under one condition.

    Attributes:
        counts: By name, as conditions.sql has them (counts of cells).
        effect: Of the headline, the second side being its first condition.
        p_holm: Its p adjusted for all conditions that are compared.
    """

    task: str
    dataset: str
    choices: str
    wording: str
    descriptions: str
    model: str
    names: str
    prompt: str
    counts: Mapping[str, int]
    effect: Effect
    p_holm: float | None = None

    def record(self) -> Record:
        """It as one flat record, its interval as two numbers."""
        effect = self.effect
        interval: Interval | None = effect.interval
        return {
            **{name: getattr(self, name) for name in _PLACE},
            **self.counts,
            "value_a": effect.value_b,
            "value_b": effect.value_a,
            "difference": effect.difference,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "undefined": effect.undefined,
            "p": effect.p,
            "test": effect.test,
            "p_holm": self.p_holm,
            "items": effect.items,
            "differing": effect.differing,
            "clusters": effect.clusters,
            "clustered_by": effect.clustered_by,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """All that two sides differ in.

    Attributes:
        conditions: In the order of the tables; those of one side alone are there with no cells of
            the other.
        examples: Cells that changed, with both replies.
        changed: Every cell that scores otherwise, if asked for.
    """

    conditions: list[Condition]
    examples: list[Record]
    changed: list[Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How two sides are compared.

    Attributes:
        models: Which go together.
        same_prompts: Whether only cells count that were asked in the same words.
        examples: How many to show (count).
        changed: Whether to list every cell that changed.
    """

    models: Sequence[Together]
    same_prompts: bool = False
    examples: int = 0
    changed: bool = False


def differences(a: Side, b: Side, asked: Asked) -> Differences:
    """Compare two sides.

    Raises:
        BadRequest: They share no cell.
    """
    with TemporaryDirectory(prefix="probe-diff-") as folder:
        connection = _beside(a, b, asked, Path(folder))
        try:
            conditions = _conditions(connection, a.seed)
            if not any(each.counts["compared"] for each in conditions):
                raise BadRequest(_nothing(a, b, conditions))
            shown = ask(connection, query("to_show", HERE), {"most": max(1, asked.examples)})
            changed = ask(connection, query("changed", HERE)).records() if asked.changed else []
        finally:
            connection.close()
    return Differences(
        conditions=conditions,
        examples=_examples(a, b, _chosen(shown.records(), asked.examples)),
        changed=changed,
    )


def _beside(a: Side, b: Side, asked: Asked, folder: Path) -> Connection:
    """Both sides' cells in one database, matched."""
    called = [each.name for each in asked.models]
    own_names = {"a": [each.a for each in asked.models], "b": [each.b for each in asked.models]}
    connection = beside(
        {
            f"cells_{name}": Filled(
                source=own.source,
                query=query("cells", HERE),
                parameters={
                    "experiment": own.experiment,
                    "models": own_names[name],
                    "called": called,
                },
            )
            for name, own in (("a", a), ("b", b))
        },
        folder,
    )
    ask(connection, f"CREATE TABLE places AS {query('places', HERE)}")
    matched = f"CREATE TABLE matched AS {query('matched', HERE)}"
    ask(connection, matched, {"same_prompts": asked.same_prompts})
    ask(connection, f"CREATE TABLE documents AS {query('documents', HERE)}")
    return connection


def _conditions(connection: Connection, seed: int) -> list[Condition]:
    found = []
    for row in ask(connection, query("conditions", HERE)).records():
        place: Record = {name: str(row.pop(name)) for name in _PLACE}
        number = int(str(row.pop("place")))
        counts = {name: int(str(count)) for name, count in row.items()}
        rng = np.random.default_rng([seed, zlib.crc32("\n".join(place.values()).encode())])
        effect = _effect(connection, number, counts, rng)
        found.append(Condition(**place, counts=counts, effect=effect))
    tested = [at for at, each in enumerate(found) if each.effect.p is not None]
    for at, p in zip(tested, holm([float(found[at].effect.p or 0) for at in tested]), strict=True):
        found[at] = replace(found[at], p_holm=p)
    return found


def _effect(
    connection: Connection, place: int, counts: Mapping[str, int], rng: np.random.Generator
) -> Effect:
    """The headline's difference under one condition: the second side less the first."""
    rows = ask(
        connection,
        "FROM documents WHERE place = $place ORDER BY document, metric",
        {"place": place},
    ).records()
    missing = counts["missing_a"] + counts["missing_b"]
    unknown = np.array([np.nan])  # what missing answers would be worth is not asked here
    bounded = bool(rows) and all(row["bounded"] for row in rows)
    lacking = Gaps(cells=missing, bounded=(bounded,), lowest=unknown, highest=unknown)
    return effects(_documents(rows) if rows else None, lacking, rng)[0]


def _documents(rows: Sequence[Record]) -> Documents:
    """The documents of one condition, the second side first."""
    number = {name: at for at, name in enumerate(dict.fromkeys(row["document"] for row in rows))}
    metrics = {name: at for at, name in enumerate(dict.fromkeys(row["metric"] for row in rows))}
    a, b = (np.zeros((len(number), len(metrics), SUMS)) for _ in range(2))
    recall = np.zeros(len(metrics), dtype=np.bool_)
    works, scenes = ([""] * len(number) for _ in range(2))
    for row in rows:
        document, metric = number[row["document"]], metrics[row["metric"]]
        for sums, name in ((a, "a"), (b, "b")):
            sums[document, metric] = [
                row[f"{part}_{name}"] for part in ("num", "den", "recall_num", "recall_den")
            ]
        recall[metric] |= row["with_recall"]
        works[document], scenes[document] = row["work"], row["scene"]
    headline = np.ones(len(metrics), dtype=np.bool_)
    pooling = headline_and_each(headline, recall, every_metric=False)
    return Documents(
        metrics=tuple(metrics),
        paired=Paired(a=b, b=a, pooling=pooling),
        works=tuple(works),
        scenes=tuple(scenes),
    )


def _nothing(a: Side, b: Side, conditions: Sequence[Condition]) -> str:
    """Why no cell is compared, in words."""
    if any(each.counts["cells_a"] and each.counts["cells_b"] for each in conditions):
        if any(each.counts["other_prompts"] or each.counts["other_gold"] for each in conditions):
            return (
                f"{a.label} and {b.label} share no cell that was asked in the same words; "
                "leave out --same-prompts to compare them all the same"
            )
        return f"{a.label} and {b.label} share conditions, but no item and sample of them"
    apart = []
    for name in _PLACE:
        own = [
            {getattr(each, name) for each in conditions if each.counts[f"cells_{side}"]}
            for side in ("a", "b")
        ]
        if not own[0] & own[1]:
            there, here = (", ".join(sorted(each)) for each in own)
            apart.append(f"{name} is {there} in {a.label}, {here} in {b.label}")
    why = f": {'; '.join(apart)}" if apart else ""
    return f"{a.label} and {b.label} share no condition, so nothing can be compared{why}"


def _chosen(shown: Sequence[Record], most: int) -> list[Record]:
    """So many cells, those that flipped before others, from conditions and ways in turn."""
    chosen: list[Record] = []
    for flipped in (True, False):
        groups: dict[tuple[object, object], list[Record]] = {}
        for row in shown:
            if row["flipped"] == flipped:
                groups.setdefault((row["place"], row["change"]), []).append(row)
        chosen += in_turn(groups.values(), most - len(chosen))
    return chosen


def _examples(a: Side, b: Side, chosen: Sequence[Record]) -> list[Record]:
    """What was asked and answered in some cells, on both sides."""
    if not chosen:
        return []
    answered = {
        name: ask(
            own.source,
            query("answers", HERE),
            {
                "keys": [row[f"key_{name}"] for row in chosen],
                "prompts": [row[f"prompt_{name}"] for row in chosen],
            },
        ).records()
        for name, own in (("a", a), ("b", b))
    }
    found = []
    for row, in_a, in_b in zip(chosen, answered["a"], answered["b"], strict=True):
        place = {name: in_a[name] for name in ("task", "dataset", "item_id", "names", "prompt")}
        same = {
            name: row[name] for name in ("model", "sample", "change", "same_prompt", "same_gold")
        }
        both = {
            f"{name}_{side}": own[name]
            for name in ("gold", "reply", "answer", "unparsed")
            for side, own in (("a", in_a), ("b", in_b))
        }
        found.append({**place, **same, **both})
    return found
