"""Files that a repository keeps in Git LFS: the repository holds a pointer with their sha256.

Source: the Git LFS specification, its pointer files and its batch API.
"""

from __future__ import annotations

import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from store.assets import file_sha256
from store.errors import AssetError

_POINTER: Final = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n"
    rb"size (\d+)\n"
)
_LONGEST_POINTER: Final = 1024
_JSON: Final = "application/vnd.git-lfs+json"
_CHUNK: Final = 1 << 20
_TIMEOUT_S: Final = 60
_AGAIN: Final = "run it again; what has come is kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """What stands in a repository for a file in LFS.

    Attributes:
        sha256: Of the file, in hex.
        size: Of the file (bytes).
    """

    sha256: str
    size: int


def read_pointer(content: bytes) -> Pointer | None:
    """The pointer that a file of a repository is; None where it is a file itself."""
    found = _POINTER.fullmatch(content) if len(content) <= _LONGEST_POINTER else None
    return Pointer(sha256=found[1].decode(), size=int(found[2])) if found else None


def download(
    name: str, address: str, pointer: Pointer, to: Path, progress: Callable[[int], None]
) -> None:
    """Have the file of a pointer at a path; goes on with what lies there of it.

    Args:
        name: What the errors call it.
        address: The repository's LFS address, such as `https://host/owner/name.git/info/lfs`.
        pointer: The file's sha256 and size.
        to: Where it goes. Unless it is whole, what lies there is a part that ended too early.
        progress: Told how many bytes of it are here.

    Raises:
        AssetError: The server does not give the file, or gives another.
    """
    had = to.stat().st_size if to.exists() else 0
    if had < pointer.size or not to.exists():
        try:
            _receive(_action(name, address, pointer), to, had, progress)
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            said = getattr(error, "reason", None) or error
            raise AssetError(name, f"{address} cannot be read ({said})", _AGAIN) from None
    if to.stat().st_size < pointer.size:
        raise AssetError(name, f"{address} ended in the middle of a file", _AGAIN)
    if file_sha256(to) != pointer.sha256:
        to.unlink()
        found = f"{address} gives other bytes than the pinned sha256 {pointer.sha256[:12]}…"
        raise AssetError(name, found, "they were thrown away; run it again")


def _action(name: str, address: str, pointer: Pointer) -> urllib.request.Request:
    wanted = {
        "operation": "download",
        "transfers": ["basic"],
        "objects": [{"oid": pointer.sha256, "size": pointer.size}],
    }
    asked = urllib.request.Request(  # noqa: S310 - the address is one of our own facts
        f"{address}/objects/batch",
        data=json.dumps(wanted).encode(),
        headers={"Accept": _JSON, "Content-Type": _JSON},
    )
    with urllib.request.urlopen(asked, timeout=_TIMEOUT_S) as answer:  # noqa: S310
        raw = answer.read()
    try:
        told: Any = json.loads(raw)
        (one,) = told["objects"]
        if "error" in one:
            said = f"{one['error'].get('code')}: {one['error'].get('message')}"
            raise AssetError(name, f"{address} refuses a file ({said})", "download it by hand")
        action: Mapping[str, Any] = one["actions"]["download"]
        headers = {str(key): str(value) for key, value in action.get("header", {}).items()}
        href = str(action["href"])
    except (ValueError, KeyError, TypeError, AttributeError):
        found = f"{address} does not answer as LFS servers do"
        raise AssetError(name, found, "download it by hand") from None
    if not href.startswith(("https://", "http://")):  # urllib would open a file of the user's
        raise AssetError(name, f"{address} names the address {href[:60]!r}", "download it by hand")
    return urllib.request.Request(href, headers=headers)  # noqa: S310 - checked above


def _receive(
    asked: urllib.request.Request, to: Path, had: int, progress: Callable[[int], None]
) -> None:
    if had:
        asked.add_header("Range", f"bytes={had}-")
    with urllib.request.urlopen(asked, timeout=_TIMEOUT_S) as answer:  # noqa: S310
        goes_on = had and answer.status == http.client.PARTIAL_CONTENT
        had = had if goes_on else 0
        with to.open("ab" if goes_on else "wb") as out:
            while chunk := answer.read(_CHUNK):
                out.write(chunk)
                had += len(chunk)
                progress(had)
