"""Reading users' files: bytes, text and lines, with errors that name the file, the place and a fix.

Everyone who reads a file of a user's reads it through here, so that what is damaged, packed or not
UTF-8 is told in the same words everywhere. Lines end at a line feed only, with or without a
carriage return before it: a cell may hold any other character that Unicode calls a line end.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from store.errors import BadFile

AGAIN: Final = "copy the file again"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_MOST_SHOWN: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a table.

    Attributes:
        number: The line it begins on, from 1.
        cells: What stands between its separators.
    """

    path: Path
    number: int
    cells: tuple[str, ...]

    def error(self, found: str, fix: str) -> BadFile:
        """An error at this line."""
        return BadFile(self.path, f"line {self.number}", found, fix)

    def whole(self, at: int, name: str) -> int:
        """A cell as a whole number from 0.

        Raises:
            BadFile: It is not one.
        """
        cell = self.cells[at]
        if not (cell.isascii() and cell.isdigit()):
            raise self.error(f"{name} is {shown(cell)}", "write a whole number from 0")
        return int(cell)

    def name(self, at: int, of: str) -> str:
        """A cell that names something.

        Raises:
            BadFile: It is empty, or has spaces around it.
        """
        cell = self.cells[at]
        if not cell or cell != cell.strip():
            found = f"{of} is {shown(cell)}"
            raise self.error(found, "write a name without spaces around it")
        return cell


def read_bytes(path: Path) -> bytes:
    """A file's bytes as they are.

    Raises:
        BadFile: It is missing, cannot be read, or is a Git LFS pointer.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadFile(path, "", "no such file", "check the path") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadFile(path, "", reason, "check the path and its permissions") from None
    if data.startswith(_LFS_POINTER):
        found = "a Git LFS pointer instead of the file"
        raise BadFile(path, "", found, "fetch it with `git lfs pull`")
    return data


def unpacked(path: Path, data: bytes) -> bytes:
    """A file's bytes, unpacked where its name ends in `.gz`.

    Raises:
        BadFile: The gzip data is damaged, or the name does not say that it is some.
    """
    if path.suffix != ".gz":
        if data.startswith(_GZIP_MAGIC):
            raise BadFile(path, "", "gzip data", "name the file with .gz at its end, or unpack it")
        return data
    try:
        return gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadFile(path, "", f"damaged gzip data ({error})", AGAIN) from None


def decoded(path: Path, data: bytes) -> str:
    """The bytes as UTF-8 text, its line ends untouched and without a byte order mark.

    Raises:
        BadFile: They are not UTF-8; names the line.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte {data[error.start]:#04x} is not UTF-8"
        raise BadFile(path, f"line {line}", found, "save the file as UTF-8") from None


def read_text(path: Path) -> str:
    """A file's text; as `read_bytes`, `unpacked` and `decoded`."""
    return decoded(path, unpacked(path, read_bytes(path)))


def lines_of(path: Path, text: str, separator: str = "\t") -> Iterator[Line]:
    """A text's lines cut at a separator; quotes mean nothing, and a last empty line is none."""
    rows = text.split("\n")
    if rows[-1] == "":
        rows.pop()
    for number, row in enumerate(rows, start=1):
        cells = tuple(row.removesuffix("\r").split(separator))
        yield Line(path=path, number=number, cells=cells)


def full_lines(path: Path, text: str, separator: str = "\t") -> Iterator[Line]:
    """As `lines_of`, of a file that must have lines, and none of them empty.

    Raises:
        BadFile: There is no line at all, or an empty one among them.
    """
    if not text:
        raise BadFile(path, "", "the file is empty", AGAIN)
    for line in lines_of(path, text, separator):
        if not any(cell.strip() for cell in line.cells):
            raise line.error("the line is empty", "take it out")
        yield line


def table_of(path: Path, text: str, header: Sequence[str], separator: str = "\t") -> Iterator[Line]:
    """The lines under a header, each with as many cells as it.

    Raises:
        BadFile: As `full_lines`, or the header is another, or a line has more or fewer cells.
    """
    lines = full_lines(path, text, separator)
    first = next(lines)
    if first.cells != tuple(header):
        found = f"columns {shown(' '.join(first.cells))}"
        raise first.error(found, f"it must be {' '.join(header)}")
    for line in lines:
        check_width(line, len(header))
        yield line


def check_width(line: Line, cells: int) -> None:
    """Refuse a line with more or fewer cells.

    Raises:
        BadFile: It has.
    """
    if len(line.cells) != cells:
        raise line.error(f"{len(line.cells)} cells where there must be {cells}", AGAIN)


def shown(value: object) -> str:
    """A value cut to fit into an error's one line; a text stands in quotes, or is "empty"."""
    if isinstance(value, str):
        return repr(_cut(value)) if value else "empty"
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
