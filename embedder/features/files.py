"""Reading the pipelines' files: bytes, text, rows and JSON, each with errors that say where.

Every error names the file and, as far as the format has one, the line or the JSON place, what was
found there and what to do.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from pydantic import TypeAdapter, ValidationError

from embedder.errors import FeatureFileError

Form = TypeVar("Form")
GZIP_MAGIC = b"\x1f\x8b"
AGAIN = "copy the file again or run the pipeline again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table.

    Attributes:
        path: The file.
        line: The line's number, from 1.
        cells: Its cells, as many as the header has.
    """

    path: Path
    line: int
    cells: tuple[str, ...]

    def error(self, found: str, fix: str) -> FeatureFileError:
        """An error at this line."""
        return FeatureFileError(self.path, f"line {self.line}", found, fix)

    def whole(self, column: int, name: str) -> int:
        """The cell as a whole number, 0 or more.

        Raises:
            FeatureFileError: It is not one.
        """
        cell = self.cells[column]
        if not (cell.isascii() and cell.isdigit()):
            raise self.error(f"{name} is {cell!r}, not a whole number from 0", AGAIN)
        return int(cell)


def read_bytes(path: Path) -> bytes:
    """A file's bytes, unpacked where its name ends in `.gz`.

    Raises:
        FeatureFileError: The file is missing, not readable, or its gzip data is damaged.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FeatureFileError(path, "", "no such file", "check the path") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise FeatureFileError(path, "", reason, "check the path and its permissions") from None
    if path.suffix != ".gz":
        if data.startswith(GZIP_MAGIC):
            raise FeatureFileError(path, "", "gzip data", "name the file with .gz at its end")
        return data
    try:
        return gzip.decompress(data)
    except EOFError:
        raise FeatureFileError(path, "", "gzip data that ends too early", AGAIN) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FeatureFileError(path, "", f"not gzip data ({error})", AGAIN) from None


def decode(path: Path, data: bytes) -> str:
    """The bytes as UTF-8 text, its line ends untouched and without a byte order mark.

    Raises:
        FeatureFileError: They are not UTF-8; names the line.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FeatureFileError(
            path, f"line {line}", f"byte {error.start} is not UTF-8", "save the file as UTF-8"
        ) from None


def read_text(path: Path) -> str:
    """The file's text; as `read_bytes` and `decode`."""
    return decode(path, read_bytes(path))


def text_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line's number, from 1, and its text without its end; a last empty line is none.

    Splits at line feeds only: a token may hold any other character that Unicode calls a line end.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, start=1):
        yield number, line.removesuffix("\r")


def read_table(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """The rows under the header of a table whose cells are tab-separated and never quoted.

    Raises:
        FeatureFileError: The file cannot be read, its header is not `columns`, or a line has
            another number of cells.
    """
    lines = text_lines(read_text(path))
    header = next(lines, (1, ""))[1]
    if header != "\t".join(columns):
        raise FeatureFileError(
            path,
            "line 1",
            f"the header is {shown(header)}",
            f"it must be {' <tab> '.join(columns)}",
        )
    for line, text in lines:
        cells = tuple(text.split("\t"))
        row = Row(path=path, line=line, cells=cells)
        if len(cells) != len(columns):
            raise row.error(f"{len(cells)} cells where the header has {len(columns)}", AGAIN)
        yield row


def parse_json(path: Path, text: str, form: TypeAdapter[Form]) -> Form:
    """The text as JSON of the form.

    Raises:
        FeatureFileError: It is not JSON, an object names a key twice, or a value is not of the
            form; names the place.
    """

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise FeatureFileError(
                path, "", f"an object has the key {twice!r} twice", "keep one of the two"
            )
        return found

    def no_number(name: str) -> NoReturn:
        raise FeatureFileError(path, "", f"{name}, which JSON does not have", AGAIN)

    try:
        value: object = json.loads(text, object_pairs_hook=once, parse_constant=no_number)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise FeatureFileError(path, place, f"not JSON ({error.msg})", AGAIN) from None
    except RecursionError:
        raise FeatureFileError(path, "", "JSON nested too deeply", AGAIN) from None
    try:
        return form.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        found = f"{shown(repr(first['input']))}: {first['msg']}"
        raise FeatureFileError(path, json_place(first["loc"]), found, AGAIN) from None


def json_place(loc: Sequence[int | str]) -> str:
    """A place in JSON, as in `characters[3].agent[12].i`; "top level" for none."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return place.removeprefix(".") or "top level"


def shown(text: str, most: int = 80) -> str:
    """A text cut to fit into an error's one line."""
    flat = repr(text) if "\n" in text or "\t" in text else text
    return flat if len(flat) <= most else f"{flat[:most]}…"
