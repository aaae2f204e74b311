"""Reads JSON files field by field, so that what is not as it should be is named with its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from prompts.datasets.base import read_text
from prompts.errors import DatasetError

K = TypeVar("K", str, int, bool, list[object], dict[str, object])

_FIX: Final = "compare it with the file as published"
_SURROGATE = re.compile("[\ud800-\udfff]")
_KINDS: Final[dict[type, str]] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a JSON file, with its place.

    Attributes:
        path: The file.
        where: The keys that lead to it, such as `data[3].paragraphs`; empty for the whole.
    """

    path: Path
    where: str
    value: object = field(repr=False)

    def wrong(self, found: str, fix: str = _FIX) -> DatasetError:
        """The error that says what was found at this place."""
        return DatasetError(self.path, self.where, found, fix)

    def at(self, key: str) -> Field:
        """The value under a key.

        Raises:
            DatasetError: This is no object, or has no such key.
        """
        own = self._as(dict)
        if key not in own:
            raise self.wrong(f"no {key!r}")
        return Field(self.path, f"{self.where}.{key}" if self.where else key, own[key])

    def has(self, key: str) -> bool:
        """Whether this is an object with that key."""
        return isinstance(self.value, dict) and key in self.value

    def keys(self) -> list[str]:
        """The keys of this object, in the file's order.

        Raises:
            DatasetError: This is no object.
        """
        return list(self._as(dict))

    def each(self) -> list[Field]:
        """The values of this list.

        Raises:
            DatasetError: This is no list.
        """
        values = self._as(list)
        return [Field(self.path, f"{self.where}[{n}]", value) for n, value in enumerate(values)]

    def text(self) -> str:
        """This text.

        Raises:
            DatasetError: This is no text, or holds half of a surrogate pair.
        """
        own = self._as(str)
        if _SURROGATE.search(own):
            raise self.wrong("half of a surrogate pair", "mend the \\u escape")
        return own

    def number(self) -> int:
        """This whole number.

        Raises:
            DatasetError: This is no whole number.
        """
        return self._as(int)

    def flag(self) -> bool:
        """This truth value.

        Raises:
            DatasetError: This is neither true nor false.
        """
        return self._as(bool)

    def texts(self) -> tuple[str, ...]:
        """The texts of this list.

        Raises:
            DatasetError: This is no list of texts.
        """
        return tuple(one.text() for one in self.each())

    def _as(self, kind: type[K]) -> K:
        if isinstance(self.value, kind) and (kind is bool or not isinstance(self.value, bool)):
            return self.value
        shown = json.dumps(self.value)
        shown = shown if len(shown) <= 40 else f"{shown[:40]} …"
        raise self.wrong(f"expected {_KINDS[kind]}, found {shown}")


def read_json(path: Path) -> Field:
    """What a JSON file holds.

    Raises:
        DatasetError: The file is missing, not UTF-8, or not JSON.
    """
    try:
        return Field(path, "", json.loads(read_text(path)))
    except json.JSONDecodeError as error:
        found = f"not JSON ({error.msg})"
        raise DatasetError(path, f"line {error.lineno}", found, _FIX) from None
    except RecursionError:
        raise DatasetError(path, "", "lists nested too deep", _FIX) from None
