"""Where a hub is: `quack:host:port`, one address for its workers and for DuckDB's clients."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from store.errors import StoreError

SCHEME: Final = "quack:"
PORT: Final = 9494
"""DuckDB's own for this protocol."""
_FORM: Final = re.compile(
    r"(?:quack:)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?(\?plain)?"
)
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_MOST_PORT: Final = 65535


class BadHub(StoreError):
    """A text that is no hub's address."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.text!r} is no hub's address; write it like quack:host:{PORT}"


@dataclass(frozen=True, slots=True)
class Address:
    """A hub's address.

    Attributes:
        plain: Whether it is spoken to without TLS also on a network, which must be a trusted one.
    """

    host: str
    port: int
    plain: bool = False

    def __str__(self) -> str:
        return f"{self.for_duckdb}{'?plain' if self.plain else ''}"

    @property
    def for_duckdb(self) -> str:
        """The address as DuckDB attaches it."""
        return f"{SCHEME}{self._bracketed}:{self.port}"

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def is_here(self) -> bool:
        """Whether it is this machine's own."""
        return self.host in _HERE

    @property
    def has_tls(self) -> bool:
        """Whether it is spoken to with TLS: but for this machine, as DuckDB's client does."""
        return not (self.plain or self.is_here)

    @property
    def url(self) -> str:
        """The address as HTTP has it."""
        return f"{'https' if self.has_tls else 'http'}://{self._bracketed}:{self.port}"


def address(text: str) -> Address:
    """Read an address; `?plain` at its end does without TLS.

    Raises:
        BadHub: It is none.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None or not 0 <= int(found[2] or PORT) <= _MOST_PORT:
        raise BadHub(text)
    return Address(found[1].strip("[]"), int(found[2] or PORT), plain=found[3] is not None)
