"""MovieCoref: who is who in film scripts (Baruah & Narayanan 2023; first files Baruah et al. 2021).

Format: `labels/FILM.csv`, one mention a record, beside `screenplay/FILM.txt`, the whole script;
`movies.txt`, where it is there, lists the films of the corpus. The CSV has 18 columns, one of them
twice, the flags in another order and case from film to film; only `begin`, `end` (code points of
the script, half-open), `surface`, `entityNum` and `entityLabel` are read. Cells hold line ends,
also in the middle of names; mentions nest, and some repeat.

A cluster is an `entityNum`: two people whom annotators called by one label stay two. Scripts are
shown without their indentation, with at most one empty line between lines; spans move with the
text. Windows are cut at line ends, and one without a mention is not an item. The aliases of a
character are the capitalised ways in which the script calls the cluster, its gender is that of the
cluster's pronouns.
"""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection, read_text
from prompts.datasets.chosen import works_chosen
from prompts.datasets.mentions import Mention, mention_items
from prompts.datasets.speakers import cast_of, gender_of, is_name
from prompts.datasets.speakers import shown as shown_label
from prompts.errors import DatasetError
from prompts.item import Character, Item
from prompts.names.replace import fold, is_name_word, name_phrase, words

_COLUMNS: Final = 18
_READ: Final = ("begin", "end", "surface", "entityNum", "entityLabel")
_TITLES: Final = {
    "avengers_endgame": ("Avengers: Endgame", "Avengers Endgame"),
    "basterds": ("Inglourious Basterds",),
    "bourne": ("The Bourne Ultimatum", "Bourne"),
    "dead_poets_society": ("Dead Poets Society",),
    "john_wick": ("John Wick",),
    "joker": ("Joker",),
    "prestige": ("The Prestige",),
    "quiet_place": ("A Quiet Place",),
    "shawshank": ("The Shawshank Redemption", "Shawshank"),
    "zootopia": ("Zootopia",),
}
_FIX: Final = "compare it with the file as published"
_POINTER: Final = "version https://git-lfs"
_TOKEN: Final = re.compile(r"\S+")
_POSSESSIVE: Final = re.compile(r"['’][sS]?\Z")
_MOST_ALIAS_WORDS: Final = 4
_STRANGE: Final = 0.05  # beyond this share the script is another one than was annotated


@dataclass(frozen=True, slots=True, kw_only=True)
class _Film:
    labels: Path
    script: Path
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    start: int
    end: int
    surface: str
    entity: str
    label: str
    where: str


def _films(root: Path) -> list[_Film]:
    if root.is_dir():
        data = next((p for p in (root, root / "data") if (p / "labels").is_dir()), root)
        folder = data / "labels" if (data / "labels").is_dir() else root
        listed = data / "movies.txt"
        if listed.is_file():
            lines = read_text(listed).splitlines()
            paths = [folder / f"{line.split()[0]}.csv" for line in lines if line.strip()]
        else:
            paths = sorted(folder.glob("*.csv"))
        if not paths:
            fix = "point `path` at the corpus's folder `data`, or at one of its label files"
            raise DatasetError(root, "", "no label file (.csv) in this folder", fix)
    else:
        paths = [root]
    return [_Film(labels=path, script=_script(path), titles=_titles(path.stem)) for path in paths]


def _titles(stem: str) -> tuple[str, ...]:
    return _TITLES.get(stem) or (" ".join(stem.split("_")).title(),)


def _script(labels: Path) -> Path:
    beside = labels.with_suffix(".txt")
    return beside if beside.is_file() else labels.parent.parent / "screenplay" / beside.name


def _text(path: Path) -> str:
    text = read_text(path).removeprefix("\ufeff")
    if text.startswith(_POINTER):
        fix = "fetch the file itself (`git lfs pull` in a clone)"
        raise DatasetError(path, "line 1", "a Git LFS pointer instead of the file", fix)
    if not text.strip():
        raise DatasetError(path, "", "empty", _FIX)
    return text


