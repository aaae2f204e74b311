"""Reads JSON lines: one object a line, with the line it stands on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from prompts.datasets.base import read_text
from prompts.errors import DatasetError

_SURROGATE: Final = re.compile("\\\\u[dD][89a-fA-F]")
_HALF: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """One object of a file.

    Attributes:
        number: Of its line, from 1.
    """

    raw: dict[str, Any]
    number: int

    @property
    def where(self) -> str:
        """Its place, for messages."""
        return f"line {self.number}"


def read_lines(path: Path) -> Iterator[JsonLine]:
    """The objects of a file, in order; empty lines are passed over.

    Raises:
        DatasetError: The file is missing or not UTF-8; a line is not a JSON object, or holds half
            of a surrogate pair, which no text can.
    """
    # Not `splitlines`: JSON lets other line separators stand inside a string.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            raw = json.loads(line)
        except json.JSONDecodeError as error:
            raise DatasetError(path, where, f"not JSON ({error.msg})", "mend the line") from None
        if not isinstance(raw, dict):
            raise DatasetError(path, where, "not a JSON object", "write one object a line")
        if _SURROGATE.search(line) and _HALF.search(json.dumps(raw, ensure_ascii=False)):
            raise DatasetError(path, where, "half of a surrogate pair", "mend the \\u escape")
        yield JsonLine(raw=raw, number=number)
