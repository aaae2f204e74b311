"""LitBank's quotations as scenes to guess the speakers of (Sims and Bamman 2020).

Format: rows of tabs. `QUOTE`, id, first sentence and token, last sentence and token (inclusive,
from 0), words; `ATTRIB`, id, entity that speaks, by the name the coreference files have for it.

Before each quotation stands its speaker's label, `[P0]`, `[P1]` … in order of appearance; the words
around it stay as they are. Where those name a speaker ("said Emma"), the item is flagged
`attributed_in_text`: that answer need not be guessed. The speakers of the book's annotated part are
the options. A book in which only one person speaks is no item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from prompts.datasets.base import Selection, shuffled
from prompts.datasets.giveaways import forms_of, gold_name_flags, is_named
from prompts.datasets.litbank_files import FIX, Sentences, place, read_book, read_sentences, rows
from prompts.datasets.litbank_people import name_of, people_of
from prompts.datasets.parts import parts
from prompts.errors import DatasetError
from prompts.item import Character, Item

ATTRIBUTED: Final = "attributed_in_text"
"""Flag of an item in which the words around a quotation name its speaker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """One quotation: its code points in the book's text, and the entity that speaks it."""

    start: int
    end: int
    entity: str


def read_quotations(path: Path, sentences: Sentences) -> list[Quotation]:
    """The quotations of a file, in the order of the text.

    Raises:
        DatasetError: The file is not as published.
    """
    wanted = {"QUOTE": 7, "ATTRIB": 3}
    where_of: dict[str, str] = {}
    stretches: dict[str, range] = {}
    speakers: dict[str, str] = {}
    for where, cells in rows(path):
        label = cells[0]
        if label not in wanted:
            fix = f"use one of {', '.join(wanted)}; quotations stand in the folder quotations/tsv"
            raise DatasetError(path, where, f"the label {label!r} is unknown", fix)
        if len(cells) != wanted[label]:
            raise DatasetError(path, where, f"{len(cells)} columns, not {wanted[label]}", FIX)
        where_of[cells[1]] = where
        if label == "QUOTE":
            stretches[cells[1]] = place(path, where, cells, sentences)
        else:
            speakers[cells[1]] = cells[2]
    for own_id in (*stretches, *speakers):
        if own_id not in stretches or own_id not in speakers:
            what = "no QUOTE" if own_id in speakers else "no ATTRIB"
            raise DatasetError(path, where_of[own_id], f"{what} for {own_id}", FIX)
    found = [
        Quotation(start=stretch.start, end=stretch.stop, entity=speakers[own_id])
        for own_id, stretch in stretches.items()
    ]
    return sorted(found, key=lambda one: one.start)


def quotation_items(path: Path, title: str, selection: Selection) -> Iterator[Item]:
    """The annotated part of a book with its speakers to guess.

    Args:
        path: The quotations. Where the coreference of the same book stands in `coref/tsv` of the
            same download, it says who the speakers are; else their marks do.
        title: The work.
        selection: What is asked for.

    Raises:
        DatasetError: A file is not as published.
    """
    sentences = read_sentences(path)
    quotations = read_quotations(path, sentences)
    coreference = path.parents[2] / "coref" / "tsv" / path.name
    book = read_book(coreference) if len(path.parents) > 2 and coreference.exists() else None
    people = people_of(title, book)
    names = _names([one.entity for one in quotations], people.names, people.cast)
    if len(names) < 2:
        return
    known = {form for person in people.cast for form in person.forms}
    roles = [Character(name=name, proper=False) for name in names.values() if name not in known]
    codes = {entity: f"P{number}" for number, entity in enumerate(names)}
    blocks = _blocks(sentences, quotations, codes)
    attributed = _attributed(sentences, quotations, names, people.cast)
    lines = [block.text for block in blocks]
    item = Item(
        item_id=path.stem.removesuffix("_brat"),
        task=selection.task,
        dataset="litbank",
        work=title,
        text="\n".join(lines),
        gold={codes[entity]: name for entity, name in names.items()},
        options=shuffled(names.values(), selection.seed, path.stem, "options"),
        cast=(*people.cast, *roles),
        scene=path.stem.removesuffix("_brat"),
    )
    for part in parts(item, lines, selection.window_words, unit="passages"):
        own = [one for at in part.blocks for one in blocks[at].quotations]
        spoken = {codes[one.entity] for one in own}
        gold = {code: name for code, name in item.gold.items() if code in spoken}
        if gold:
            cut = replace(part.item, gold=gold)
            told = (ATTRIBUTED,) if attributed.intersection(own) else ()
            yield replace(cut, flags=(*gold_name_flags(cut), *told))


def _names(
    entities: Sequence[str], known: Mapping[str, str], cast: Sequence[Character]
) -> dict[str, str]:
    """Each entity's name as it is offered: one of the cast, or what its mark says."""
    names: dict[str, str] = {}
    times: Counter[str] = Counter()
    for entity in dict.fromkeys(entities):
        said = name_of(entity)
        person = next((one.name for one in cast if said in one.forms), said)
        name = known.get(entity, person)
        times[name] += 1
        names[entity] = name if times[name] == 1 else f"{name} {times[name]}"
    return names


@dataclass(slots=True)
class _Block:
    """A run of sentences that no quotation reaches out of, labelled."""

    text: str
    quotations: list[Quotation]


def _blocks(
    sentences: Sentences, quotations: Sequence[Quotation], codes: Mapping[str, str]
) -> list[_Block]:
    blocks: list[_Block] = []
    start, goes_on = 0, False
    for line in sentences.lines:
        end = start + len(line)
        own = [one for one in quotations if start <= one.start < end]
        shown = line
        for one in reversed(own):
            at = one.start - start
            shown = f"{shown[:at]}[{codes[one.entity]}] {shown[at:]}"
        if goes_on:
            blocks[-1].text += f"\n{shown}"
            blocks[-1].quotations += own
        else:
            blocks.append(_Block(shown, own))
        goes_on = any(one.start < end < one.end for one in quotations)
        start = end + 1
    return blocks


def _attributed(
    sentences: Sentences,
    quotations: Sequence[Quotation],
    names: Mapping[str, str],
    cast: Sequence[Character],
) -> set[Quotation]:
    """The quotations whose speaker is named by the words around them.

    Those are the words of the sentences it begins and ends in, and of the next one, which "said
    Alice" may open.
    """
    text = sentences.text
    told = "".join(
        " " if any(one.start <= at < one.end for one in quotations) else char
        for at, char in enumerate(text)
    )
    found: set[Quotation] = set()
    for one in quotations:
        begins = text.rfind("\n", 0, one.start) + 1
        ends = text.find("\n", one.end)
        ends = text.find("\n", ends + 1) if ends >= 0 else -1
        around = told[begins : ends if ends >= 0 else len(text)]
        if is_named(around, forms_of(names[one.entity], cast)):
            found.add(one)
    return found
