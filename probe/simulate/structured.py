"""JSON replies: a value that fits a JSON schema, with a reader's own answer where it has one.

Of JSON Schema, what structured outputs use: types, `enum`, `const`, `anyOf`, `$ref` into `$defs`,
and the bounds on numbers and lists. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from probe.simulate.draws import Draw

_DEEPEST: Final = 8
_SOME: Final = 3


def schema_of(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The JSON schema that a request asks its answer to fit; None where it asks for prose.

    `{"type": "json_object"}` asks for any object: it is the empty schema of one.
    """
    wanted = body.get("response_format")
    if not isinstance(wanted, dict):
        return None
    if wanted.get("type") == "json_object":
        return {"type": "object"}
    named = wanted.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    return schema if wanted.get("type") == "json_schema" and isinstance(schema, dict) else None


def fitting(schema: Mapping[str, Any], said: Mapping[str, object], draw: Draw) -> str:
    """JSON that fits a schema.

    Args:
        schema: Of an object, mostly.
        said: What is answered, by property; used where it fits.
        draw: Decides the rest.
    """
    return json.dumps(_Fitted(schema, said, draw).value(schema, None, 0), ensure_ascii=False)


class _Fitted:
    def __init__(self, schema: Mapping[str, Any], said: Mapping[str, object], draw: Draw) -> None:
        self._root, self._said, self._draw = schema, said, draw

    def value(self, schema: Mapping[str, Any], own: object, depth: int) -> object:
        """A value for a schema; `own` is what is answered there, if anything."""
        if depth > _DEEPEST:
            return None
        schema = self._plain(schema)
        choices = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(choices, list) and choices:
            return own if own in choices else self._draw.one(choices)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        if kind == "object":
            properties = schema.get("properties")
            return {
                name: self.value(below, self._said.get(name), depth + 1)
                for name, below in (properties if isinstance(properties, dict) else {}).items()
            }
        if kind == "array":
            return self._list(schema, own, depth)
        return self._single(str(kind), schema, own)

    def _plain(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """A schema without references and alternatives, of which the first is taken."""
        for _ in range(_DEEPEST):
            reference, several = schema.get("$ref"), schema.get("anyOf") or schema.get("oneOf")
            if isinstance(reference, str):
                schema = self._at(reference)
            elif isinstance(several, list) and several and isinstance(several[0], dict):
                schema = several[0]
            else:
                break
        return schema

    def _at(self, reference: str) -> Mapping[str, Any]:
        found: Any = self._root
        for part in reference.removeprefix("#").split("/")[1:]:
            found = found.get(part) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}

    def _list(self, schema: Mapping[str, Any], own: object, depth: int) -> list[object]:
        below = schema.get("items")
        below = below if isinstance(below, dict) else {}
        least = _whole(schema.get("minItems"), 0)
        most = _whole(schema.get("maxItems"), max(_SOME, least))
        if isinstance(own, Sequence) and not isinstance(own, str) and least <= len(own):
            room = len(own) if "maxItems" not in schema else most
            return [self.value(below, each, depth + 1) for each in own[:room]]
        count = least + self._draw.below(most - least + 1) if most > least else least
        return [self.value(below, None, depth + 1) for _ in range(count)]

    def _single(self, kind: str, schema: Mapping[str, Any], own: object) -> object:
        is_flag = isinstance(own, bool)
        if kind == "boolean":
            return own if is_flag else self._draw.chance(50)
        if kind in {"integer", "number"}:
            low = _whole(schema.get("minimum"), 1)
            high = max(low, _whole(schema.get("maximum"), low + 9))
            fits = isinstance(own, int) and not is_flag and low <= own
            fits = fits and ("maximum" not in schema or int(str(own)) <= high)
            return own if fits else low + self._draw.below(high - low + 1)
        if kind == "null":
            return None
        return own if isinstance(own, str) else "simulated"


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
