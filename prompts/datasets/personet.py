"""PERSONET: which trait of a character a passage of a novel shows (Yu et al. 2023).

Format: one JSON array. An item has the passage (`snippet_underlined`), what stands just before and
after it, the pages before (`history`), five `options`, the `character` and the `answer` as a
letter, "(d)". The authors' prompt gives the book's title; here it stands in neither text nor
question, since it says who is who under any names: it is the item's work.

The question names the character. Where the text does not, no name strategy has anything to map the
name with: such an item has the flag `character_not_in_text`. Options may repeat; those equal to
the gold one are accepted too. `window_words` shortens the pages before from their beginning, and
leaves the passage and its surroundings whole. Traits are shown as published.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from prompts.datasets.base import Dataset, Selection, read_text
from prompts.datasets.chosen import works_chosen
from prompts.datasets.speakers import gender_of
from prompts.datasets.works import Work, work_titled
from prompts.errors import DatasetError
from prompts.item import Character, Item
from prompts.names.replace import fold, is_name_word, name_phrase

NOT_IN_TEXT: Final = "character_not_in_text"
REPEATED: Final = "repeated_option"
_TEXTS: Final = (
    "snippet_underlined",
    "snippet_former_context",
    "snippet_post_context",
    "history",
    "book_name",
    "character",
    "answer",
)
_ANSWER: Final = re.compile(r"\s*\(?([a-e])\)?\s*\Z")
_OPTIONS: Final = 5
_BY: Final = re.compile(r"\s+by\s+(?=\S).*\Z", re.DOTALL)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_WORD: Final = re.compile(r"\S+")
_FIX: Final = "compare it with the file as published"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One item of the file, checked.

    Attributes:
        texts: The fields that are texts, by their names.
        gold: Which option, from 0.
        number: Of the item in the file, from 1.
    """

    texts: Mapping[str, str]
    options: tuple[str, ...]
    gold: int
    number: int

    @property
    def book(self) -> str:
        return self.texts["book_name"]

    @property
    def character(self) -> str:
        return self.texts["character"]


def _rows(path: Path) -> list[_Row]:
    text = read_text(path).removeprefix("\ufeff")
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}"
        raise DatasetError(path, where, f"not JSON ({error.msg})", _FIX) from None
    if not isinstance(raw, list) or not raw:
        raise DatasetError(path, "line 1", "not a JSON array of items", _FIX)
    return [_row(path, number, item) for number, item in enumerate(raw, start=1)]


def _row(path: Path, number: int, raw: Any) -> _Row:  # noqa: ANN401 - JSON may be anything
    where = f"item {number}"
    if not isinstance(raw, dict):
        raise DatasetError(path, where, "not a JSON object", _FIX)
    missing = [key for key in _TEXTS if not isinstance(raw.get(key), str)]
    if missing:
        raise DatasetError(path, where, f"no text under {', '.join(missing)}", _FIX)
    options = raw.get("options")
    if not isinstance(options, list) or not all(isinstance(one, str) and one for one in options):
        raise DatasetError(path, where, "no list of texts under options", _FIX)
    if len(options) != _OPTIONS:
        raise DatasetError(path, where, f"{len(options)} options instead of {_OPTIONS}", _FIX)
    if any(_SURROGATE.search(one) for one in (*(raw[key] for key in _TEXTS), *options)):
        raise DatasetError(path, where, "half of a surrogate pair", "mend the \\u escape")
    empty = [
        key for key in ("snippet_underlined", "book_name", "character") if not raw[key].strip()
    ]
    if empty:
        raise DatasetError(path, where, f"nothing under {', '.join(empty)}", _FIX)
    letter = _ANSWER.match(raw["answer"])
    if not letter:
        found = f"the answer {raw['answer'][:40]!r} is none of (a) to (e)"
        raise DatasetError(path, where, found, _FIX)
    gold = "abcde".index(letter[1])
    said = raw.get("gt")
    if isinstance(said, str) and said.strip() != options[gold].strip():
        found = f"answer {letter[1]!r} is {options[gold]!r}, but gt is {said!r}"
        raise DatasetError(path, where, found, _FIX)
    return _Row(
        texts={key: raw[key] for key in _TEXTS}, options=tuple(options), gold=gold, number=number
    )


