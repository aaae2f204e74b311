"""The reference page of the experiment file, made from its model.

`python -m probe.spec_reference > docs/experiment-file.md` writes it anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from pydantic import BaseModel

from probe.cluster.table import RayModel, RaySpec
from probe.model_spec import ModelSpec, Price, Serve
from probe.spec import Conditions, Spec, TaskSpec

_Schema: TypeAlias = Mapping[str, Any]

_PAGE: Final = """\
# The experiment file

One TOML file says what is asked of whom. This page is made from the model that reads the file
(`python -m probe.spec_reference`), so it lists every key. A key it does not know is an error that
names the nearest one it does; `probe plan FILE` reads a file and asks nothing.
"""
_PARTS: Final[tuple[tuple[str, type[BaseModel], str], ...]] = (
    ("The file", Spec, "At the top of the file, before any table."),
    ("[[models]]", ModelSpec, "One table a model, at least one."),
    ("[models.price]", Price, "Below its model. A ceiling in dollars needs it."),
    ("[models.serve]", Serve, 'Below its model, with `provider = "vllm"`.'),
    ("[[tasks]]", TaskSpec, "One table a task and dataset, at least one."),
    ("[conditions]", Conditions, "Every item is asked under each name strategy with each prompt."),
    ("[ray]", RaySpec, "How `probe run --ray` places workers; it changes no cell and no reply."),
    ("[ray.models.NAME]", RayModel, "Workers that ask the model of that name alone."),
)
_HEAD: Final = "| key | value | default | meaning |\n|---|---|---|---|"
_TYPES: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "table of key = value",
    "array": "list",
}
_SIGNS: Final = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def reference() -> str:
    """The page, in Markdown."""
    parts = [_PAGE]
    for title, model, about in _PARTS:
        parts.append("\n".join([f"## {title}\n\n{about}\n\n{_HEAD}", *_rows(model)]) + "\n")
    return "\n".join(parts)


def _rows(model: type[BaseModel]) -> Iterator[str]:
    schema = model.model_json_schema()
    needed = schema.get("required", ())
    for name, own in schema["properties"].items():
        if "description" not in own:  # a table with a part of its own
            continue
        default = "**needed**" if name in needed else _shown(own.get("default"))
        meaning = own["description"].replace("|", "\\|")
        yield f"| `{name}` | {_value(own)} | {default} | {meaning} |"


def _value(schema: _Schema) -> str:
    """What TOML value a key takes."""
    if "anyOf" in schema:
        return " or ".join(_value(each) for each in schema["anyOf"] if each != {"type": "null"})
    if "enum" in schema:
        return ", ".join(_shown(each) for each in schema["enum"])
    if "$ref" in schema:
        return "table, below"
    if schema.get("format") == "date":
        return "date"
    told = [_TYPES[schema["type"]]]
    told += [f"{sign} {schema[word]:,}" for word, sign in _SIGNS.items() if word in schema]
    items = schema.get("items", {})
    if "enum" in items or "type" in items:
        told[0] += f" of {_value(items)}"
    return ", ".join(told)


def _shown(value: object) -> str:
    """A value as TOML has it; nothing stands for what is empty or not set."""
    if value is None or value in ([], {}):
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
