"""What is read alike in every reply: thoughts and code fences set aside, one property of JSON.

Pure. What the words say is for each task to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from prompts.tasks.base import Unparsed
from prompts.tasks.json_replies import read_object

EMPTY: Final = "the reply is empty"
BROKEN: Final = "JSON that cannot be read, or breaks off"

_AROUND: Final = ' \t\r\n*_`#>"“”„«»'
# Some servers leave the model's thoughts in the reply; one that breaks off in them says nothing.
_THOUGHT: Final = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
_BOXED: Final = re.compile(r"\$*\\boxed\{(?:\\text\{([^{}]*)\}|([^{}]*))\}\$*")
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[\w+-]*[ \t]*$", re.MULTILINE)


def words_of(reply: str) -> str:
    """A reply without the thoughts it begins with, the fences of code and the boxes of formulae."""
    said = _FENCE.sub("", _THOUGHT.sub("", reply, count=1))
    return _BOXED.sub(lambda boxed: boxed[1] or boxed[2] or "", said).strip()


def undecorated(words: str) -> str:
    """Words without the bold, code and quotation marks around them."""
    return words.strip(_AROUND)


def json_property(reply: str, name: str) -> object | Unparsed | None:
    """The value of one property of a reply's first JSON object.

    Args:
        reply: As the model gave it.
        name: The property asked for; a reply may write it in capitals.

    Returns:
        The value; None where the reply is prose, which may hold an object of its own; or why there
        is no value, where the reply is JSON without one.
    """
    words = words_of(reply)
    is_json = words.startswith("{")
    found = read_object(words)
    if found is None:
        return Unparsed(BROKEN) if is_json and '"' in words else None
    for key, value in found.items():
        if key.strip().casefold() == name:
            return Unparsed(f"JSON whose {name!r} is null") if value is None else value
    return Unparsed(f"JSON without {name!r}") if is_json else None


def text_in(
    reply: str, name: str, prose: Callable[[str], str | Unparsed] = lambda words: words
) -> str | Unparsed:
    """What a reply says: one property of its JSON as a text, or its words.

    Args:
        reply: As the model gave it.
        name: The property.
        prose: Reads the words of a reply that is no JSON; as they are where it is left out.
    """
    value = json_property(reply, name)
    if value is None:
        return prose(words_of(reply))
    return value if isinstance(value, Unparsed) else as_text(value, name)


def as_text(value: object, name: str) -> str | Unparsed:
    """A JSON value that stands for a text: a string, a number, or a list of just one of them."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # an escape may be half a character
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return Unparsed(f"JSON whose {name!r} is no text")
