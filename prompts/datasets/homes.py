"""Where datasets live in public: the facts of `homes.toml`. Nothing here is fetched."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where one dataset lives, and on what terms.

    Attributes:
        licence: As the home states it.
        scope: What the licence covers, and what it does not.
        checked: What of the dataset our reader has been held against.
        repository: Address of a git repository; empty where it is fetched by hand alone.
        commit: The pinned commit, 40 hex digits.
        paths: The folders and files of the commit that are wanted.
        root: The folder that the reader is given, below the repository's top.
        lfs: The repository's Git LFS address, where files are kept there.
        stated: Whether the home states a licence at all.
        by_hand: What to download where no program can, or what else there is.
    """

    licence: str
    scope: str
    checked: str
    repository: str = ""
    commit: str = ""
    paths: tuple[str, ...] = ()
    root: str = ""
    lfs: str = ""
    stated: bool = True
    by_hand: str = ""

    @property
    def source(self) -> str:
        """The home in a few words: its address and commit."""
        return f"{self.repository} at {self.commit[:10]}" if self.repository else "by hand"


@cache
def homes() -> dict[str, Home]:
    """Every known home, by the dataset's name."""
    text = (files("prompts.datasets") / "homes.toml").read_text(encoding="utf-8")
    return {
        name: Home(**{**raw, "paths": tuple(raw.get("paths", ()))})
        for name, raw in tomllib.loads(text).items()
    }
