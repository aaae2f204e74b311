"""Takes out of provenance what says where and by whom: secrets, folders, names of machines.

What was run stays readable: the last part of a path, the rest of an address, and the addresses of
public services and of this machine itself (localhost).
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

SECRET: Final = "<secret>"  # noqa: S105 - what stands in a secret's place
_HOST: Final = "<host>"
_PATH: Final = "<path>"
_SHORTEST_SECRET: Final = 6
_SHORTEST_HOST: Final = 4
_PUBLIC: Final = frozenset(
    """localhost 127.0.0.1 [::1] 0.0.0.0 api.openai.com api.anthropic.com api.mistral.ai
    api.deepseek.com api.cohere.com api.groq.com api.together.xyz api.fireworks.ai api.x.ai
    generativelanguage.googleapis.com openrouter.ai huggingface.co github.com arxiv.org doi.org
    """.split()
)
_NAMES: Final = (
    r"(?:api[_-]?key|access[_-]?key|token|secret|password|passwd|authorization|credentials?|cookie)"
)
_NAMED_SECRET: Final = re.compile(
    rf"""(?<![\w-])((?:[\w-]*[_-])?{_NAMES}["']?\s*[:=]\s*["']?)([^\s"',}}&]{{4,}})""",
    re.IGNORECASE,
)
_SECRET_KEY: Final = re.compile(rf"(?:.*[_-])?{_NAMES}", re.IGNORECASE)
_SHAPED: Final = re.compile(
    r"\bBearer\s+[^\s\"']+|\b(?:sk|pk|hf|ghp|gho|xox[abp]|AKIA|AIza)[-_]?[\w*-]{12,}"
)
_PLACES: Final = re.compile(
    r"""
      (?P<url> \b[a-z][a-z0-9+.-]*:// (?:[^\s/"'@<>]*@)? (?P<host>\[[0-9a-f:]+\]|[^\s/:"'<>,;)]*)
               (?P<port>:\d+)? (?P<rest>[^\s"'<>]*) )
    | (?P<quote>["']) (?P<in_quotes>(?:~|/|[A-Za-z]:\\|\\\\)[^"'\n]*) (?P=quote)
    | (?<![\w.:/<>~$}-]) (?P<path> ~?(?:/[^\s"'`,;:()<>\[\]{}|]+)+/? | [A-Za-z]:\\[^\s"'<>|]+ )
    | (?:(?<=host\ )|(?<=to\ )|(?<=@)) (?P<peer>[a-z0-9][a-z0-9.-]*) (?=:\d{2,5}\b)
    | \b (?P<dotted>(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*) (?=:\d{2,5}\b)
    | \b (?P<inner>(?:[a-z0-9-]+\.)+(?:cluster|corp|home|internal|intranet|lan|local|private)) \b
    | (?<![\w.]) (?P<ip>\d{1,3}(?:\.\d{1,3}){3}) (?![\w.])
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HOMES: Final = frozenset({"home", "Users", "Documents and Settings", "root"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaner:
    """Takes out what must not leave.

    Attributes:
        secrets: Values that are secrets, whatever they look like.
        hosts: Names of machines.
    """

    secrets: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """A text without secrets, folders and names of machines."""
        if text.startswith(("/", "~/")) and "\n" not in text and len(text) > 1:
            return _last_part(text)  # a whole value that is a path, spaces and all
        found = self.secretless(text)
        found = _SHAPED.sub(SECRET, found)
        found = _NAMED_SECRET.sub(rf"\1{SECRET}", found)
        found = _PLACES.sub(_placeless, found)
        for host in self.hosts:
            found = re.sub(rf"(?<![\w-]){re.escape(host)}(?![\w-])", _HOST, found)
        return found

    def secretless(self, text: str) -> str:
        """A text without the secrets that are known by value."""
        for secret in self.secrets:
            text = text.replace(secret, SECRET)
        return text

    def json(self, text: str) -> str:
        """JSON without the same; what a member called like a secret holds goes whatever it is."""
        try:
            value = json.loads(text)
        except ValueError:
            return self.text(text)
        return json.dumps(self._value(value), ensure_ascii=False, separators=(",", ":"))

    def _value(self, value: object) -> object:
        if isinstance(value, dict):
            return {
                self.text(str(key)): SECRET
                if isinstance(each, str) and _SECRET_KEY.fullmatch(str(key))
                else self._value(each)
                for key, each in value.items()
            }
        if isinstance(value, list):
            return [self._value(each) for each in value]
        return self.text(value) if isinstance(value, str) else value


def cleaner(specs: Iterable[str]) -> Cleaner:
    """A cleaner that knows this machine's name and the secrets of these experiment files.

    Args:
        specs: The experiment files; the variables they name for keys are looked up.
    """
    names = {
        name for spec in specs for name in re.findall(r"\w*_env\s*=\s*[\"'](\w+)[\"']", spec)
    } | {name for name in os.environ if _SECRET_KEY.fullmatch(name)}
    values = {os.environ.get(name, "") for name in names}
    return Cleaner(secrets=_longest_first(values, _SHORTEST_SECRET), hosts=_own_names())


def _own_names() -> tuple[str, ...]:
    whole = platform.node()
    names = {whole, whole.split(".")[0]} - {"localhost"}
    return _longest_first(names, _SHORTEST_HOST)


def _longest_first(texts: Collection[str], shortest: int) -> tuple[str, ...]:
    kept = {text for text in texts if len(text) >= shortest}
    return tuple(sorted(kept, key=lambda text: (-len(text), text)))


def _placeless(found: re.Match[str]) -> str:
    if found["url"]:
        return _public_url(found)
    if found["in_quotes"]:
        return f"{found['quote']}{_last_part(found['in_quotes'])}{found['quote']}"
    if found["path"]:
        return _last_part(found["path"])
    name = found["peer"] or found["dotted"] or found["inner"] or found["ip"]
    return name if name.lower() in _PUBLIC else _HOST


def _public_url(found: re.Match[str]) -> str:
    scheme = found["url"].split("://", 1)[0]
    if scheme.lower() == "file":
        return f"file://{_last_part(found['rest'] or '/')}"
    host = found["host"]
    kept = f"{host}{found['port'] or ''}" if host.lower() in _PUBLIC else _HOST
    return f"{scheme}://{kept}{found['rest']}"


def _last_part(path: str) -> str:
    """A path without its folders; without its last part too where that is someone's home."""
    parts = [part for part in re.split(r"[/\\]", path) if part]
    if not parts:
        return path
    in_home = len(parts) > 1 and parts[-2] in _HOMES
    if in_home or parts[-1] in {*_HOMES, "~"} or parts[-1].endswith(":"):
        return _PATH
    return str(PurePosixPath(_PATH) / parts[-1])
