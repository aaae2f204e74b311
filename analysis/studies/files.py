"""Reading a study's files: bytes once, their digest, text and lines, with errors that say where."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from analysis.errors import BadFile

AGAIN: Final = "copy the file again"
_MOST_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a table.

    Attributes:
        number: From 1.
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


class Folder:
    """Files below a folder, each read once, so that what is hashed is what is parsed."""

    def __init__(self, path: Path) -> None:
        """Take a folder; nothing is read yet."""
        self.path = path
        self._bytes: dict[str, bytes] = {}

    def data(self, name: str) -> bytes:
        """A file's bytes as they are.

        Raises:
            BadFile: It is missing or cannot be read.
        """
        if name not in self._bytes:
            self._bytes[name] = _read(self.path / name)
        return self._bytes[name]

    def digests(self, names: Sequence[str]) -> Mapping[str, str]:
        """The sha256 of files, in hex."""
        return MappingProxyType({n: hashlib.sha256(self.data(n)).hexdigest() for n in names})

    def text(self, name: str) -> str:
        """A file's text without a byte order mark, unpacked where its name ends in `.gz`.

        Raises:
            BadFile: It cannot be read, unpacked or decoded.
        """
        path, data = self.path / name, self.data(name)
        if path.suffix == ".gz":
            try:
                data = gzip.decompress(data)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise BadFile(path, "", f"damaged gzip data ({error})", AGAIN) from None
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            found = f"byte {data[error.start]:#04x} is not UTF-8"
            raise BadFile(path, f"line {line}", found, "save the file as UTF-8") from None

    def lines(self, name: str, separator: str = "\t") -> list[Line]:
        """A file's lines cut at a separator; quotes mean nothing, and a last empty line is none.

        Raises:
            BadFile: As `text`, or there is no line at all, or an empty one among them.
        """
        path = self.path / name
        rows = self.text(name).split("\n")
        if rows[-1] == "":
            rows.pop()
        if not rows:
            raise BadFile(path, "", "the file is empty", AGAIN)
        cut = []
        for number, row in enumerate(rows, start=1):
            line = Line(path=path, number=number, cells=tuple(_bare(row).split(separator)))
            if not any(cell.strip() for cell in line.cells):
                raise line.error("the line is empty", "take it out")
            cut.append(line)
        return cut

    def table(self, name: str, header: Sequence[str], separator: str = "\t") -> list[Line]:
        """The lines under a header, each with as many cells as it.

        Raises:
            BadFile: As `lines`, or the header is another, or a line has more or fewer cells.
        """
        first, *lines = self.lines(name, separator)
        if first.cells != tuple(header):
            wanted = " ".join(header)
            raise first.error(f"columns {shown(' '.join(first.cells))}", f"it must be {wanted}")
        for line in lines:
            check_width(line, len(header))
        return lines


def check_width(line: Line, cells: int) -> None:
    """Refuse a line with more or fewer cells.

    Raises:
        BadFile: It has.
    """
    if len(line.cells) != cells:
        raise line.error(f"{len(line.cells)} cells where there must be {cells}", AGAIN)


def shown(text: str) -> str:
    """A text in quotes, cut to fit into an error's one line."""
    cut = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    return repr(cut) if cut else "empty"


def _bare(row: str) -> str:
    return row.removesuffix("\r")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadFile(path, "", "no such file", "check the path") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadFile(path, "", reason, "check the path and who may read it") from None
