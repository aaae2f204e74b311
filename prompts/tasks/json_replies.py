"""Reads replies that are JSON: bare, in a code fence, or with a sentence around them."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final

_DECODER: Final = json.JSONDecoder()
_MOST_TRIES: Final = 20


def read_object(reply: str) -> dict[str, Any] | None:
    """The first JSON object of a reply; None where there is none.

    Args:
        reply: As the model gave it. What stands before and after the object is left aside.
    """
    at = reply.find("{")
    for _ in range(_MOST_TRIES):
        if at < 0:
            return None
        try:
            found, _ = _DECODER.raw_decode(reply, at)
        except (ValueError, RecursionError):  # Python reads no number of thousands of digits
            at = reply.find("{", at + 1)
            continue
        return found if isinstance(found, dict) else None
    return None


_MOST_VALUES: Final = 500
"""Values of an enumeration that OpenAI's API takes (count)."""


def numbers_schema(labels: Collection[str], *, least: int = 0) -> dict[str, object]:
    """The JSON schema of a list of labels that are numbers.

    Args:
        labels: Those there are; where they are too many to be listed, any number will do.
        least: How many a list holds at least (count).
    """
    number: dict[str, object] = {"type": "integer"}
    if len(labels) <= _MOST_VALUES:
        number["enum"] = [int(label) for label in labels]
    listed: dict[str, object] = {"type": "array", "items": number}
    return {**listed, "minItems": least} if least else listed


def object_schema(properties: dict[str, dict[str, object]]) -> dict[str, object]:
    """The JSON schema of an object that has just these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
