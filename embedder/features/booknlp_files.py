"""BookNLP's native files, read and checked, before any of it is taken for a feature.

Format (BookNLP 1.0): `.book` is JSON; `.tokens`, `.entities`, `.supersense` and `.quotes` are
tables with a header, tab-separated and never quoted. Token ids count through the document from 0,
and a span includes its last one. A quote without a speaker has None in four cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, Strict, TypeAdapter

from embedder.features.files import AGAIN, parse_json
from store.errors import BadFile
from store.files import Line, read_text, table_of

Text = Annotated[str, Strict()]
Word = Annotated[str, Strict(), Field(min_length=1)]
Id = Annotated[int, Strict(), Field(ge=0)]

ENTITY_COLUMNS = ("COREF", "start_token", "end_token", "prop", "cat", "text")
SUPERSENSE_COLUMNS = ("start_token", "end_token", "supersense_category", "text")
QUOTE_COLUMNS = (
    "quote_start",
    "quote_end",
    "mention_start",
    "mention_end",
    "mention_phrase",
    "char_id",
    "quote",
)
TOKEN_COLUMNS = (
    "paragraph_ID",
    "sentence_ID",
    "token_ID_within_sentence",
    "token_ID_within_document",
    "word",
    "lemma",
    "byte_onset",
    "byte_offset",
    "POS_tag",
    "fine_POS_tag",
    "dependency_relation",
    "syntactic_head_ID",
    "event",
)
NO_SPEAKER = "None"


class BookWord(BaseModel):
    """A word of `.book`: `w`, its text, and `i`, its token id."""

    model_config = ConfigDict(frozen=True)
    w: Word
    i: Id


class BookName(BaseModel):
    """A name of a cluster: `n`, its text, and `c`, how often it is used (count)."""

    model_config = ConfigDict(frozen=True)
    n: Text
    c: Id


class BookMentions(BaseModel):
    """The names of a cluster by kind."""

    model_config = ConfigDict(frozen=True)
    proper: tuple[BookName, ...]
    common: tuple[BookName, ...]
    pronoun: tuple[BookName, ...]


class BookCharacter(BaseModel):
    """One cluster of `.book`; what it says of possessions and gender is not read."""

    model_config = ConfigDict(frozen=True)
    agent: tuple[BookWord, ...]
    patient: tuple[BookWord, ...]
    mod: tuple[BookWord, ...]
    id: Id
    count: Id
    mentions: BookMentions


class Book(BaseModel):
    """All of `.book`."""

    model_config = ConfigDict(frozen=True)
    characters: tuple[BookCharacter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookFiles:
    """Where the files of one run of BookNLP are; None for those that are not there."""

    book: Path
    quotes: Path | None
    entities: Path | None
    supersense: Path | None
    tokens: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Tokens of the document and the text that a file says they are.

    Attributes:
        line: The line that says so.
        start: The first token's id.
        end: The last one's, inclusive.
        text: Their words, joined by spaces.
    """

    line: Line
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One line of `.quotes`.

    Attributes:
        span: Where the quote stands, and its text.
        mention: The mention of its speaker; None where BookNLP found none.
        speaker: The speaker's cluster id; None where BookNLP found none.
    """

    span: Span
    mention: Span | None
    speaker: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The document's tokens and sentences.

    Attributes:
        path: The `.tokens` file.
        words: Each token's text.
        sentence: Each token's sentence (index into `contexts`).
        start: Where each token begins in its sentence's context (characters).
        contexts: Each sentence, its tokens each followed by one space.
    """

    path: Path
    words: tuple[str, ...]
    sentence: tuple[int, ...]
    start: tuple[int, ...]
    contexts: tuple[str, ...]


def find_files(path: Path) -> BookFiles:
    """The files beside a `.book`, which is `path` itself or the only one in the folder `path`.

    Raises:
        BadFile: There is no `.book`, more than one, or a file both plain and as `.gz`.
    """
    if path.is_dir():
        books = sorted(path.glob("*.book")) + sorted(path.glob("*.book.gz"))
        stems = {stem_of(book) for book in books}
        if not stems:
            raise BadFile(path, "", "no .book file", "name a folder of BookNLP's output")
        if len(stems) > 1:
            found = f"{len(stems)} .book files ({', '.join(sorted(stems)[:3])}, …)"
            raise BadFile(path, "", found, "name one of them instead of the folder")
        path = books[0]
    elif not path.is_file():
        raise BadFile(path, "", "no such file or folder", "check the path")
    elif not path.name.endswith((".book", ".book.gz")):
        raise BadFile(
            path, "", "not a .book file", "name BookNLP's .book file, or the folder it is in"
        )
    folder, stem = path.parent, stem_of(path)
    book = sibling(folder, stem, "book")
    return BookFiles(
        book=path if book is None else book,
        quotes=sibling(folder, stem, "quotes"),
        entities=sibling(folder, stem, "entities"),
        supersense=sibling(folder, stem, "supersense"),
        tokens=sibling(folder, stem, "tokens"),
    )


def stem_of(book: Path) -> str:
    """The name that the files of one run share."""
    return book.name.removesuffix(".gz").removesuffix(".book")


