"""A folder that is there whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from store.errors import BadFile

SUMS: Final = "SHA256SUMS"
_CHUNK_BYTES: Final = 1 << 20


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A new folder beside the target, which takes its place when the block ends well.

    Raises:
        BadFile: The target is there and not empty, or cannot be made.
    """
    _refuse_full(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise unwritable(target, error) from None
    try:
        yield made
        _refuse_full(target)
        _settle(made)
        made.replace(target)
    except OSError as error:
        raise unwritable(target, error) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def unwritable(target: Path, error: OSError) -> BadFile:
    """What is told where the system refuses to write."""
    found = f"cannot be written ({error.strerror or error})"
    return BadFile(target, "", found, "nothing is left of it; mend that and export again")


def _refuse_full(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise BadFile(target, "", "it is there and no folder", "name another folder")
    if target.exists() and any(target.iterdir()):
        raise BadFile(target, "", "the folder is not empty", "name a new one, or empty it")


def _settle(made: Path) -> None:
    """Give the folder the mode of any other, and see that the disk has all of it."""
    mask = os.umask(0)
    os.umask(mask)
    made.chmod(0o777 & ~mask)
    for path in sorted(made.rglob("*")):
        if path.is_file():
            path.chmod(0o666 & ~mask)
            with path.open("rb") as file:
                os.fsync(file.fileno())


def digest(file: Path) -> str:
    """A file's SHA-256, in hex."""
    found = hashlib.sha256()
    with file.open("rb") as source:
        while chunk := source.read(_CHUNK_BYTES):
            found.update(chunk)
    return found.hexdigest()


def write_sums(folder: Path) -> None:
    """Write the digests of every file, as `sha256sum -c` reads them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [f"{digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
