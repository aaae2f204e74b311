"""Makes texts of others fit to be shown: nothing hidden, no places of this machine, no secrets."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"
"""Format characters that scripts and emoji need, and that move nothing."""
_PATH: Final = re.compile(
    r"(?<![\w:/.~-])(?:file://|~)?(?:/[^\s\"'<>/,;()\[\]]+){2,}/?|~/[^\s\"'<>]+"
)
_WINDOWS: Final = re.compile(r"\b[A-Za-z]:\\[^\s\"'<>]+")
_USER: Final = re.compile(r"(?<=://)[^/\s\"'@]+@")
_SECRET: Final = re.compile(
    r"(?i)(\b(?:api[-_]?key|token|secret|password|authorization)\b[\"']?\s*[=:]\s*[\"']?)"
    r"(?:bearer\s+)?[^\s\"',;&]+"
)


def visible(text: str) -> str:
    """A text in which control, direction and other unseen characters are spelled out.

    Line ends and tabs stay, and the joiners that scripts and emoji need.
    """
    return "".join(char if _is_seen(char) else _spelled(char) for char in text)


def _is_seen(char: str) -> bool:
    if char in "\n\t" or char in _JOINERS:
        return True
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _spelled(char: str) -> str:
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{{{number:x}}}"


def public(text: str) -> str:
    """A text without what tells of this machine or opens a door.

    Paths keep their last part; the user in an address and what stands after the name of a secret
    are left out. The name of a variable that holds a key (`api_key_env`) is no secret.
    """
    shown = _USER.sub("…@", text)
    shown = _SECRET.sub(r"\1…", shown)
    shown = _WINDOWS.sub(lambda found: "…\\" + found[0].rstrip("\\").rpartition("\\")[2], shown)
    return _PATH.sub(lambda found: "…/" + found[0].rstrip("/").rpartition("/")[2], shown)
