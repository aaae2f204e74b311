"""Reads replies that are JSON: bare, in a code fence, or with a sentence around them."""

from __future__ import annotations

import json
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


def object_schema(properties: dict[str, dict[str, object]]) -> dict[str, object]:
    """The JSON schema of an object that has just these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
