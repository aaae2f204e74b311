"""A study's files below one folder: bytes once, their digest, text and lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from store.files import Line, decoded, full_lines, read_bytes, table_of, unpacked


class Folder:
    """Files below a folder, each read once, so that what is hashed is what is parsed."""

    def __init__(self, path: Path) -> None:
        """Take a folder; nothing is read yet."""
        self.path = path
        self._bytes: dict[str, bytes] = {}

    def data(self, name: str) -> bytes:
        """A file's bytes as they are.

        Raises:
            BadFile: It is missing, cannot be read, or is a Git LFS pointer.
        """
        if name not in self._bytes:
            self._bytes[name] = read_bytes(self.path / name)
        return self._bytes[name]

    def digests(self, names: Sequence[str]) -> Mapping[str, str]:
        """The sha256 of files, in hex."""
        return MappingProxyType({n: hashlib.sha256(self.data(n)).hexdigest() for n in names})

    def text(self, name: str) -> str:
        """A file's text without a byte order mark, unpacked where its name ends in `.gz`.

        Raises:
            BadFile: It cannot be read, unpacked or decoded.
        """
        path = self.path / name
        return decoded(path, unpacked(path, self.data(name)))

    def lines(self, name: str, separator: str = "\t") -> list[Line]:
        """A file's lines; as `full_lines`.

        Raises:
            BadFile: As `text`, or there is no line at all, or an empty one among them.
        """
        return list(full_lines(self.path / name, self.text(name), separator))

    def table(self, name: str, header: Sequence[str], separator: str = "\t") -> list[Line]:
        """The lines under a header; as `table_of`.

        Raises:
            BadFile: As `lines`, or the header is another, or a line has more or fewer cells.
        """
        return list(table_of(self.path / name, self.text(name), header, separator))
