"""Datasets from their public homes: chosen paths of one pinned commit, kept in the cache.

The mechanism is git. A full commit id is a checksum of everything below it, so one id pins a whole
dataset, also files nobody here has seen; single files over https would need a digest of each. git
also gives a commit without its history, and some files without the others, from any host, through
the proxies and certificates that users have set up for it. `git_objects` fetches and verifies,
`lfs` gets what a repository keeps in Git LFS.

An interrupted fetch goes on where it stopped: its objects stay in a folder ending in `.part`. The
finished folder is moved into place whole, and its manifest, with the sha256 of every file, is
written last: a folder without one does not count.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from store.assets import Progress, cache_folder, file_sha256
from store.errors import AssetError
from store.git_objects import Damaged, File, Pinned
from store.lfs import download, read_pointer

_FORM: Final = 1
_ROOM: Final = "free some space, or set GISTPROBE_CACHE to another folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A dataset at its public home.

    Attributes:
        name: The dataset's name.
        url: The git repository.
        commit: The pinned commit, 40 hex digits.
        paths: The folders and files of it that are wanted.
        lfs: Its Git LFS address, where some of the files are kept there.
    """

    name: str
    url: str
    commit: str
    paths: tuple[str, ...]
    lfs: str | None = None


def folder_of(repository: Repository) -> Path:
    """Where a repository's files lie once fetched."""
    return cache_folder() / "datasets" / repository.name / repository.commit[:12]


def is_cached(repository: Repository) -> bool:
    """Whether a repository's files lie in the cache; `cached` also verifies them."""
    return _manifest(repository) is not None and folder_of(repository).is_dir()


def cached(repository: Repository) -> Path | None:
    """The folder of a repository's files, verified; None where they were never fetched.

    Raises:
        AssetError: A file is not what was fetched.
    """
    if not is_cached(repository):
        return None
    wrong = _wrong_file(repository)
    if wrong is not None:
        fix = f"fetch it again with `probe data fetch {repository.name}`"
        raise AssetError(repository.name, f"the cached copy is damaged: {wrong}", fix)
    return folder_of(repository)


def fetch(repository: Repository, progress: Progress) -> Path:
    """The folder of a repository's files: from the cache, or from its home.

    Raises:
        AssetError: git is missing, the home does not give what was pinned, or there is no room.
            What has come is kept for the next try, unless it is damaged.
    """
    place = folder_of(repository)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with _alone(repository, progress) as held:
            if is_cached(repository):
                wrong = _wrong_file(repository)
                if wrong is None:
                    return place
                progress(f"{repository.name}: the cached copy is damaged ({wrong})", 0, None)
            _fetched(repository, held, progress)
    except OSError as error:
        found = f"cannot be kept at {place} ({error.strerror or error})"
        raise AssetError(repository.name, found, _ROOM) from None
    return place


@contextlib.contextmanager
def _alone(repository: Repository, progress: Progress) -> Iterator[int]:
    """One process at a time; waits for another, and for a git that a killed one left behind."""
    place = folder_of(repository)
    with place.with_name(f"{place.name}.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f"{repository.name}: waiting for another process to fetch it", 0, None)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _fetched(repository: Repository, held: int, progress: Progress) -> None:
    place = folder_of(repository)
    part, made = place.with_name(f"{place.name}.part"), place.with_name(f"{place.name}.made")
    manifest = _manifest_path(repository)
    manifest.unlink(missing_ok=True)
    for old in (place, made):
        shutil.rmtree(old, ignore_errors=True)
    pinned = Pinned(
        name=repository.name,
        url=repository.url,
        commit=repository.commit,
        folder=part / "git",
        held=held,
    )
    part.mkdir(exist_ok=True)
    try:
        progress(f"{repository.name}: asking {repository.url} for its folders", 0, None)
        pinned.begin()
        files = pinned.files(repository.paths)
        what = f"{repository.name}: fetching {len(files)} files"
        pinned.gather(files, lambda _: progress(what, _size(part), None))
        placed = _Placed(repository=repository, pinned=pinned, part=part, made=made)
        contents = {file.path: placed.place(file, progress) for file in files}
    except Damaged as damaged:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(made, ignore_errors=True)
        found = f"{repository.url} gave what is not the pinned commit: {damaged}"
        fix = "it was thrown away; run it again, and tell us if that does not help"
        raise AssetError(repository.name, found, fix) from None
    made.rename(place)
    told = {"form": _FORM, **asdict(repository), "files": contents}
    fresh = manifest.with_suffix(".new")
    fresh.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    fresh.rename(manifest)
    shutil.rmtree(part, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """Where one repository's files come from, and the folder they go to."""

    repository: Repository
    pinned: Pinned
    part: Path
    made: Path

    def place(self, file: File, progress: Progress) -> dict[str, object]:
        """Write one file; return its size and sha256."""
        content = self.pinned.content(file)
        to = self.made / file.path
        to.parent.mkdir(parents=True, exist_ok=True)
        pointer = read_pointer(content)
        if pointer is None:
            to.write_bytes(content)
            return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        name, address = self.repository.name, self.repository.lfs
        if address is None:
            found = f"{file.path} is a Git LFS pointer, and its LFS address is not known"
            raise AssetError(name, found, "clone the repository by hand and run `git lfs pull`")
        kept = self.part / "lfs" / pointer.sha256
        kept.parent.mkdir(exist_ok=True)
        what = f"{name}: fetching {file.path}"
        download(name, address, pointer, kept, lambda had: progress(what, had, pointer.size))
        shutil.copyfile(kept, to)
        return {"size": pointer.size, "sha256": pointer.sha256}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _manifest_path(repository: Repository) -> Path:
    place = folder_of(repository)
    return place.with_name(f"{place.name}.json")


def _manifest(repository: Repository) -> dict[str, Any] | None:
    """What was fetched; None where nothing was, or another choice of paths."""
    try:
        told = json.loads(_manifest_path(repository).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(told, dict) or told.get("form") != _FORM:
        return None
    same = (told.get("commit"), told.get("paths")) == (repository.commit, list(repository.paths))
    return told if same and isinstance(told.get("files"), dict) else None


def _wrong_file(repository: Repository) -> str | None:
    """The first file of the cached copy that is not as its manifest says, and how."""
    told, folder = _manifest(repository) or {"files": {}}, folder_of(repository)
    for path, facts in told["files"].items():
        file = folder / path
        if not file.is_file():
            return f"{path} is missing"
        if file.stat().st_size != facts["size"] or file_sha256(file) != facts["sha256"]:
            return f"{path} was changed"
    return None
