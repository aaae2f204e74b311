"""The items that a report's browser holds: chosen, put together, and packed.

What the list of items needs lies open as JSON; the texts of an item lie compressed with those of
its neighbours, each distinct one once, and are taken out when the item is looked at or searched.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from analysis.contrasts import NR
from analysis.report.differences import unit_of
from analysis.report.provenance import PACKAGE
from analysis.report.text import public
from analysis.report.values import Browser
from analysis.sql import query
from analysis.tables import Record
from store.read import Source, ask

_AT_ONCE: Final = 100
"""Items whose texts are asked for together (count): more would be much memory."""
_CHUNK: Final = 400_000
"""Characters of texts after which a chunk is full."""
_NAMES: Final = ("original", "masked", "same_culture", "cross_culture")
_PROMPTS: Final = ("baseline", "verbatim", "gist")
_ESCAPED: Final = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}

Condition = tuple[str, str, str, str]
"""Names, prompt, wording and descriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which items a report is to hold.

    Attributes:
        seed: Of the order in which items are taken.
        most: How many (count).
    """

    experiment: str
    seed: int
    most: int


def browser(source: Source, wanted: Wanted) -> Browser:
    """The items of an experiment, as many as wanted."""
    chosen = ask(
        source,
        query("items", PACKAGE),
        {
            "experiment": wanted.experiment,
            "nr": NR,
            "seed": str(wanted.seed),
            "most": wanted.most,
        },
    ).records()
    packer = _Packer()
    for at in range(0, len(chosen), _AT_ONCE):
        part = chosen[at : at + _AT_ONCE]
        for item in _assembled(source, wanted.experiment, part):
            packer.add(item)
    counted = ask(source, query("item_count", PACKAGE), {"experiment": wanted.experiment})
    of = int(str(counted.rows[0][0]))
    return Browser(
        index=script_json(packer.index()),
        chunks=tuple(packer.packed()),
        held=len(chosen),
        of=of,
        left_out=_left_out(len(chosen), of),
    )


def script_json(value: object) -> str:
    """A value as JSON that can stand in a `script` element whatever texts it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return "".join(_ESCAPED.get(char, char) for char in text)


def _left_out(held: int, of: int) -> str:
    if held == of:
        return ""
    return (
        f"This file holds {held:,} of the experiment's {of:,} items, of each task as many:"
        " first those that are right under original and wrong under changed names or the other way"
        " round, then others by lot. Counts in this browser are of the items held, not of the"
        " experiment; all tables above are of all items."
    )


