"""Real git repositories to fetch from, and what stands between them and a fetch."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
_WHO |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}


def git(folder: Path, *words: str) -> str:
    """What a git command in a folder prints."""
    done = subprocess.run(
        ["git", "-C", str(folder), *words],  # noqa: S607 - whichever git is installed
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **_WHO},
    )
    return done.stdout.strip()


def home(folder: Path, files: dict[str, bytes]) -> str:
    """Make a repository that serves single objects, as public hosts do; its commit's id."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(folder, "config", key, "true")
    return commit(folder, files)


def commit(folder: Path, files: dict[str, bytes]) -> str:
    """Commit files; the commit's id."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    git(folder, "-c", "core.autocrlf=false", "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "as published")
    return git(folder, "rev-parse", "HEAD")


def counting(folder: Path, *, hang_at: int = 0, hang_s: int = 100) -> dict[str, str]:
    """The environment in which every answer of a home is counted, and one of them does not come.

    Each call appends a line to `calls`. The one numbered `hang_at` writes `hanging` and waits.
    """
    script = folder / "upload-pack"
    calls, hanging = folder / "calls", folder / "hanging"
    script.write_text(
        f'#!/bin/sh\necho call >> "{calls}"\n'
        f'if [ "$(wc -l < "{calls}")" -eq {hang_at} ]; then\n'
        f'  touch "{hanging}"; sleep {hang_s}\nfi\nexec git-upload-pack "$@"\n'
    )
    script.chmod(0o755)
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "remote.origin.uploadpack",
        "GIT_CONFIG_VALUE_0": str(script),
    }


def calls(folder: Path) -> int:
    """How often a home was asked (count)."""
    path = folder / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0
