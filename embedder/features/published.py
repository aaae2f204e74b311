"""Feature files in the dialect of the published ones: read and written.

Tables with a header, tab-separated, CRLF at line ends, cells quoted only where they must be: events
have the columns Character, Role, Event, Context; modifiers Character, Modifier, Context; quotes
Character, Quote; assertions Character, Assertion. Reading also takes LF at line ends.

A context does not say where in it the word stands. The word is looked for as a whole token, that is
between spaces, and where it stands more than once THE FIRST is taken: the report counts how often.
Read from BookNLP's own files instead, with `.tokens`, the offset is exact. A word that its context
does not hold at all is an error (in the published files there is none).
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path

from embedder.errors import NoContext
from embedder.features.base import (
    Extracted,
    Feature,
    Kind,
    Pipeline,
    Reading,
    Report,
    Role,
    characters,
    empty_texts,
    kept,
    repeated_targets,
)
from store.errors import BadFile
from store.files import Line, read_text, shown

COLUMNS: dict[Kind, tuple[str, ...]] = {
    "event": ("Character", "Role", "Event", "Context"),
    "modifier": ("Character", "Modifier", "Context"),
    "quote": ("Character", "Quote"),
    "assertion": ("Character", "Assertion"),
}
MISSING_VALUES = ("nan", "NaN")


def read_published(path: Path, *, pipeline: Pipeline, kind: Kind, work: str) -> Reading:
    """The features of a published file, plain or `.gz`, in its order.

    Args:
        path: The file.
        pipeline: Whose features they are; the file does not say.
        kind: What they are; must agree with the header.
        work: The work they are of; the file does not say.

    Raises:
        BadFile: The file cannot be read or is not of the format, a cell that must not be
            is empty, or a word is not in its context.
    """
    columns = COLUMNS[kind]
    lines = rows_of(path)
    header = next(lines, None)
    if header is None or header.cells != columns:
        found = "an empty file" if header is None else f"header {shown(' '.join(header.cells))}"
        fix = f"a file of {kind}s has the tab-separated columns {', '.join(columns)}"
        raise BadFile(path, "line 1", found, fix)
    features = tuple(feature_of(line, kind) for line in lines)
    extracted = (Extracted(pipeline=pipeline, kind=kind, work=work, features=features),)
    report = Report(
        pipeline=pipeline,
        work=work,
        source=str(path),
        documents=1,
        kept=kept(extracted),
        characters=characters(extracted),
        repeated_targets=repeated_targets(extracted),
        empty_texts=empty_texts(extracted),
    )
    return Reading(extracted=extracted, report=report)


def rows_of(path: Path) -> Iterator[Line]:
    """The rows of a file, the header too; a quoted cell may hold line ends.

    Raises:
        BadFile: The file cannot be read, or a quoted cell is not closed.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter="\t", strict=True)
    number = 1
    try:
        for cells in reader:
            yield Line(path=path, number=number, cells=tuple(cells))
            number = reader.line_num + 1
    except csv.Error as error:
        fix = 'close the quoted cell that begins there; a " inside one is written ""'
        raise BadFile(path, f"line {number}", f"not a row ({error})", fix) from None


def feature_of(line: Line, kind: Kind) -> Feature:
    """The feature of one row.

    Raises:
        BadFile: The row is not of the kind's form.
    """
    columns = COLUMNS[kind]
    if len(line.cells) != len(columns):
        found = f"{len(line.cells)} cells where the header has {len(columns)}"
        raise line.error(found, f"write {', '.join(columns)}, with tabs between")
    may_be_empty = ("Quote", "Assertion")
    for column, cell in zip(columns, line.cells, strict=True):
        if cell in MISSING_VALUES and column not in ("Event", "Modifier"):
            raise line.error(
                f"{column} is {cell!r}, which stands for a lost value", "write the text it had"
            )
        if not cell.strip() and column not in may_be_empty:
            raise line.error(f"{column} is empty", "fill it in, or delete the row")
    if kind == "event":
        return word_feature(line, role_of(line), line.cells[2], line.cells[3])
    if kind == "modifier":
        return word_feature(line, None, line.cells[1], line.cells[2])
    return Feature(character=line.cells[0], text=line.cells[1])


def role_of(line: Line) -> Role:
    """The role of an event's row.

    Raises:
        BadFile: It is neither agent nor patient.
    """
    role = line.cells[1]
    if role == "agent":
        return "agent"
    if role == "patient":
        return "patient"
    raise line.error(f"Role is {shown(role)}", "write agent or patient")


def word_feature(line: Line, role: Role | None, word: str, context: str) -> Feature:
    """A word in its context, at its first place there.

    Raises:
        BadFile: The context does not hold it as a whole token.
    """
    start = first_place(word, context)
    if start is None:
        raise line.error(
            f"the context does not hold {shown(word)} as a whole word",
            "write the sentence it is in, its tokens joined by single spaces",
        )
    return Feature(
        character=line.cells[0],
        text=word,
        role=role,
        context=context,
        target_start=start,
        target_end=start + len(word),
    )


def first_place(word: str, context: str) -> int | None:
    """Where the word first stands in the context between spaces (characters); None if nowhere."""
    padded = f" {context} "
    place = padded.find(f" {word} ")
    return None if place < 0 else place


def write_published(path: Path, extracted: Extracted) -> None:
    """Write features in the published dialect, packed where the name ends in `.gz`.

    The file is whole or not there: it is written beside and then put in its place. The same
    features give the same bytes.

    Raises:
        NoContext: An event or modifier has no context; nothing is written.
        BadFile: The file cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="\t", lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(COLUMNS[extracted.kind])
    for feature in extracted.features:
        writer.writerow(cells_of(path, feature, extracted.kind))
    data = text.getvalue().encode("utf-8")
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    beside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadFile(path, "", reason, "check the folder and its permissions") from None
    finally:
        with contextlib.suppress(OSError):  # gone where it was put in its place
            beside.unlink()


def cells_of(path: Path, feature: Feature, kind: Kind) -> tuple[str, ...]:
    """The cells of a feature's row.

    Raises:
        NoContext: The kind's rows have a context, and the feature has none.
    """
    if kind in ("quote", "assertion"):
        return feature.character, feature.text
    if feature.context is None:
        raise NoContext(path, feature.character, feature.text)
    if kind == "modifier":
        return feature.character, feature.text, feature.context
    return feature.character, str(feature.role), feature.text, feature.context