def _mentions(path: Path) -> list[_Row]:
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DatasetError(path, f"line {line}", f"not CSV ({error})", _FIX) from None
    header = rows[0][1]
    missing = [name for name in _READ if name not in header]
    if missing or len(header) != _COLUMNS:
        found = f"{len(header)} columns, without {', '.join(missing) or 'a missing one'}"
        raise DatasetError(path, "line 1", found, f"{_COLUMNS} are wanted: {_FIX}")
    at = [header.index(name) for name in _READ]
    found_mentions = [_mention(path, number, row, at) for number, row in rows[1:] if row]
    if not found_mentions:
        raise DatasetError(path, "line 2", "no mention", _FIX)
    return found_mentions


def _mention(path: Path, number: int, row: list[str], at: Sequence[int]) -> _Row:
    where = f"line {number}"
    if len(row) != _COLUMNS:
        raise DatasetError(path, where, f"{len(row)} cells instead of {_COLUMNS}", _FIX)
    begin, end, surface, entity, label = (row[index].strip() for index in at)
    if not (begin.isdecimal() and end.isdecimal() and int(begin) < int(end)):
        found = f"begin {begin!r} and end {end!r} are not the offsets of a mention"
        raise DatasetError(path, where, found, _FIX)
    if not entity or not label:
        raise DatasetError(path, where, "a mention without entityNum or entityLabel", _FIX)
    return _Row(
        start=int(begin),
        end=int(end),
        surface=" ".join(surface.split()),
        entity=entity,
        label=" ".join(label.split()),
        where=where,
    )


def _annotated(film: _Film, mentions: Sequence[_Row]) -> tuple[str, list[_Row]]:
    """The script as it was annotated, and the mentions whose words differ from what it says."""
    raw = _text(film.script)
    # Offsets count a line end as one character in some files and as it stands in others.
    texts = dict.fromkeys((raw, raw.replace("\r\n", "\n")))
    tried = [(text, [m for m in mentions if not _says(text, m)]) for text in texts]
    text, strange = min(tried, key=lambda one: len(one[1]))
    beyond = next((m for m in mentions if not text[m.start : m.end].strip()), None)
    if beyond or len(strange) > _STRANGE * len(mentions):
        worst = beyond or strange[0]
        found = f"{worst.start}-{worst.end} is {text[worst.start : worst.end][:40]!r} in the script"
        found += f", not {worst.surface[:40]!r} (so are {len(strange)} of {len(mentions)} mentions)"
        fix = f"put the whole script that was annotated at {film.script}"
        raise DatasetError(film.labels, worst.where, found, fix)
    return text, strange


def _says(text: str, mention: _Row) -> bool:
    return " ".join(text[mention.start : mention.end].split()) == mention.surface


class _Tidied:
    """A text with its white space reduced, and where its characters have gone."""

    def __init__(self, text: str) -> None:
        tokens = [(m.start(), m.end()) for m in _TOKEN.finditer(text)]
        self._old = [start for start, _ in tokens]
        self._new: list[int] = []
        parts: list[str] = []
        length = reached = 0
        for start, end in tokens:
            breaks = min(text.count("\n", reached, start), 2)
            gap = ("\n" * breaks or " ") if parts else ""
            parts += (gap, text[start:end])
            self._new.append(length + len(gap))
            length += len(gap) + end - start
            reached = end
        self.text = "".join(parts)

    def moved(self, text: str, mention: _Row) -> Mention:
        """A mention's place, white space at its ends left out."""
        words_there = text[mention.start : mention.end]
        start = mention.start + len(words_there) - len(words_there.lstrip())
        end = mention.start + len(words_there.rstrip())
        return Mention(start=self._at(start), end=self._at(end - 1) + 1, entity=mention.entity)

    def _at(self, offset: int) -> int:
        token = bisect_right(self._old, offset) - 1
        return self._new[token] + offset - self._old[token]


