"""What one commit of a git repository holds, fetched piece by piece and hashed again here.

The `git` program moves the objects; nothing it says about them is believed. A commit's id is the
sha1 of its text, which names its tree, which names every file below it by sha1: `Pinned.files` and
`Pinned.content` follow that chain from the pinned id, so that a file which comes out is the one the
id stands for. (git itself refuses objects made to collide under sha1.)

Only what is wanted crosses the network: the commit and its folders first, without history and
without files, then the files a few at a time. What has come stays when a fetch is cut off.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from store.errors import AssetError

_BATCH: Final = 16
_PINNED: Final = "refs/heads/pinned"
_SLOW: Final = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60")
_PLAIN: Final = ("-c", "gc.auto=0", "-c", "maintenance.auto=false", *_SLOW)
_FETCH: Final = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none")
_OF_OTHERS: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
_NOT_THERE: Final = re.compile(
    r"not our ref|unadvertised object|couldn't find remote ref|did not send all necessary"
    r"|no such remote ref",
    re.IGNORECASE,
)
_NO_HOME: Final = re.compile(
    r"repository .*not found|does not appear to be a git repository|could not read Username"
    r"|does not exist|terminal prompts disabled",
    re.IGNORECASE,
)
_OFFLINE: Final = re.compile(
    r"could ?n.t (?:resolve|connect)|could not resolve|unable to access|failed to connect|timed out"
    r"|connection|early EOF|hung up|network|curl \d+",
    re.IGNORECASE,
)


class Damaged(Exception):
    """What lies in the working folder is not what its names say; begin again without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file of a commit.

    Attributes:
        path: Below the repository's top, with slashes.
        oid: git's id of its content, the sha1 of a header and the bytes, in hex.
    """

    path: str
    oid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """A pinned commit of a repository, and the folder its objects are gathered in.

    Attributes:
        name: What the errors call it.
        url: Where the repository is.
        commit: The pinned commit's id, 40 hex digits.
        folder: A bare repository of our own, made when there is none.
        held: A descriptor that git inherits, so that a lock on it lasts until git has ended too.
    """

    name: str
    url: str
    commit: str
    folder: Path
    held: int

    def begin(self) -> None:
        """Have the commit and its folders here; clear away what a kill left half done.

        Raises:
            AssetError: git is missing, or the home does not give the commit.
        """
        made = ("init", "--quiet", "--bare", "--object-format=sha1", str(self.folder))
        self._git(*made, inside=False)
        for left in (*self.folder.rglob("*.lock"), *self.folder.glob("objects/pack/tmp_*")):
            left.unlink()
        self._git("config", "remote.origin.url", self.url)
        if self._reference() != self.commit:
            self._fetch("--depth=1", "origin", f"+{self.commit}:{_PINNED}")

    def files(self, paths: tuple[str, ...]) -> list[File]:
        """The files at and below some paths of the commit, in the order of their paths.

        Raises:
            AssetError: The commit has no such path, or something there is no plain file.
            Damaged: An object is not what its id says.
        """
        text = self._object("commit", self.commit).decode("utf-8", "replace")
        tree = text.split("\n", 1)[0].removeprefix("tree ")
        found = {file.path: file for path in paths for file in self._at(tree, path)}
        return [found[path] for path in sorted(found)]

    def gather(self, files: list[File], progress: Callable[[int], None]) -> None:
        """Have the contents of files here, a few at a time.

        Args:
            files: All that is wanted; what is here already is not asked for again.
            progress: Told how many are here.

        Raises:
            AssetError: The home does not give them; those that came stay.
        """
        # `rev-list` looks at nothing but what is here; most commands would fetch what is missing.
        listed = self._git("rev-list", "--objects", "--no-walk", "--missing=print", self.commit)
        missing = {line[1:] for line in listed.decode().splitlines() if line.startswith("?")}
        wanted = sorted({file.oid for file in files} & missing)
        here = len({file.oid for file in files}) - len(wanted)
        progress(here)
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            self._fetch("origin", *batch)
            progress(here + start + len(batch))

    def content(self, file: File) -> bytes:
        """The bytes of a file.

        Raises:
            Damaged: They are not what its id says.
        """
        return self._object("blob", file.oid)

    def _at(self, tree: str, path: str) -> Iterator[File]:
        oid, mode = tree, b"40000"
        for part in path.split("/"):
            entries = self._entries(oid) if mode == b"40000" else {}
            if part not in entries:
                found = f"commit {self.commit[:10]} of {self.url} has no {path}"
                raise AssetError(self.name, found, "tell us, since the pinned facts are wrong")
            mode, oid = entries[part]
        yield from self._below(path, mode, oid)

    def _below(self, path: str, mode: bytes, oid: str) -> Iterator[File]:
        if mode == b"40000":
            for name, (own, below) in self._entries(oid).items():
                yield from self._below(f"{path}/{name}", own, below)
        elif mode in {b"100644", b"100755", b"100664"}:
            yield File(path=path, oid=oid)
        else:
            found = f"{path} is a link or another repository, not a file"
            raise AssetError(self.name, found, "download the dataset by hand")

    def _entries(self, oid: str) -> dict[str, tuple[bytes, str]]:
        """Name -> mode and id of what a folder holds."""
        rest, entries = self._object("tree", oid), {}
        while rest:
            head, _, tail = rest.partition(b"\0")
            mode, _, raw = head.partition(b" ")
            name = raw.decode("utf-8", "replace")
            if name in {"", ".", ".."} or "/" in name or "\\" in name:
                raise AssetError(
                    self.name, f"a folder holds the name {name!r}", "nothing was written"
                )
            entries[name] = (mode, tail[:20].hex())
            rest = tail[20:]
        return entries

    def _object(self, kind: Literal["commit", "tree", "blob"], oid: str) -> bytes:
        try:
            content = self._git("cat-file", kind, oid)
        except AssetError as error:
            raise Damaged(error.found) from None
        own = hashlib.sha1(b"%b %d\0" % (kind.encode(), len(content)), usedforsecurity=False)
        own.update(content)
        if own.hexdigest() != oid:
            raise Damaged(f"the {kind} {oid[:10]} is not what its id says")
        return content

    def _reference(self) -> str:
        try:
            return self._git("rev-parse", "--verify", "--quiet", _PINNED).decode().strip()
        except AssetError:
            return ""

    def _fetch(self, *words: str) -> None:
        # "noop": files have no history that there would be anything to agree on.
        self._git("-c", "fetch.negotiationAlgorithm=noop", *_FETCH, *words)

    def _git(self, *words: str, inside: bool = True) -> bytes:
        own = (f"--git-dir={self.folder}",) if inside else ()
        try:
            done = subprocess.run(  # noqa: S603 - no shell
                ["git", *own, *_PLAIN, *words],  # noqa: S607 - the user's own git
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=_environment(),
                pass_fds=(self.held,),
                check=False,
            )
        except FileNotFoundError:
            fix = f"install git (https://git-scm.com), or download commit {self.commit} of "
            raise AssetError(
                self.name, "git is not installed", f"{fix}{self.url} and give its folder as path"
            ) from None
        if done.returncode:
            raise self._refusal(done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def _refusal(self, said: str) -> AssetError:
        lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))] or lines
        quoted = "; ".join(told[:3]) or "nothing"
        if _NOT_THERE.search(said):
            found = f"{self.url} does not give commit {self.commit} whole (git says {quoted})"
            fix = "the home may have been rewritten; download it by hand, or tell us"
        elif _NO_HOME.search(said):
            found = f"there is no repository at {self.url} for everyone (git says {quoted})"
            fix = "the home may have moved; download it by hand, or tell us"
        elif "unknown option" in said:
            found = f"git is too old (git says {quoted})"
            fix = "install git 2.29 or later"
        elif _OFFLINE.search(said):
            found = f"{self.url} cannot be reached (git says {quoted})"
            fix = "check the network or git's proxy and run it again; what has come is kept"
        else:
            found = f"git says {quoted}"
            fix = "run it again; what has come is kept"
        return AssetError(self.name, found, fix)


def _environment() -> dict[str, str]:
    """The user's, without another repository's folders, prompts and languages."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_OTHERS}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "LC_ALL": "C"}
