"""Where a store is: a folder of this machine, or a lake that many machines write.

An address is parsed once, at the command's front door; everything behind takes what comes out of
it. It never holds a secret, so it may stand in messages, rows and journals.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from store.errors import BadAddress
from store.hub_address import SCHEME, Address, address

_LAKE: Final = "ducklake:"
_OWN: Final = frozenset({"data", "schema"})
_SECRET: Final = frozenset({"password", "sslpassword", "passwd", "pwd"})
_SCHEMA: Final = "probe_lake"
_PAIR: Final = re.compile(r"\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?=\s|$)")
_REMOTE: Final = re.compile(r"\w+://")
_URI: Final = re.compile(r"postgres(ql)?://")
_BY_PAIRS: Final = (
    "write it as ducklake:postgres:dbname=NAME host=HOST user=USER data=FOLDER"
    " (quotes around all of it)"
)
_TAKE_OUT: Final = "take it out and give it in PGPASSWORD or in ~/.pgpass, which libpq reads itself"
_SQLITE_DATA: Final = re.compile(r"(?P<path>.*?)(?:\s+data=(?P<data>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lake:
    """A store whose tables lie in Parquet files, and whose catalogue in a database.

    Attributes:
        kind: What the catalogue is: a PostgreSQL server, or an SQLite file of this machine.
        catalogue: How it is reached: libpq's keywords, or the file's absolute path.
        schema: Where in a PostgreSQL database the catalogue's tables are; empty for SQLite.
        data: Where the files go, a folder or a URL; empty where the catalogue knows.
    """

    kind: Literal["postgres", "sqlite"]
    catalogue: str
    schema: str = ""
    data: str = ""

    def __str__(self) -> str:
        elsewhere = f" schema={self.schema}" if self.schema not in {"", _SCHEMA} else ""
        return f"{_LAKE}{self.kind}:{self.catalogue}{elsewhere}"

    @property
    def digest(self) -> str:
        """Names the lake among those of this machine: 16 hex digits."""
        whole = f"{self.kind}\0{self.catalogue}\0{self.schema}"
        return hashlib.sha256(whole.encode()).hexdigest()[:16]


Place: TypeAlias = Path | Lake | Address
"""Where a store is; behind a hub's address it can only be read."""


def parse_place(text: str) -> Place:
    """What `--store` says.

    Raises:
        BadAddress: It begins as a lake's and cannot be one, or holds a password.
    """
    if text.startswith(SCHEME):
        return address(text)
    if not text.startswith(_LAKE):
        if _URI.match(text):
            raise BadAddress("postgres://…", "it is no store's address", _BY_PAIRS)
        return Path(text)
    kind, _, rest = text.removeprefix(_LAKE).partition(":")
    if kind == "postgres":
        return _postgres(rest.strip())
    if kind == "sqlite":
        return _sqlite(rest.strip())
    raise BadAddress(
        _LAKE + kind,
        "it does not say what the catalogue is",
        "a lake is ducklake:postgres:… for many machines, ducklake:sqlite:PATH for one",
    )


def _postgres(words: str) -> Lake:
    shown = f"{_LAKE}postgres:…"
    if _URI.match(words):
        raise BadAddress(shown, "a URL is not taken: it may hold a password", _BY_PAIRS)
    pairs = _pairs(words, shown)
    if secret := sorted(_SECRET & pairs.keys()):
        raise BadAddress(shown, f"it holds a {secret[0]}", _TAKE_OUT)
    schema = pairs.get("schema", _SCHEMA)
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", schema):
        fix = "small letters, digits and _ make a name"
        raise BadAddress(shown, f"schema={schema} is no name of a schema", fix)
    kept = " ".join(f"{key}={_quoted(value)}" for key, value in pairs.items() if key not in _OWN)
    return Lake(kind="postgres", catalogue=kept, schema=schema, data=_folder(pairs.get("data", "")))


def _pairs(words: str, shown: str) -> dict[str, str]:
    """Keywords as libpq reads them: `key=value`, a value with blanks in single quotes."""
    found: dict[str, str] = {}
    at = 0
    while at < len(words.rstrip()):
        pair = _PAIR.match(words, at)
        if pair is None:
            raise BadAddress(shown, "it is no list of key=value", _BY_PAIRS)
        value = pair[2][1:-1] if pair[2].startswith("'") else pair[2]
        found[pair[1].lower()] = re.sub(r"\\(.)", r"\1", value)
        at = pair.end()
    return found


def _quoted(value: str) -> str:
    if re.fullmatch(r"[^\s'\\]+", value):
        return value
    return "'" + re.sub(r"(['\\])", r"\\\1", value) + "'"


def _sqlite(words: str) -> Lake:
    found = _SQLITE_DATA.fullmatch(words)
    path = found["path"] if found else ""
    if not path:
        fix = "name its file: ducklake:sqlite:PATH"
        raise BadAddress(f"{_LAKE}sqlite:", "it names no file", fix)
    file = Path(path).absolute()
    return Lake(kind="sqlite", catalogue=str(file), data=_folder((found and found["data"]) or ""))


def _folder(data: str) -> str:
    """Where files go, so that it is the same from every working directory."""
    return data if not data or _REMOTE.match(data) else str(Path(data).absolute())


def own_place(store: Place, what: str) -> Path | Lake:
    """A store that this machine can write.

    Raises:
        BadAddress: It is behind a hub.
    """
    if isinstance(store, Address):
        fix = "run it on the hub's machine"
        raise BadAddress(
            str(store), f"{what} writes, and a hub's store is only read from here", fix
        )
    return store


def folder_of(store: Place, what: str) -> Path:
    """The folder of a store, for what only such a store can do.

    Raises:
        BadAddress: It is a lake, or behind a hub.
    """
    if isinstance(store := own_place(store, what), Path):
        return store
    fix = "move the experiment there and back with `probe export --to`"
    raise BadAddress(str(store), f"{what} needs a store in a folder", fix)
