"""Reads clusters of numbered mentions from replies that are JSON, whole or in part."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from prompts.tasks.number_lists import read_list

_Json: TypeAlias = "dict[str, _Json] | list[_Json] | str | int | float | bool | None"

_DECODER: Final = json.JSONDecoder()
_BEGINS: Final = re.compile(r"\{|\[(?=\s*[\[{\"])")
_MOST_TRIES: Final = 20
_DEEPEST: Final = 8
_KEY: Final = re.compile(r"(?:mention[ _]?|m|#)?0*([0-9]{1,5})", re.IGNORECASE)
_MEMBERS: Final = re.compile(r"mentions|members|numbers|labels|ids|clusters?", re.IGNORECASE)
_FIELD: Final = re.compile(
    r"(?:\w+_)?(?:id|number|no|name|index|label|count|size|total|group|character|entity|mention)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Group:
    """One cluster as a reply gives it.

    Attributes:
        labels: The numbers in it, without leading zeros.
        head: A number before them that is either one more of them or the cluster's own.
    """

    labels: tuple[str, ...]
    head: str = ""


def read_json(reply: str) -> list[Group]:
    """The clusters of all JSON objects and nested arrays of a reply; none where it has none."""
    groups: list[Group] = []
    at = 0
    for _ in range(_MOST_TRIES):
        begins = _BEGINS.search(reply, at)
        if begins is None:
            break
        try:
            value, at = _DECODER.raw_decode(reply, begins.start())
        # A number of thousands of digits is a ValueError, and so is what is no JSON.
        except (ValueError, RecursionError):
            at = begins.end()
        else:
            groups.extend(_groups(value))
    return groups


def _groups(value: _Json, depth: int = 0, *, in_list: bool = False) -> Iterator[Group]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield from _of_object(value, depth, in_list=in_list)
    elif isinstance(value, list):
        scalars = [_numbers(each) for each in value if not isinstance(each, dict | list)]
        if any(len(numbers) > 1 for numbers in scalars):
            yield from (Group(numbers) for numbers in scalars if numbers)
        elif any(scalars):
            yield Group(tuple(number for numbers in scalars for number in numbers))
        for each in value:
            if isinstance(each, dict | list):
                yield from _groups(each, depth + 1, in_list=True)


def _of_object(value: dict[str, _Json], depth: int, *, in_list: bool) -> Iterator[Group]:
    keys = {key: match[1] for key in value if (match := _KEY.fullmatch(key.strip()))}
    is_flat = not any(isinstance(each, dict | list) for each in value.values())
    if is_flat and len(keys) == len(value) and all(len(_numbers(x)) < 2 for x in value.values()):
        yield from _by_value(value, keys)
        return
    for key, each in value.items():
        head = keys.get(key, "")
        if isinstance(each, dict | list):
            inner = list(_groups(each, depth + 1))
            yield from (Group(g.labels, head=head) if len(inner) == 1 else g for g in inner)
            continue
        numbers = _numbers(each)
        # One of many objects may hold a number of its own beside its mentions.
        is_alone = not in_list and not _FIELD.fullmatch(key)
        if len(numbers) > 1 or (numbers and (is_alone or _MEMBERS.fullmatch(key))):
            yield Group(numbers, head=head)


def _by_value(value: dict[str, _Json], keys: dict[str, str]) -> Iterator[Group]:
    """One cluster for all the mentions that are given the same name or number."""
    named: dict[str, list[str]] = {}
    for key, label in keys.items():
        if value[key] is not None:
            named.setdefault(str(value[key]).strip().casefold(), []).append(label)
    yield from (Group(tuple(labels)) for labels in named.values())


def _numbers(value: _Json) -> tuple[str, ...]:
    """The numbers of a number, or of a text that lists numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (str(value),)
    found = read_list(value) if isinstance(value, str) else None
    return tuple(number for cluster in found.clusters for number in cluster) if found else ()