def _set_of(record: Record) -> tuple[str, str, str]:
    return str(record["task"]), str(record["dataset"]), str(record["choices"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What one condition of an item sent, with its cells."""

    condition: Condition
    text: str
    gold: str | None
    name_map: str
    cells: Sequence[Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    record: Record
    asked: Sequence[_Asked]


def _assembled(source: Source, experiment: str, chosen: Sequence[Record]) -> Iterator[_Item]:
    """Chosen items with everything that was asked of them."""
    hashes = list(dict.fromkeys(str(each["item_hash"]) for each in chosen))
    named: dict[str, object] = {"experiment": experiment, "items": hashes}
    cells: dict[str, list[Record]] = {}
    for cell in ask(source, query("cells", PACKAGE), named).records():
        cells.setdefault(str(cell["prompt_hash"]), []).append(cell)
    asked: dict[tuple[str, str], list[_Asked]] = {}
    for prompt in ask(source, query("prompts", PACKAGE), named).records():
        asked.setdefault((str(prompt["item_hash"]), str(prompt["choices"])), []).append(
            _Asked(
                condition=_condition(prompt),
                text=str(prompt["text"]),
                gold=None if prompt["gold"] is None else str(prompt["gold"]),
                name_map=str(prompt["name_map"] or "{}"),
                cells=cells.get(str(prompt["prompt_hash"]), []),
            )
        )
    for each in chosen:
        own = asked.get((str(each["item_hash"]), str(each["choices"])), [])
        yield _Item(record=each, asked=sorted(own, key=lambda one: _order(one.condition)))


def _condition(prompt: Record) -> Condition:
    names, words, wording, descriptions = (
        str(prompt[key]) for key in ("names", "prompt", "wording", "descriptions")
    )
    return names, words, wording, descriptions


def _order(condition: Condition) -> tuple[object, ...]:
    """The order of the tables."""
    names, prompt, wording, descriptions = condition

    def place(name: str, known: Sequence[str]) -> tuple[int, str]:
        return (known.index(name), "") if name in known else (len(known), name)

    return (
        wording != "own",
        wording,
        descriptions != "none",
        descriptions,
        place(names, _NAMES),
        place(prompt, _PROMPTS),
    )


@dataclass(slots=True)
class _Texts:
    """Texts by number, each distinct one once."""

    numbers: dict[str, int] = field(default_factory=dict)
    size: int = 0

    def number(self, text: str | None) -> int:
        """The number of a text; -1 for none."""
        if text is None:
            return -1
        if text not in self.numbers:
            self.numbers[text] = len(self.numbers)
            self.size += len(text)
        return self.numbers[text]


@dataclass(slots=True)
class _Packer:
    """Takes items one by one, and hands out the index and the chunks."""

    sets: dict[tuple[str, str, str], int] = field(default_factory=dict)
    conditions: dict[Condition, int] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)
    works: dict[str, int] = field(default_factory=dict)
    rows: list[list[object]] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    texts: _Texts = field(default_factory=_Texts)
    items: list[object] = field(default_factory=list)

    def add(self, item: _Item) -> None:
        """Take an item."""
        record = item.record
        of_set = self.sets.setdefault(_set_of(record), len(self.sets))
        work = self.works.setdefault(str(record["work"]), len(self.works))
        name = str(record["item_id"])
        scores = [list(self._scores(each)) for each in item.asked]
        place = [len(self.chunks), len(self.items)]
        self.rows.append([of_set, work, name, *place, [one for own in scores for one in own]])
        self.items.append(
            [
                [self.texts.number(note) for note in _notes(record)],
                [self._asked(each) for each in item.asked],
            ]
        )
        if self.texts.size > _CHUNK:
            self._close()

    def _scores(self, asked: _Asked) -> Iterator[list[object]]:
        """Of each model: condition, model, mean score, replies missing, replies unparsed."""
        condition = self.conditions.setdefault(asked.condition, len(self.conditions))
        by_model: dict[str, list[Record]] = {}
        for cell in asked.cells:
            by_model.setdefault(str(cell["model"]), []).append(cell)
        for model, cells in by_model.items():
            number = self.models.setdefault(model, len(self.models))
            scored = [float(str(cell["score"])) for cell in cells if cell["score"] is not None]
            mean = round(sum(scored) / len(scored), 4) if scored else None
            missing = sum(cell["reply"] is None for cell in cells)
            unparsed = sum(cell["unparsed"] is not None for cell in cells)
            yield [condition, number, mean, missing, unparsed]

    def _asked(self, asked: _Asked) -> list[object]:
        number = self.texts.number
        return [
            self.conditions[asked.condition],
            number(asked.text),
            number(asked.gold),
            number(asked.name_map),
            [self._cell(cell) for cell in asked.cells],
        ]

    def _cell(self, cell: Record) -> list[object]:
        number = self.texts.number
        error = cell["error"]
        score = cell["score"]
        return [
            self.models[str(cell["model"])],
            cell["sample"],
            number(str(cell["outcome"])),
            number(_text(cell["reply"])),
            number(_text(cell["answer"])),
            None if score is None else round(float(str(score)), 4),
            number(_text(cell["unparsed"])),
            number(None if error is None else public(str(error))),
        ]

    def _close(self) -> None:
        """Pack what was taken since the last chunk."""
        if self.items:
            chunk = {"texts": list(self.texts.numbers), "items": self.items}
            self.chunks.append(packed(json.dumps(chunk, ensure_ascii=False)))
            self.texts, self.items = _Texts(), []

    def packed(self) -> Iterable[str]:
        """The chunks."""
        self._close()
        return self.chunks

    def index(self) -> dict[str, object]:
        """What the list of items needs."""
        return {
            "sets": [[*own, unit_of(own[0])] for own in self.sets],
            "conditions": [list(own) for own in self.conditions],
            "models": list(self.models),
            "works": list(self.works),
            "items": self.rows,
            "origin": ["original", "baseline"],
            "changed": [NR, "baseline"],
        }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _notes(record: Record) -> list[str]:
    """What is to be said of an item, such as which window of its document it is."""
    notes = json.loads(str(record["notes"] or "[]"))
    return [str(note) for note in notes] if isinstance(notes, list) else []


def packed(text: str) -> str:
    """A text compressed, as base64; the same text gives the same bytes."""
    data = text.encode("utf-8", "surrogatepass")
    return base64.b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode("ascii")
