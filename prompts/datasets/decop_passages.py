"""Passages with three paraphrases each, for DE-COP: JSON lines of one's own.

Format: one JSON object a line with `id`, `work`, `passage` (verbatim), `paraphrases` (three texts)
and, where its names are to be replaced, `cast`: a list of objects with `name`, and where known
`aliases` (a list) and `gender` ("female" or "male"). Where there is no cast, that of the works file
stands in, if it knows the work. Further fields are ignored.

Each line gives 24 items, one for each order of the four texts; they share the scene `id`, so that
intervals know them for one passage, and a flag (`verbatim_a` … `verbatim_d`) says where the passage
stands. White space is made even in all four, because line ends would tell the verse of the original
from prose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Final, get_args

from prompts.datasets.base import Dataset, Selection
from prompts.datasets.chosen import works_chosen
from prompts.datasets.jsonl import JsonLine, read_lines
from prompts.datasets.works import work_titled
from prompts.errors import DatasetError
from prompts.item import Character, Gender, Item
from prompts.tasks.decop import LETTERS

_KEYS: Final = ("id", "work", "passage")
_GENDERS: Final[tuple[Gender, ...]] = get_args(Gender)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One line.

    Attributes:
        texts: The passage, then its paraphrases.
    """

    passage_id: str
    work: str
    texts: tuple[str, ...]
    cast: tuple[Character, ...]


def _rows(path: Path) -> list[_Row]:
    rows: list[_Row] = []
    first: dict[str, int] = {}
    for line in read_lines(path):
        row = _row(path, line)
        if first.setdefault(row.passage_id, line.number) != line.number:
            found = f"the id {row.passage_id!r} already stands on line {first[row.passage_id]}"
            raise DatasetError(path, line.where, found, "give each passage an id of its own")
        rows.append(row)
    if not rows:
        raise DatasetError(path, "line 1", "no passage", "write one JSON object a line")
    return rows


def _row(path: Path, line: JsonLine) -> _Row:
    raw = line.raw
    missing = [key for key in _KEYS if not _is_text(raw.get(key))]
    if missing:
        found = f"no text under {', '.join(missing)}"
        raise DatasetError(path, line.where, found, "give id, work and passage as strings")
    others = raw.get("paraphrases")
    count = len(LETTERS) - 1
    if not (isinstance(others, list) and len(others) == count and all(map(_is_text, others))):
        found = f"no list of {count} texts under paraphrases"
        raise DatasetError(path, line.where, found, f"give {count} paraphrases as strings")
    texts = tuple(" ".join(text.split()) for text in (raw["passage"], *others))
    if len(set(texts)) < len(texts):
        found = "two of the passage and its paraphrases are the same"
        raise DatasetError(path, line.where, found, "give paraphrases that differ")
    return _Row(passage_id=raw["id"], work=raw["work"], texts=texts, cast=tuple(_cast(path, line)))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _cast(path: Path, line: JsonLine) -> Iterator[Character]:
    people = line.raw.get("cast") or []
    if not isinstance(people, list):
        raise DatasetError(path, line.where, "no list under cast", "give cast as a list of objects")
    names: set[str] = set()
    for number, raw in enumerate(people):
        where = f"{line.where}, cast[{number}]"
        if not (isinstance(raw, dict) and _is_text(raw.get("name"))):
            raise DatasetError(path, where, "no text under name", "give name as a string")
        aliases = raw.get("aliases") or []
        if not (isinstance(aliases, list) and all(map(_is_text, aliases))):
            found = "no list of texts under aliases"
            raise DatasetError(path, where, found, "give aliases as a list of strings")
        gender = raw.get("gender") or "unknown"
        known = next((one for one in _GENDERS if one == gender), None)
        if known is None:
            fix = f"give one of {', '.join(_GENDERS)}"
            raise DatasetError(path, where, f"the gender {gender!r}", fix)
        if raw["name"] in names:
            found = f"two of the cast are called {raw['name']!r}"
            raise DatasetError(path, where, found, "give each a name of its own")
        names.add(raw["name"])
        yield Character(name=raw["name"], aliases=tuple(aliases), gender=known)


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """Each passage in its 24 orders, in the file's order."""
    rows = _rows(root)
    known = {row.work: work_titled(row.work) for row in rows}
    shown = {own: work.titles[0] if work else own for own, work in known.items()}
    chosen = works_chosen(selection.works, [(shown[own], own) for own in shown])
    for row in rows:
        work = known[row.work]
        if chosen((shown[row.work], row.work)):
            cast = row.cast or (work.cast if work else ())
            yield from _orders(row, shown[row.work], cast, selection.task)


def _orders(row: _Row, title: str, cast: tuple[Character, ...], task: str) -> Iterator[Item]:
    for order in permutations(range(len(LETTERS))):
        verbatim = LETTERS[order.index(0)]
        listed = zip(LETTERS, order, strict=True)
        yield Item(
            item_id=f"{row.passage_id}:{''.join(map(str, order))}",
            task=task,
            dataset="decop_passages",
            work=title,
            text="\n\n".join(f"{letter}. {row.texts[which]}" for letter, which in listed),
            gold={"option": verbatim},
            options=LETTERS,
            cast=cast,
            scene=row.passage_id,
            flags=(f"verbatim_{verbatim.lower()}",),
        )


DECOP_PASSAGES = Dataset(
    name="decop_passages",
    title="passages with three paraphrases each (JSON lines)",
    tasks=("decop",),
    licence="that of the texts you bring",
    source="your own file",
    path_help="a .jsonl file with id, work, passage and paraphrases on each line",
    read=read,
)
