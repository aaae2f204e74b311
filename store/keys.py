"""Cell keys: the sha256 of everything that changes a reply, and nothing else.

An allowlist, not a denylist: a field nobody thought of cannot slip into a key, and one that is
missing is an error. Numbers that are equal are written alike (0 and 0.0), so that how a file spells
them does not matter. The same fields give the same key on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

_ALREADY = frozenset({str, int, bool, type(None)})
KEY_FIELDS = frozenset({"api", "endpoint", "messages", "model", "params", "sample"})
"""api: the request's form ("chat"). endpoint: where the model is served, or the sha256 of its
weights. messages: what is sent. model: the model asked for. params: every sampling parameter.
sample: which repetition this is."""


def canonical(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces, integral floats as integers.

    Raises:
        ValueError: A NaN or an infinity, which JSON cannot hold.
    """
    return json.dumps(
        _plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def _plain(value: object) -> object:
    if type(value) in _ALREADY:  # most are, and asking an abstract class is slow
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


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
