"""LitBank's coreference files (Bamman, Lewke and Mansoor 2020), in their three layouts.

All three annotate about 2,000 words of a book, one sentence a line, tokens parted by spaces.

`.ann` of the folder `tsv`: rows of tabs. `MENTION`, id, first sentence and token, last sentence and
token (inclusive, from 0), words, kind (PER, FAC, GPE, LOC, VEH, ORG), form (PROP, NOM, PRON);
`COREF`, id, entity; `COP` and `APPOS`, the id of a mention that says what another is, and the
other's. `.ann` of the folder `brat`: `T` lines with code points of the `.txt`, one of a type such
as `PROP_PER` and one of the entity as its type for each mention, and `R` lines for COP and APPOS.
`.conll`: a token a line, clusters in brackets in the last column, neither kinds nor forms.

A mention under COP or APPOS has no entity: it is a cluster of its own, as in the CoNLL files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from prompts.datasets.base import read_text
from prompts.errors import DatasetError

FIX: Final = "compare it with the file as published"
_FORM_KIND = re.compile(r"(PROP|NOM|PRON)_([A-Z]{3})\Z")
_OFFSETS = re.compile(r"(\S+) (\d+) (\d+)\Z")
_RELATION = re.compile(r"(?:cop|appos) Arg1:(T\d+) Arg2:(T\d+)\s*\Z")
_CLUSTER = re.compile(r"(\()?(\d+)(\))?\Z")
_FORMS: Final = frozenset({"PROP", "NOM", "PRON"})
_KINDS: Final = frozenset({"PER", "FAC", "GPE", "LOC", "VEH", "ORG"})
_COLUMNS: Final = 13


@dataclass(frozen=True, slots=True, kw_only=True)
class BookMention:
    """A mention in a book's text.

    Attributes:
        start: First code point of the text.
        end: One past the last.
        entity: Its cluster, by the file's name for it.
        kind: PER, FAC, GPE, LOC, VEH or ORG; empty where the layout does not say.
        form: PROP, NOM or PRON; empty where the layout does not say.
    """

    start: int
    end: int
    entity: str
    kind: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class Sentences:
    """A book's text: one sentence a line."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines, joined."""
        return "\n".join(self.lines)

    def stretch(self, first: tuple[int, int], last: tuple[int, int]) -> range | None:
        """The code points from one token to another, both (sentence, token) and inclusive.

        None where the text has no such tokens.
        """
        ends = [self._token(*first), self._token(*last)]
        if None in ends or first > last:
            return None
        start, end = ends
        return range(start.start, end.stop) if start and end else None

    def _token(self, sentence: int, token: int) -> range | None:
        if not 0 <= sentence < len(self.lines):
            return None
        words = self.lines[sentence].split(" ")
        if not 0 <= token < len(words):
            return None
        before = sum(len(line) + 1 for line in self.lines[:sentence])
        start = before + sum(len(word) + 1 for word in words[:token])
        return range(start, start + len(words[token]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A book's annotated text."""

    sentences: Sentences
    mentions: tuple[BookMention, ...]


@dataclass(slots=True)
class _Found:
    """What has been read of an `.ann` file, by mention id."""

    where: dict[str, str] = field(default_factory=dict)
    mentions: dict[str, BookMention] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)


def read_sentences(path: Path) -> Sentences:
    """The text beside an `.ann` file.

    Raises:
        DatasetError: There is none, or it is empty.
    """
    text = read_text(path.with_suffix(".txt")).replace("\r\n", "\n").removesuffix("\n")
    if not text.strip():
        raise DatasetError(path.with_suffix(".txt"), "", "no text", FIX)
    return Sentences(tuple(text.split("\n")))


def rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The lines of a file that are not empty, as place and cells."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield f"line {number}", line.removesuffix("\r").split("\t")


def read_book(path: Path) -> Book:
    """A book from one of the three layouts, told apart by what the file holds.

    Raises:
        DatasetError: The file is not as published.
    """
    if path.suffix == ".conll":
        return _read_conll(path)
    if path.suffix != ".ann":
        raise DatasetError(path, "", "neither .ann nor .conll", "point `path` at one of those")
    first = next((cells[0] for _, cells in rows(path)), "")
    if first in {"QUOTE", "ATTRIB"}:
        fix = "point `path` at a file of coref/, or ask for character_guessing"
        raise DatasetError(path, "line 1", "quotations, not coreference", fix)
    sentences = read_sentences(path)
    found = _brat(path, sentences) if re.match(r"[TR]\d", first) else _tsv(path, sentences)
    return Book(sentences=sentences, mentions=_joined(path, found))


def _joined(path: Path, found: _Found) -> tuple[BookMention, ...]:
    """The mentions with their entities."""
    for own_id in (*found.entities, *found.attributes):
        if own_id not in found.mentions:
            raise DatasetError(path, found.where[own_id], f"no mention {own_id}", FIX)
    joined: list[BookMention] = []
    for own_id, mention in found.mentions.items():
        entity = found.entities.get(own_id)
        if entity is None and own_id not in found.attributes:
            where = found.where[own_id]
            raise DatasetError(path, where, f"the mention {own_id} is in no cluster", FIX)
        joined.append(
            BookMention(
                start=mention.start,
                end=mention.end,
                entity=entity or f"{own_id} alone",
                kind=mention.kind,
                form=mention.form,
            )
        )
    if not joined:
        raise DatasetError(path, "", "no mention", FIX)
    return tuple(sorted(joined, key=lambda one: (one.start, -one.end)))


def place(path: Path, where: str, cells: list[str], sentences: Sentences) -> range:
    """The code points of a row: label, id, four numbers, words.

    Raises:
        DatasetError: No such tokens, or they are not the words of the row.
    """
    if not all(cell.isdecimal() for cell in cells[2:6]):
        raise DatasetError(path, where, f"not four numbers: {' '.join(cells[2:6])}", FIX)
    one, two, three, four = (int(cell) for cell in cells[2:6])
    stretch = sentences.stretch((one, two), (three, four))
    if stretch is None:
        found = f"the .txt has no tokens {one}:{two} to {three}:{four}"
        raise DatasetError(path, where, found, "use the .ann and .txt of one folder")
    _check_words(path, where, sentences.text[stretch.start : stretch.stop], cells[6])
    return stretch


def _check_words(path: Path, where: str, stands: str, words: str) -> None:
    if stands.split() != words.split():
        found = f"the row says {words[:40]!r}, the .txt {stands[:40]!r}"
        raise DatasetError(path, where, found, "use the .ann and .txt of one folder")


def _tsv(path: Path, sentences: Sentences) -> _Found:
    found, wanted = _Found(), {"MENTION": 9, "COREF": 3, "COP": 3, "APPOS": 3}
    for where, cells in rows(path):
        label = cells[0]
        if label not in wanted:
            fix = f"use one of {', '.join(wanted)}"
            raise DatasetError(path, where, f"the label {label!r} is unknown", fix)
        if len(cells) != wanted[label]:
            raise DatasetError(path, where, f"{len(cells)} columns, not {wanted[label]}", FIX)
        found.where[cells[1]] = where
        if label == "COREF":
            found.entities[cells[1]] = cells[2]
        elif label != "MENTION":
            found.attributes.add(cells[1])
        else:
            kind, form = cells[7], cells[8]
            _check_kind(path, where, kind, form)
            stretch = place(path, where, cells, sentences)
            found.mentions[cells[1]] = BookMention(
                start=stretch.start, end=stretch.stop, entity="", kind=kind, form=form
            )
    return found


def _check_kind(path: Path, where: str, kind: str, form: str) -> None:
    if kind not in _KINDS or form not in _FORMS:
        fix = f"use one of {', '.join(sorted(_KINDS))} and one of {', '.join(sorted(_FORMS))}"
        raise DatasetError(path, where, f"the kind {kind!r} or form {form!r} is unknown", fix)


def _brat(path: Path, sentences: Sentences) -> _Found:
    found = _Found()
    # The mention and its cluster are two notes on the same stretch.
    clusters: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for where, cells in rows(path):
        own_id = cells[0]
        if own_id.startswith("R"):
            relation = _RELATION.match(cells[1]) if len(cells) > 1 else None
            if relation is None:
                raise DatasetError(path, where, f"no relation in {cells!r}", FIX)
            found.where.setdefault(relation[1], where)
            found.attributes.add(relation[1])
            continue
        offsets = _OFFSETS.match(cells[1]) if own_id.startswith("T") and len(cells) == 3 else None
        if offsets is None:
            raise DatasetError(path, where, f"no note in {cells!r}", FIX)
        start, end = int(offsets[2]), int(offsets[3])
        _check_words(path, where, sentences.text[start:end], cells[2])
        form_kind = _FORM_KIND.match(offsets[1])
        if form_kind is None:
            clusters.setdefault((start, end), []).append((where, offsets[1]))
            continue
        _check_kind(path, where, form_kind[2], form_kind[1])
        found.where[own_id] = where
        found.mentions[own_id] = BookMention(
            start=start, end=end, entity="", kind=form_kind[2], form=form_kind[1]
        )
    _give_clusters(path, found, clusters)
    return found


def _give_clusters(
    path: Path, found: _Found, clusters: dict[tuple[int, int], list[tuple[str, str]]]
) -> None:
    # Of two mentions of one stretch, that of COP or APPOS is the one without a cluster.
    for own_id in sorted(found.mentions, key=lambda own_id: own_id in found.attributes):
        own = clusters.get((found.mentions[own_id].start, found.mentions[own_id].end))
        if own:
            found.entities[own_id] = own.pop(0)[1]
    left = [one for own in clusters.values() for one in own]
    if left:
        where, entity = left[0]
        raise DatasetError(path, where, f"no mention for the cluster {entity!r} here", FIX)


@dataclass(slots=True)
class _Conll:
    """What has been read of a CoNLL file: words by sentence, and clusters by their first token."""

    lines: list[list[str]] = field(default_factory=lambda: [[]])
    open: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    closed: list[tuple[str, tuple[int, int], tuple[int, int]]] = field(default_factory=list)

    def add(self, path: Path, where: str, cells: list[str]) -> None:
        """One token."""
        if len(cells) != _COLUMNS:
            raise DatasetError(path, where, f"{len(cells)} columns, not {_COLUMNS}", FIX)
        at = (len(self.lines) - 1, len(self.lines[-1]))
        self.lines[-1].append(cells[3])
        for cluster in filter(None, cells[12].strip(" _").split("|")):
            mark = _CLUSTER.match(cluster)
            if mark is None or not (mark[1] or mark[3]):
                found = f"the cluster mark {cluster!r} is unknown"
                raise DatasetError(path, where, found, "use marks like (3, 3) and (3)")
            if mark[1]:
                self.open.setdefault(mark[2], []).append(at)
            if mark[3]:
                if not self.open.get(mark[2]):
                    found = f"the cluster {mark[2]} ends before it begins"
                    raise DatasetError(path, where, found, FIX)
                self.closed.append((mark[2], self.open[mark[2]].pop(), at))


def _read_conll(path: Path) -> Book:
    read, ended, number = _Conll(), False, 0
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.startswith("#"):
            ended = ended or line.startswith("#end document")
        elif line.strip():
            read.add(path, f"line {number}", line.removesuffix("\r").split("\t"))
        elif read.lines[-1]:
            read.lines.append([])
    if not ended or any(read.open.values()):
        raise DatasetError(path, f"line {number}", "the document does not end here", FIX)
    sentences = Sentences(tuple(" ".join(words) for words in read.lines if words))
    mentions = [
        BookMention(start=stretch.start, end=stretch.stop, entity=cluster)
        for cluster, first, last in read.closed
        if (stretch := sentences.stretch(first, last)) is not None
    ]
    if not mentions:
        raise DatasetError(path, "", "no mention", FIX)
    return Book(
        sentences=sentences,
        mentions=tuple(sorted(mentions, key=lambda one: (one.start, -one.end))),
    )
