"""CSI: mentions of the perpetrator in crime drama (Frermann, Cohen & Lapata 2018).

Format: one file an episode, one word a line, 16 columns parted by tabs. A sentence is what shares a
case and a sentence number: the two cases of an episode interleave, each with numbers of its own,
and a few sentences are reopened further down, where their words go on. `killer_gold`,
`suspect_gold` and `other_gold` say Y or N of each word; neighbouring words of one sentence with the
same of them are a mention. The speaker is `None` in scene descriptions.

An item is an episode's case, one sentence a line; gold says of each mention whether it refers to
the perpetrator. A window without a mention is not an item. The corpus is in small letters. Names
of the cast are given capitals, so that a name strategy changes no word that is a name only by its
letters ("brass"): everywhere, if most places of the word are mentions, else in mentions alone.
Victims who never speak are in no cast list, and keep their names under every strategy.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from prompts.datasets.base import Dataset, Selection, read_text
from prompts.datasets.chosen import works_chosen
from prompts.datasets.mentions import Mention
from prompts.datasets.roles import role_items
from prompts.datasets.speakers import cast_of, shown
from prompts.errors import DatasetError
from prompts.item import Character, Item
from prompts.names.replace import is_name_word, name_phrase

TITLES: Final = ("CSI: Crime Scene Investigation", "CSI", "Crime Scene Investigation")
_COLUMNS: Final = tuple(
    """caseID sentID speaker word killer_gold other_gold suspect_gold human_guess medion_time
    start_time end_time i1_time i2_time i3_time i4_time i5_time""".split()
)
_FLAGS: Final = slice(4, 7)
_PERPETRATOR: Final = "perpetrator"
_NONE: Final = ("N", "N", "N")
_FIX: Final = "compare it with the file as published"
_DOUBLED: Final = re.compile(r"^(\w{3,}?)\1(?=[_\s])")
_CAST: Final = (
    Character(name="Gil Grissom", aliases=("Grissom",), gender="male"),
    Character(name="Catherine Willows", aliases=("Catherine",), gender="female"),
    Character(name="Warrick Brown", aliases=("Warrick",), gender="male"),
    Character(name="Nick Stokes", aliases=("Nick", "Nicky"), gender="male"),
    Character(name="Sara Sidle", aliases=("Sara",), gender="female"),
    Character(name="Jim Brass", aliases=("Brass",), gender="male"),
    Character(name="Greg Sanders", aliases=("Greg",), gender="male"),
    Character(name="Al Robbins", aliases=("Robbins",), gender="male"),
    Character(name="David Hodges", aliases=("Hodges",), gender="male"),
    Character(name="Conrad Ecklie", aliases=("Ecklie",), gender="male"),
    Character(name="Sofia Curtis", aliases=("Sofia",), gender="female"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """One line of a file.

    Attributes:
        flags: What it says of killer, other and suspect, in the file's order.
        seam: Whether the word before it in its sentence stands elsewhere in the file.
    """

    text: str
    flags: tuple[str, ...]
    seam: bool


@dataclass(slots=True)
class _Sentence:
    speaker: str | None
    last: int
    words: list[_Word] = field(default_factory=list)


@dataclass(slots=True)
class _Case:
    sentences: dict[str, _Sentence] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def _files(root: Path) -> list[Path]:
    if not root.is_dir():
        return [root]
    found = sorted(root.rglob("*.tsv"), key=lambda path: (path.stem, path))
    if not found:
        raise DatasetError(root, "", "no .tsv file in this folder", "point `path` at one")
    for path, after in pairwise(found):
        if path.stem == after.stem:
            fix = "point `path` at the folder of one version of the corpus"
            raise DatasetError(after, "", f"the episode also stands at {path}", fix)
    return found


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    lines = read_text(path).removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    header = lines[0].split("\t")
    missing = [name for name in _COLUMNS if name not in header]
    if missing or len(header) != len(_COLUMNS):
        found = f"{len(header)} columns" + (f", without {', '.join(missing)}" if missing else "")
        raise DatasetError(path, "line 1", found, f"{len(_COLUMNS)} are wanted: {_FIX}")
    order = [header.index(name) for name in _COLUMNS]
    for number, line in enumerate(lines[1:], start=2):
        if not line and number == len(lines):
            return
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            found = f"{len(cells)} cells instead of {len(_COLUMNS)}"
            raise DatasetError(path, f"line {number}", found, _FIX)
        yield number, [cells[index] for index in order]


def _cases(path: Path) -> dict[str, _Case]:
    """The cases of an episode, each with its sentences in order of first appearance."""
    cases: dict[str, _Case] = {}
    for number, cells in _rows(path):
        where = f"line {number}"
        number_of_case, key, speaker, text = (cell.strip() for cell in cells[:4])
        flags = tuple(cells[_FLAGS])
        strange = [flag for flag in flags if flag not in {"Y", "N"}]
        if strange:
            found = f"{strange[0]!r} where a label is Y or N"
            raise DatasetError(path, where, found, _FIX)
        if not number_of_case or not key or not text:
            name = next(n for n, c in zip(_COLUMNS, cells, strict=False) if not c.strip())
            raise DatasetError(path, where, f"nothing under {name}", _FIX)
        case = cases.setdefault(number_of_case, _Case())
        who = None if speaker in {"", "None"} else speaker
        sentence = case.sentences.setdefault(key, _Sentence(speaker=who, last=number - 1))
        seam = sentence.last != number - 1
        if seam:
            case.notes.append(f"sentence {key} is reopened on line {number}")
        sentence.last = number
        sentence.words.append(_Word(text=text, flags=flags, seam=seam))
    if not cases:
        raise DatasetError(path, "line 2", "no word", _FIX)
    return cases


def _speaker(label: str) -> str:
    """A speaker's label as it is shown; some files say a first name twice ("annaanna_holt")."""
    return shown(" ".join(_DOUBLED.sub(r"\1", label).split("_")).strip())


