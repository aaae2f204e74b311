"""Source-identification excerpts: five passages a work (the memorization paper, section 3.2).

Format: one JSON object a line with `id`, `source` and `text`; further fields are ignored. The works
file adds accepted titles and the cast for the novels it knows; of other works nothing is renamed,
and the audit says so by its count of suspects.

An excerpt whose words name its work is flagged `title_in_text`: one of its titles stands there, or
a word of one that is a name of the cast, alone or in the plural ("Emma", "Baskervilles"). Second
titles ("Or, Meg, Jo, Beth, and Amy") do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection, title_options
from prompts.datasets.chosen import works_chosen
from prompts.datasets.giveaways import is_named
from prompts.datasets.jsonl import read_lines
from prompts.datasets.parts import cut
from prompts.datasets.works import work_titled
from prompts.errors import DatasetError
from prompts.item import Item
from prompts.names.replace import fold, is_name_word, words

TITLE_IN_TEXT: Final = "title_in_text"
"""Flag of an item whose passage names its work."""

_ARTICLE = re.compile(r"^(?:The|A|An) ")
_SECOND = re.compile(r"\s*[;:].*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    item_id: str
    source: str
    text: str


def _rows(path: Path) -> list[_Row]:
    rows: list[_Row] = []
    first: dict[str, int] = {}
    for line in read_lines(path):
        raw, where = line.raw, line.where
        missing = [key for key in ("id", "source", "text") if not isinstance(raw.get(key), str)]
        if missing:
            found = f"no text under {', '.join(missing)}"
            raise DatasetError(path, where, found, "give id, source and text as strings")
        row = _Row(item_id=raw["id"], source=raw["source"], text=raw["text"])
        if first.setdefault(row.item_id, line.number) != line.number:
            found = f"the id {row.item_id!r} already stands on line {first[row.item_id]}"
            raise DatasetError(path, where, found, "give each excerpt an id of its own")
        rows.append(row)
    return rows


def title_flags(item: Item) -> tuple[str, ...]:
    """The flag for an item whose passage names its work, or none."""
    titles = [_SECOND.sub("", title) for title in item.accepted]
    names = {
        fold(part)
        for person in item.cast
        if person.proper
        for form in person.forms
        for word in form.split()
        if is_name_word(word)
        for part in words(word)
    }
    telling = {
        word
        for title in titles
        for word in words(title)
        if word[0].isupper() and not names.isdisjoint({fold(word), fold(word).removesuffix("s")})
    }
    phrases = [_ARTICLE.sub("", title) for title in titles]
    return (TITLE_IN_TEXT,) if is_named(item.text, (*phrases, *telling)) else ()


def _parts(item: Item, selection: Selection) -> Iterator[Item]:
    """The excerpt, or its windows."""
    blocks = item.text.split("\n\n")
    words = selection.window_words
    for part in cut(item, blocks, words, joint="\n\n", unit="paragraphs"):
        yield replace(part, flags=title_flags(part))


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The excerpts of a file, one item each."""
    rows = _rows(root)
    sources = list(dict.fromkeys(row.source for row in rows))
    known = {source: work_titled(source) for source in sources}
    shown = {source: work.titles[0] if work else source for source, work in known.items()}
    chosen = works_chosen(selection.works, [(shown[source], source) for source in sources])
    for row in rows:
        work, title = known[row.source], shown[row.source]
        if not chosen((title, row.source)):
            continue
        item = Item(
            item_id=row.item_id,
            task=selection.task,
            dataset="excerpts",
            work=title,
            text=row.text,
            gold={"title": title},
            accepted=tuple(dict.fromkeys((*(work.titles if work else ()), row.source))),
            options=title_options(
                title, list(shown.values()), selection.options, selection.seed, row.item_id
            ),
            cast=work.cast if work else (),
        )
        yield from _parts(item, selection)


EXCERPTS = Dataset(
    name="excerpts",
    title="source-identification excerpts (JSON lines)",
    tasks=("source_identification",),
    licence="that of the texts you bring",
    source="your own file",
    path_help="a .jsonl file with id, source and text on each line",
    read=read,
)
