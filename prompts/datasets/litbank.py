"""LitBank: coreference and quotations in the openings of 100 novels (Bamman et al. 2020).

`prompts.datasets.litbank_files` and `prompts.datasets.litbank_quotations` give the formats. A book
is an item, or its windows are; its sentences are the lines. The files name clusters after the
people they are (`Emma_Woodhouse-1`): no such name is shown, or stands in gold or ids.

Coreference is of persons: mentions of places, buildings, vehicles and the like are left out with a
note. CoNLL files do not tell them apart, so from those every mention is taken, and a note says so.
Mentions that say what someone is ("a nervous man", COP and APPOS) are clusters of their own, as in
the published evaluation, and so are singletons. Groups ("the Woodhouses") are persons here.

A folder is read in the layout found first: `coref/tsv`, `coref/brat`, `coref/conll` for
coreference, `quotations/tsv` for quotations, or the folder's own files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection
from prompts.datasets.chosen import works_chosen
from prompts.datasets.litbank_files import read_book
from prompts.datasets.litbank_people import people_of
from prompts.datasets.litbank_quotations import quotation_items
from prompts.datasets.mentions import Mention, mention_items
from prompts.datasets.works import work_titled
from prompts.errors import DatasetError
from prompts.item import Item

_LAYOUTS: Final = {
    "coreference": ("coref/tsv", "coref/brat", "coref/conll", "tsv", "brat", "conll", "."),
    "character_guessing": ("quotations/tsv", "tsv", "."),
}
_SMALL: Final = frozenset("a an and at by for from in of on or the to with".split())


def _files(root: Path, task: str) -> list[Path]:
    if not root.is_dir():
        return [root]
    for layout in _LAYOUTS[task]:
        folder = root / layout
        patterns = ("*.ann",) if task == "character_guessing" else ("*.ann", "*.conll")
        for pattern in patterns:
            found = sorted(folder.glob(pattern))
            if found:
                return found
    fix = f"point `path` at LitBank, at a file, or at one of {', '.join(_LAYOUTS[task][:-1])}"
    raise DatasetError(root, "", "no .ann or .conll file in this folder", fix)


def _title(path: Path) -> str:
    """The work, from a file's name: `1342_pride_and_prejudice_brat.ann`."""
    words = re.sub(r"\A\d+_|_brat\Z", "", path.stem).split("_")
    work = work_titled(" ".join(words))
    if work is not None:
        return work.titles[0]
    return " ".join(
        word if at and word in _SMALL else word.capitalize() for at, word in enumerate(words)
    )


def _titles(title: str) -> tuple[str, ...]:
    work = work_titled(title)
    return work.titles if work else (title,)


def _coreference_items(path: Path, title: str, selection: Selection) -> Iterator[Item]:
    book = read_book(path)
    persons = [one for one in book.mentions if one.kind in {"PER", ""}]
    notes = []
    if len(persons) < len(book.mentions):
        others = len(book.mentions) - len(persons)
        notes.append(f"{others} mentions of places and things are left out of the gold answer")
    if not any(one.kind for one in persons):
        notes.append("the file does not tell persons from places and things: all are asked for")
    name = path.stem.removesuffix("_brat")
    item = Item(
        item_id=name,
        task=selection.task,
        dataset="litbank",
        work=title,
        text=book.sentences.text,
        gold={},
        cast=people_of(title, book).cast,
        scene=name,
        notes=tuple(notes),
    )
    mentions = [Mention(start=one.start, end=one.end, entity=one.entity) for one in persons]
    yield from mention_items(item, book.sentences.lines, mentions, selection.window_words)


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The books of a folder, or the one of a file.

    Raises:
        DatasetError: A file is not as published.
        UnknownName: `works` names a book that is not there.
    """
    titles = {path: _title(path) for path in _files(root, selection.task)}
    known = {title: _titles(title) for title in titles.values()}
    chosen = works_chosen(selection.works, known.values())
    for path, title in titles.items():
        if not chosen(known[title]):
            continue
        if selection.task == "coreference":
            yield from _coreference_items(path, title, selection)
        else:
            yield from quotation_items(path, title, selection)


LITBANK = Dataset(
    name="litbank",
    title="LitBank, coreference and quotations in novels (tsv, brat, CoNLL)",
    tasks=("coreference", "character_guessing"),
    licence="annotations CC BY 4.0; texts in the public domain",
    source="dbamman/litbank, coref/ and quotations/",
    path_help="LitBank's folder, a folder of one layout, or a .ann or .conll file",
    read=read,
)