def sibling(folder: Path, stem: str, ending: str) -> Path | None:
    """The file of one ending, plain or packed; None where there is neither.

    Raises:
        BadFile: There are both.
    """
    plain, packed = folder / f"{stem}.{ending}", folder / f"{stem}.{ending}.gz"
    if plain.exists() and packed.exists():
        raise BadFile(plain, "", "there is also a .gz of it", "keep one of the two")
    if plain.exists():
        return plain
    return packed if packed.exists() else None


def read_book(path: Path) -> tuple[BookCharacter, ...]:
    """The clusters of `.book`, in its order.

    Raises:
        BadFile: It is not of the format, or two clusters have one id.
    """
    characters = parse_json(path, read_text(path), TypeAdapter(Book)).characters
    seen: dict[int, int] = {}
    for place, character in enumerate(characters):
        if character.id in seen:
            found = f"id {character.id} is also that of characters[{seen[character.id]}]"
            raise BadFile(path, f"characters[{place}].id", found, AGAIN)
        seen[character.id] = place
    return characters


def read_quotes(path: Path) -> Iterator[Quote]:
    """The lines of `.quotes`, in its order."""
    for line in table_of(path, read_text(path), QUOTE_COLUMNS):
        span = span_of(line, (0, 1, 6), "quote")
        if line.cells[2:6] == (NO_SPEAKER,) * 4:
            yield Quote(span=span, mention=None, speaker=None)
            continue
        mention = span_of(line, (2, 3, 4), "mention")
        yield Quote(span=span, mention=mention, speaker=line.whole(5, "char_id"))


def read_entities(path: Path) -> Iterator[tuple[int, str, Span]]:
    """The cluster id, the category and the span of each line of `.entities`.

    Raises:
        BadFile: A line is not of the format.
    """
    for line in table_of(path, read_text(path), ENTITY_COLUMNS):
        if line.cells[3] not in ("PROP", "NOM", "PRON"):
            raise line.error(f"prop is {line.cells[3]!r}, not PROP, NOM or PRON", AGAIN)
        yield line.whole(0, "COREF"), line.cells[4], span_of(line, (1, 2, 5), "entity")


def read_supersense(path: Path) -> Iterator[Span]:
    """The span of each line of `.supersense`."""
    for line in table_of(path, read_text(path), SUPERSENSE_COLUMNS):
        yield span_of(line, (0, 1, 3), "supersense")


def span_of(line: Line, columns: tuple[int, int, int], name: str) -> Span:
    """The span that a row's columns of start, end and text give.

    Raises:
        BadFile: An end is no token id, or the last comes before the first.
    """
    start = line.whole(columns[0], f"the {name}'s first token")
    end = line.whole(columns[1], f"the {name}'s last token")
    if end < start:
        raise line.error(f"the {name} ends at token {end}, before its first, {start}", AGAIN)
    return Span(line=line, start=start, end=end, text=line.cells[columns[2]])


def read_tokens(path: Path) -> Tokens:
    """The tokens and sentences of `.tokens`.

    Raises:
        BadFile: A line is not of the format, or the ids of tokens or sentences do not count up by
            one.
    """
    words: list[str] = []
    sentence: list[int] = []
    starts: list[int] = []
    contexts: list[str] = []
    pieces: list[str] = []
    length = 0
    for line in table_of(path, read_text(path), TOKEN_COLUMNS):
        check_token(line, len(words), len(contexts), len(pieces))
        if line.whole(1, "sentence_ID") > len(contexts):
            contexts.append("".join(pieces))
            pieces, length = [], 0
        words.append(line.cells[4])
        sentence.append(len(contexts))
        starts.append(length)
        pieces.append(f"{line.cells[4]} ")
        length += len(pieces[-1])
    if not words:
        raise BadFile(path, "", "no tokens", AGAIN)
    contexts.append("".join(pieces))
    return Tokens(
        path=path,
        words=tuple(words),
        sentence=tuple(sentence),
        start=tuple(starts),
        contexts=tuple(contexts),
    )


def check_token(line: Line, token: int, sentence: int, within: int) -> None:
    """Whether a line of `.tokens` follows on the lines before it.

    Args:
        line: The line.
        token: Tokens before it in the document (count).
        sentence: The id of the sentence that the line before belongs to.
        within: Tokens before it in that sentence (count).

    Raises:
        BadFile: Its ids are not the next ones, or its word is empty or has a space in it.
    """
    found = line.whole(3, "token_ID_within_document")
    if found != token:
        raise line.error(f"token_ID_within_document is {found} instead of {token}", AGAIN)
    found = line.whole(1, "sentence_ID")
    if found not in ((sentence, sentence + 1) if within else (sentence,)):
        before = f"the last was {sentence}" if within else "the first must be 0"
        raise line.error(f"sentence_ID is {found}, {before}", AGAIN)
    expected = within if found == sentence else 0
    found = line.whole(2, "token_ID_within_sentence")
    if found != expected:
        raise line.error(f"token_ID_within_sentence is {found} instead of {expected}", AGAIN)
    if not line.cells[4] or " " in line.cells[4]:
        raise line.error(f"the word is {line.cells[4]!r}", AGAIN)