def _counts(case: _Case) -> Counter[str]:
    """How often a word is none of a mention, in small letters, and how often it is, with a capital.

    That is how `cast_of` tells a name from an ordinary word; the corpus has no capitals itself.
    """
    return Counter(
        word.text.lower() if word.flags == _NONE else word.text.capitalize()
        for sentence in case.sentences.values()
        for word in sentence.words
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    always: frozenset[str]
    in_mentions: frozenset[str]

    @classmethod
    def of(cls, cast: Sequence[Character], counts: Mapping[str, int]) -> _Names:
        own = {
            word.lower()
            for person in cast
            if person.proper
            for form in person.forms
            for word in name_phrase(form)
            if is_name_word(word)
        }
        always = {w for w in own if counts.get(w.capitalize(), 0) >= max(counts.get(w, 0), 1)}
        return cls(always=frozenset(always), in_mentions=frozenset(own))

    def spelled(self, word: _Word) -> str:
        low = word.text.lower()
        if low in self.always or (low in self.in_mentions and word.flags != _NONE):
            return word.text.capitalize()
        return word.text


def _script(case: _Case, names: _Names) -> tuple[list[str], list[Mention]]:
    """A case, one sentence a line, and its mentions with their places in the joined lines."""
    lines: list[str] = []
    mentions: list[Mention] = []
    at = 0
    for sentence in case.sentences.values():
        label = f"{_speaker(sentence.speaker)}: " if sentence.speaker else ""
        parts: list[str] = []
        here = at + len(label)
        before: _Word | None = None
        for word in sentence.words:
            spelled = names.spelled(word)
            end = here + len(spelled)
            if word.flags != _NONE:
                who = _PERPETRATOR if word.flags[0] == "Y" else "another"
                goes_on = before is not None and before.flags == word.flags and not word.seam
                start = mentions.pop().start if goes_on else here
                mentions.append(Mention(start=start, end=end, entity=who))
            parts.append(spelled)
            here, before = end + 1, word
        lines.append(label + " ".join(parts))
        at += len(lines[-1]) + 1
    return lines, mentions


def _items(path: Path, selection: Selection) -> Iterator[Item]:
    for number, case in _cases(path).items():
        counts = _counts(case)
        labels = [_speaker(s.speaker) for s in case.sentences.values() if s.speaker]
        cast = cast_of(labels, counts, _CAST)
        lines, mentions = _script(case, _Names.of(cast, counts))
        item = Item(
            item_id=f"{path.stem}:{number}",
            task=selection.task,
            dataset="csi",
            work=TITLES[0],
            text="\n".join(lines),
            gold={},
            cast=cast,
            scene=path.stem,
            notes=tuple(case.notes),
        )
        yield from role_items(item, lines, mentions, _PERPETRATOR, selection.window_words)


def read(root: Path, selection: Selection) -> Iterator[Item]:
    """Episodes by case, one item a window, in order of their numbers."""
    works_chosen(selection.works, [TITLES])
    for path in _files(root):
        yield from _items(path, selection)


CSI = Dataset(
    name="csi",
    title="CSI, crime drama with mentions of the perpetrator",
    tasks=("role_detection",),
    licence="none stated; the scripts belong to their studio",
    source="EdinburghNLP/csi-corpus, data_perpetrator_identification/",
    path_help="a .tsv file of one episode, or a folder of them",
    read=read,
)
