"""FanfictionNLP's native files, in a folder or a zip, read and checked.

Format: three folders, `char_coref`, `assertion_extraction` and `quote_attribution`, each with one
JSON file a document, `DOCUMENT.json` (`DOCUMENT.quote.json` for quotes). A position is half-open
over `document.split(" ")`.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict, TypeAdapter

from embedder.features.base import Coverage
from embedder.features.files import AGAIN, parse_json
from store.errors import BadFile
from store.files import decoded, read_bytes

Form = TypeVar("Form")
Text = Annotated[str, Strict()]
Place = Annotated[int, Strict(), Field(ge=0)]
Folder = Literal["char_coref", "assertion_extraction", "quote_attribution"]
FOLDERS: tuple[Folder, ...] = ("char_coref", "assertion_extraction", "quote_attribution")
ENDINGS: dict[Folder, str] = {
    "char_coref": ".json",
    "assertion_extraction": ".json",
    "quote_attribution": ".quote.json",
}
WHERE = f"name FanfictionNLP's output of one work, a folder or .zip with {', '.join(FOLDERS)} in it"
TRAILING = re.compile("[0-9]+$")


class Passage(BaseModel):
    """A text of the document, and where it stands: half-open, in tokens."""

    model_config = ConfigDict(frozen=True)
    position: tuple[Place, Place]
    text: Text


class CorefCluster(BaseModel):
    """One cluster of mentions of a document."""

    model_config = ConfigDict(frozen=True)
    name: Text
    mentions: tuple[Passage, ...]


class Coref(BaseModel):
    """One file of `char_coref`: the document's tokens, joined by spaces, and its clusters."""

    model_config = ConfigDict(frozen=True)
    document: Text
    clusters: tuple[CorefCluster, ...]


