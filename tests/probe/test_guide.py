"""The guide says what is so: its files are written, its commands run in order, its output shown."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("xllamacpp", reason="needs the `local` extra: pip install -e '.[local]'")
pytestmark = [pytest.mark.local, pytest.mark.timeout(600)]

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"
FENCE = re.compile(r"(?P<before>[^\n]*\n?[^\n]*)\n\n```(?P<kind>\w+)\n(?P<text>.*?)```", re.DOTALL)
END = "-- end of command --"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the guide, its exit code, and the lines of its output that the guide shows."""

    words: str
    code: int
    shown: tuple[str, ...]


def blocks() -> Iterator[re.Match[str]]:
    yield from FENCE.finditer(GUIDE.read_text(encoding="utf-8"))


def commands() -> Iterator[Command]:
    for block in blocks():
        if block["kind"] == "console":
            for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
                words, *shown = part.rstrip().split("\n")
                code = re.search(r"# exit code (\d+)$", words)
                yield Command(words, int(code[1]) if code else 0, tuple(shown))


def write_files(folder: Path) -> None:
    """The files that the guide tells its reader to save."""
    for block in blocks():
        name = re.search(r"as\s+`([\w.]+)`", block["before"])
        if name and block["kind"] in {"toml", "json"}:
            (folder / name[1]).write_text(block["text"], encoding="utf-8")


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Command, int, str]]:
    """What each command of the guide said, with its exit code, all in one shell and one folder."""
    folder = tmp_path_factory.mktemp("guide")
    write_files(folder)
    asked = list(commands())
    script = "\n".join(f"{each.words}\ncode=$?; echo; echo '{END}' $code" for each in asked)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with subprocess.Popen(
        ["/bin/bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as shell:
        try:
            printed, _ = shell.communicate(timeout=500)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
    parts = re.split(rf"^{END} (\d+)\n", printed, flags=re.MULTILINE)
    codes = [int(code) for code in parts[1::2]]
    return list(zip(asked, codes, parts[::2], strict=False))


def test_every_command_ends_as_the_guide_says(said: list[tuple[Command, int, str]]) -> None:
    assert len(said) == len(list(commands())) > 10
    wrong = [(each.words, code, text[-500:]) for each, code, text in said if code != each.code]

    assert wrong == []


def test_what_the_guide_shows_is_what_is_printed(said: list[tuple[Command, int, str]]) -> None:
    """Line by line and in order; a line with an ellipsis stands for any."""
    for each, _, text in said:
        left = iter(line.rstrip() for line in text.split("\n"))
        for line in each.shown:
            if "…" not in line:
                assert line.rstrip() in left, f"{each.words}: {line!r} is not in\n{text}"


def test_files_and_commands_are_found() -> None:
    """The page is read as it is meant: no block is passed over."""
    kinds = [block["kind"] for block in blocks()]
    fences = GUIDE.read_text(encoding="utf-8").count("```")

    assert 2 * len(kinds) == fences
    assert set(kinds) <= {"toml", "json", "console", "sql", "text"}
