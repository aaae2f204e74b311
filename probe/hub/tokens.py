"""Who may do what at a hub: three tokens, and the workers that were there before a restart.

They stand in one file of the store's folder, its user's alone. Of a token only its hash is ever
compared, shown or handed to the database.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from probe.errors import ProbeError
from probe.hub.wire import ROLES, Role

FILE: Final = "hub.json"
_BYTES: Final = 32


class BadTokens(ProbeError):
    """The file of a hub's tokens cannot be used."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(path, found)
        self.path, self.found = path, found

    def __str__(self) -> str:
        return f"{self.path}: {self.found}; move it away, and new tokens are made"


@dataclass(slots=True, kw_only=True)
class Tokens:
    """A store's tokens, made once and kept, so that workers find a hub that was restarted.

    Attributes:
        workers: Id -> name of those that have joined and not left.
    """

    path: Path
    by_role: Mapping[Role, str] = field(repr=False)
    workers: dict[str, str] = field(default_factory=dict)

    def allows(self, token: str, role: Role) -> bool:
        """Whether who has a token may do what a role may."""
        enough = [self.by_role[each].encode() for each in ROLES[ROLES.index(role) :]]
        same = [hmac.compare_digest(token.encode(), each) for each in enough]  # all, for even time
        return any(same)

    def hashes(self) -> list[str]:
        """sha256 of every token, in hex: each may read."""
        return [hashlib.sha256(self.by_role[role].encode()).hexdigest() for role in ROLES]

    def save(self) -> None:
        """Put the file in its place, whole and for this user alone.

        Raises:
            BadTokens: The folder cannot be written.
        """
        made = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        record = {"tokens": dict(self.by_role), "workers": self.workers}
        try:
            with contextlib.suppress(FileNotFoundError):
                made.unlink()
            handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as file:  # noqa: PTH123 - mode set at creation
                json.dump(record, file)
            made.replace(self.path)
        except OSError as error:
            raise BadTokens(self.path, f"cannot be written ({error.strerror})") from None


def tokens_of(store: Path) -> Tokens:
    """The tokens of a store; made where there are none.

    Raises:
        BadTokens: The file is there and cannot be used.
    """
    path = store / FILE
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        found = Tokens(
            path=path,
            by_role={role: str(record["tokens"][role]) for role in ROLES},
            workers={str(worker): str(name) for worker, name in record["workers"].items()},
        )
    except FileNotFoundError:
        found = Tokens(path=path, by_role={role: secrets.token_urlsafe(_BYTES) for role in ROLES})
        store.mkdir(parents=True, exist_ok=True)
        found.save()
    except OSError as error:
        raise BadTokens(path, f"cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadTokens(path, "is no file of tokens") from None
    return found