ByName: TypeAlias = Mapping[str, tuple[Passage, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document; a file that it lacks is None, or empty for the two kinds of features."""

    name: str
    coref: Coref | None
    assertions: ByName
    quotes: ByName


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One file in one of the three folders.

    Attributes:
        folder: Which of them.
        member: Its path in the source.
        path: What an error calls it: its path, or the zip's and its member's.
        data: Its bytes.
    """

    folder: Folder
    member: PurePosixPath
    path: Path
    data: bytes


def read_documents(source: Path) -> tuple[tuple[Document, ...], Coverage]:
    """Every document of a folder or zip, in the order of their numbers, and which files lack.

    Raises:
        BadFile: The source or a file of it cannot be read or is not of the format.
    """
    found, ignored = find(source)
    names = sorted({name for files in found.values() for name in files}, key=reading_order)
    documents = tuple(read_document(name, found) for name in names)
    coverage = Coverage(
        documents=tuple(names),
        missing=tuple(
            f"{folder}/{name}" for name in names for folder in FOLDERS if name not in found[folder]
        ),
        gaps=gaps(names),
        shared_names=tuple(
            f"{document.name}: {name}" for document in documents for name in shared(document)
        ),
        contained=contained(documents),
        ignored=tuple(ignored),
    )
    return documents, coverage


def find(source: Path) -> tuple[dict[Folder, dict[str, Found]], list[str]]:
    """The files of each folder by document, and the names of those that are of no document.

    Raises:
        BadFile: A folder is missing or there twice, or the source cannot be read.
    """
    found: dict[Folder, dict[str, Found]] = {folder: {} for folder in FOLDERS}
    parents: dict[Folder, PurePosixPath] = {}
    ignored = []
    for file in files_of(source):
        folder, member = file.folder, file.member
        parent = parents.setdefault(folder, member.parent)
        if parent != member.parent:
            raise BadFile(source, "", f"{folder} is there twice ({parent}, {member.parent})", WHERE)
        if member.name.endswith(ENDINGS[folder]):
            found[folder][member.name.removesuffix(ENDINGS[folder])] = file
        else:
            ignored.append(str(member))
    for folder in FOLDERS:
        if folder not in parents:
            raise BadFile(source, "", f"no file in a folder {folder}", WHERE)
    return found, ignored


def folder_of(member: PurePosixPath) -> Folder | None:
    """Which of the three folders a file is in; None for none, and for what an archiver adds."""
    if "__MACOSX" in member.parts or member.name.startswith("."):
        return None
    for folder in FOLDERS:
        if member.parent.name == folder:
            return folder
    return None


def files_of(source: Path) -> tuple[Found, ...]:
    """The files in the three folders of a folder or a zip, sorted by path.

    Raises:
        BadFile: There is nothing at the path, or it cannot be read.
    """
    if source.is_dir():
        return tuple(folder_files(source))
    if not source.is_file():
        raise BadFile(source, "", "no such file or folder", "check the path")
    return tuple(zip_files(source))


def folder_files(source: Path) -> Iterator[Found]:
    """As `files_of`, of a folder."""
    for path in sorted(source.rglob("*")):
        member = PurePosixPath(path.relative_to(source).as_posix())
        folder = folder_of(member)
        if folder is not None and path.is_file():
            yield Found(folder=folder, member=member, path=path, data=read_bytes(path))


def zip_files(source: Path) -> Iterator[Found]:
    """As `files_of`, of a zip.

    Raises:
        BadFile: It is no zip, or a member is damaged or encrypted.
    """
    member = ""
    try:
        with zipfile.ZipFile(source) as archive:
            infos = sorted(archive.infolist(), key=lambda info: info.filename)
            for info in infos:
                member = info.filename
                path = PurePosixPath(member)
                folder = folder_of(path)
                if folder is None or info.is_dir():
                    continue
                data = archive.read(info)
                yield Found(folder=folder, member=path, path=source / member, data=data)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        found = "not a readable zip" if not member else "a damaged member of the zip"
        raise BadFile(source, member, f"{found} ({error})", AGAIN) from None
    except (RuntimeError, NotImplementedError) as error:
        fix = "pack it without a password, with the usual compression"
        raise BadFile(source, member, str(error), fix) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadFile(source, member, reason, "check its permissions") from None


def read_document(name: str, found: Mapping[Folder, Mapping[str, Found]]) -> Document:
    """One document from its files.

    Raises:
        BadFile: A file is not of the format.
    """
    coref = found["char_coref"].get(name)
    return Document(
        name=name,
        coref=None if coref is None else parsed(coref, TypeAdapter(Coref)),
        assertions=passages(found["assertion_extraction"].get(name)),
        quotes=passages(found["quote_attribution"].get(name)),
    )


def passages(file: Found | None) -> ByName:
    """The passages of each cluster's name; none without a file."""
    return {} if file is None else parsed(file, TypeAdapter(dict[str, tuple[Passage, ...]]))


def parsed(file: Found, form: TypeAdapter[Form]) -> Form:
    """A file's JSON."""
    return parse_json(file.path, decoded(file.path, file.data), form)


def reading_order(name: str) -> tuple[str, int, str]:
    """What documents are sorted by: the name before its last number, then that number."""
    prefix, digits = split_number(name)
    return prefix, int(digits or "0"), name


def split_number(name: str) -> tuple[str, str]:
    """A name's part before the digits at its end, and those."""
    digits = TRAILING.search(name)
    return (name, "") if digits is None else (name[: digits.start()], digits.group())


def gaps(names: Iterable[str]) -> tuple[str, ...]:
    """The documents that the numbering skips between its lowest and highest number.

    Only where at least half of those numbers are there: the numbers of stories that come from an
    archive are ids, and count nothing.
    """
    numbers: dict[str, list[str]] = {}
    for name in names:
        prefix, digits = split_number(name)
        if digits:
            numbers.setdefault(prefix, []).append(digits)
    missing = []
    for prefix, texts in numbers.items():
        there = {int(digits) for digits in texts}
        span = range(min(there), max(there) + 1)
        width = max((len(digits) for digits in texts if digits.startswith("0")), default=1)
        if 2 * len(there) >= len(span):
            missing += [f"{prefix}{n:0{width}d}" for n in span if n not in there]
    return tuple(missing)


def shared(document: Document) -> tuple[str, ...]:
    """The names that two clusters of the document have, in order."""
    if document.coref is None:
        return ()
    names = Counter(cluster.name for cluster in document.coref.clusters)
    return tuple(name for name, count in names.items() if count > 1)


def contained(documents: tuple[Document, ...]) -> tuple[str, ...]:
    """The documents, as "inner in outer", whose whole text stands in another's too."""
    texts = [
        (document.name, document.coref.document.strip())
        for document in documents
        if document.coref is not None and document.coref.document.strip()
    ]
    return tuple(
        f"{inner} in {outer}"
        for place, (inner, text) in enumerate(texts)
        for other, (outer, longer) in enumerate(texts)
        if text in longer and (len(text) < len(longer) or place > other)
    )