def _titles(book: str) -> tuple[str, ...]:
    """A book's titles: as the file gives it, and without its author."""
    return tuple(dict.fromkeys((book.strip(), _BY.sub("", book).strip())))


def _work(book: str) -> Work | None:
    return next((work for title in _titles(book) if (work := work_titled(title))), None)


def _casts(rows: Sequence[_Row]) -> dict[str, tuple[Character, ...]]:
    """Each book's cast: that of the works file, and everyone the file asks about."""
    casts: dict[str, dict[str, Character]] = {}
    for row in rows:
        if row.book not in casts:
            work = _work(row.book)
            people = work.cast if work else ()
            casts[row.book] = {fold(form): one for one in people for form in one.forms}
        name = " ".join(row.character.split())
        person = Character(name=name, gender=gender_of(name), proper=_is_proper(name))
        casts[row.book].setdefault(fold(name), person)
    return {book: tuple(dict.fromkeys(people.values())) for book, people in casts.items()}


def _is_proper(name: str) -> bool:
    """Whether a character is called by a name, not by a word such as "ferryman"."""
    return any(word[0].isupper() for word in name_phrase(name) if is_name_word(word))


def _text(row: _Row, most_words: int | None) -> tuple[str, tuple[str, ...]]:
    """The passage with what stands around it, and a note where the pages before are shortened."""
    before, passage, after = (
        row.texts[key].strip()
        for key in ("snippet_former_context", "snippet_underlined", "snippet_post_context")
    )
    history = row.texts["history"].strip()
    notes: tuple[str, ...] = ()
    if most_words is not None:
        words = list(_WORD.finditer(history))
        taken = sum(len(part.split()) for part in (before, passage, after))
        left = max(most_words - taken, 0)
        if len(words) > left:
            history = history[words[-left].start() :] if left else ""
            notes = (f"the last {left} of {len(words)} words of the pages before are shown",)
    parts = (
        ("The pages before:", history),
        ("Just before the passage:", before),
        ("The passage:", passage),
        ("Just after the passage:", after),
    )
    return "\n\n".join(f"{heading}\n{part}" for heading, part in parts if part), notes


def _item(path: Path, row: _Row, cast: tuple[Character, ...], selection: Selection) -> Item:
    text, notes = _text(row, selection.window_words)
    name, gold = row.character, row.options[row.gold]
    equal = tuple(
        option
        for index, option in enumerate(row.options)
        if index != row.gold and fold(option.strip()) == fold(gold.strip())
    )
    flags = []
    if name not in text:
        flags.append(NOT_IN_TEXT)
        notes = (*notes, f"the text never says {name!r}, so replaced names cannot ask about it")
    if len({fold(option.strip()) for option in row.options}) < len(row.options):
        flags.append(REPEATED)
    return Item(
        item_id=f"{path.stem}:{row.number}",
        task=selection.task,
        dataset="personet",
        work=row.book.strip(),
        text=text,
        question=f"Which trait of {name} does the passage show?",
        gold={"trait": gold},
        accepted=equal,
        options=row.options,
        cast=cast,
        flags=tuple(flags),
        notes=notes,
    )


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """The items of a file, in its order; those about one passage are one scene."""
    if root.is_dir():
        fix = "point `path` at one of the corpus's files, such as dev_data.json"
        raise DatasetError(root, "", "a folder", fix)
    rows = _rows(root)
    casts = _casts(rows)
    chosen = works_chosen(selection.works, [_titles(book) for book in casts])
    scenes: dict[tuple[str, str], str] = {}
    for row in rows:
        if chosen(_titles(row.book)):
            item = _item(root, row, casts[row.book], selection)
            scene = scenes.setdefault((row.book, row.texts["snippet_underlined"]), item.item_id)
            yield replace(item, scene=scene)


PERSONET = Dataset(
    name="personet",
    title="PERSONET, traits of characters in novels",
    tasks=("personality",),
    licence="none stated; the novels are in the public domain",
    source="Gorov/personet_acl23, personet_data/",
    path_help="a .json file of the corpus, such as dev_data.json",
    read=read,
)
