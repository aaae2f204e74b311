"""Cell keys: the sha256 of everything that changes a reply, and nothing else.

An allowlist, not a denylist: a field nobody thought of cannot slip into a key, and one that is
missing is an error. Numbers that are equal are written alike (0 and 0.0), so that how a file spells
them does not matter. The same fields give the same key on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

import orjson

_ALREADY = frozenset({str, int, bool, type(None)})
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS
KEY_FIELDS = frozenset({"api", "endpoint", "messages", "model", "params", "sample"})
"""api: the request's form ("chat" or "completions"). endpoint: where the model is served, or the
sha256 of its weights. messages: what is sent, messages or a text. model: the model asked for.
params: everything else that is sent, and headers of the file's. sample: which repetition it is."""


class _HasFraction(Exception):
    """A number that the two encoders write differently."""


def canonical(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces, integral floats as integers.

    Raises:
        ValueError: A NaN or an infinity, which JSON cannot hold.
        TypeError: A value of a type that JSON does not have.
    """
    try:
        return orjson.dumps(_plain(value, fractions=False), option=_SORTED).decode()
    except (_HasFraction, orjson.JSONEncodeError):  # which takes no huge integers either
        return json.dumps(
            _plain(value, fractions=True),
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
        )


def _plain(value: object, *, fractions: bool) -> object:
    if type(value) in _ALREADY:  # most are, and asking an abstract class is slow
        return value
    if isinstance(value, (list, tuple)):
        return [
            each if type(each) in _ALREADY else _plain(each, fractions=fractions) for each in value
        ]
    if isinstance(value, Mapping):
        return {
            str(name): each if type(each) in _ALREADY else _plain(each, fractions=fractions)
            for name, each in value.items()
        }
    if isinstance(value, float):
        if value.is_integer():
            return int(value)
        if not fractions:
            raise _HasFraction
        return value
    if isinstance(value, (str, int)):
        return value
    raise TypeError(f"JSON has no {type(value).__name__}")


def digest(value: object) -> str:
    """sha256 of a value's canonical JSON, in hex (64 characters)."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def as_one(keys: Iterable[str]) -> str:
    """Keys as one text, parted by spaces, for `string_split(…, ' ')` in a query.

    DuckDB takes some 60 µs for each element of a list that is bound from Python.
    """
    return " ".join(keys)


def cell_key(fields: Mapping[str, object]) -> str:
    """The key of a cell.

    Raises:
        KeyError: A field outside the allowlist, or one of it missing.
    """
    strange = set(fields) ^ KEY_FIELDS
    if strange:
        raise KeyError(f"a cell key is made of {sorted(KEY_FIELDS)}; not so {sorted(strange)}")
    return digest(fields)
