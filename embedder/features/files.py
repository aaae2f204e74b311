"""Reading the pipelines' JSON, with errors that say where in it something is wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from pydantic import TypeAdapter, ValidationError

from store import files
from store.errors import BadFile
from store.files import shown

Form = TypeVar("Form")
AGAIN: Final = f"{files.AGAIN} or run the pipeline again"


def parse_json(path: Path, text: str, form: TypeAdapter[Form]) -> Form:
    """The text as JSON of the form.

    Raises:
        BadFile: It is not JSON, an object names a key twice, or a value is not of the
            form; names the place.
    """

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise BadFile(path, "", f"an object has the key {twice!r} twice", "keep one of the two")
        return found

    def no_number(name: str) -> NoReturn:
        raise BadFile(path, "", f"{name}, which JSON does not have", AGAIN)

    try:
        value: object = json.loads(text, object_pairs_hook=once, parse_constant=no_number)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadFile(path, place, f"not JSON ({error.msg})", AGAIN) from None
    except RecursionError:
        raise BadFile(path, "", "JSON nested too deeply", AGAIN) from None
    try:
        return form.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        found = f"{shown(first['input'])}: {first['msg']}"
        raise BadFile(path, json_place(first["loc"]), found, AGAIN) from None


def json_place(loc: Sequence[int | str]) -> str:
    """A place in JSON, as in `characters[3].agent[12].i`; "top level" for none."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return place.removeprefix(".") or "top level"