def _cast(mentions: Iterable[_Row], counts: Counter[str]) -> tuple[Character, ...]:
    """The people, one a name; clusters that share a name share a replacement."""
    said: dict[str, list[str]] = {}
    labels: dict[str, str] = {}
    for mention in mentions:
        label = shown_label(mention.label)
        labels.setdefault(fold(label), label)
        said.setdefault(fold(label), []).append(mention.surface)
    people = []
    for key, label in labels.items():
        aliases = dict.fromkeys(
            form for surface in said[key] for form in _forms(surface, counts) if form != label
        )
        if is_name(label, counts):
            gender = gender_of(label, said[key])
            people.append(Character(name=label, aliases=tuple(aliases), gender=gender))
    roles = [label for label in labels.values() if not is_name(label, counts)]
    return (*people, *(one for one in cast_of(roles, counts) if not one.proper))


def _forms(surface: str, counts: Counter[str]) -> Iterator[str]:
    """The name that a mention is, if it is one."""
    name = shown_label(_POSSESSIVE.sub("", surface).strip('.,:;!?"“”()'))
    parts = name.split()
    capitals = all(part[0].isupper() for part in parts)
    phrase = name_phrase(name)
    # A one-word mention that is a name never stands in the script in small letters.
    names = bool(phrase) and all(
        counts[word.lower()] == 0 for part in phrase if is_name_word(part) for word in words(part)
    )
    if capitals and names and len(parts) <= _MOST_ALIAS_WORDS and is_name(name, counts):
        yield name


def _blocks(text: str, mentions: Iterable[Mention]) -> list[str]:
    """The lines of a text, those that a mention reaches over in one block."""
    reach: dict[int, int] = {}
    for mention in mentions:
        reach[mention.start] = max(mention.end, reach.get(mention.start, 0))
    starts = sorted(reach)
    blocks: list[str] = []
    at = reached = taken = 0
    for line in text.split("\n"):
        if blocks and reached > at:
            blocks[-1] += f"\n{line}"
        else:
            blocks.append(line)
        at += len(line) + 1
        while taken < len(starts) and starts[taken] < at:
            reached = max(reached, reach[starts[taken]])
            taken += 1
    return blocks


def _items(film: _Film, selection: Selection) -> Iterator[Item]:
    rows = _mentions(film.labels)
    text, strange = _annotated(film, rows)
    tidied = _Tidied(text)
    mentions = list(dict.fromkeys(tidied.moved(text, row) for row in rows))
    item = Item(
        item_id=film.labels.stem,
        task=selection.task,
        dataset="moviecoref",
        work=film.titles[0],
        text=tidied.text,
        gold={},
        cast=_cast(rows, Counter(words(tidied.text))),
        notes=_notes(rows, strange),
    )
    blocks = _blocks(tidied.text, mentions)
    for window in mention_items(item, blocks, mentions, selection.window_words):
        yield replace(window, scene=window.item_id)


def _notes(mentions: Sequence[_Row], strange: Sequence[_Row]) -> tuple[str, ...]:
    numbers: dict[str, set[str]] = {}
    for mention in mentions:
        numbers.setdefault(mention.label, set()).add(mention.entity)
    shared = [label for label, own in numbers.items() if len(own) > 1]
    notes = []
    if strange:
        notes.append(f"mentions whose words are others in the script: {len(strange)}")
    if shared:
        notes.append(f"labels that stand for several clusters: {', '.join(shared)}")
    return tuple(notes)


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """Scripts with their mentions, one item a window, in the corpus's order of films."""
    films = _films(root)
    chosen = works_chosen(selection.works, [film.titles for film in films])
    for film in films:
        if chosen(film.titles):
            yield from _items(film, selection)


MOVIECOREF = Dataset(
    name="moviecoref",
    title="MovieCoref, film scripts with character coreference",
    tasks=("coreference",),
    licence="none stated; the scripts belong to their studios",
    source="usc-sail/mica-character-coref, data/labels and data/screenplay",
    path_help="the folder `data` of the corpus, or one of its label files (.csv)",
    read=read,
)
