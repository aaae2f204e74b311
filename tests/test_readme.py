"""The README says what is so: its file is read, its commands exist, CI runs its two lines."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from probe.cli import cli
from probe.spec import read_spec

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALLS = [line for line in README.splitlines() if line.startswith("python -m pip install")]


def test_the_experiment_file_it_shows_is_read(tmp_path: Path) -> None:
    shown = re.search(r"```toml\n(.*?)```", README, re.DOTALL)
    assert shown
    path = tmp_path / "mine.toml"
    path.write_text(shown[1])

    assert read_spec(path).name == "mine"


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_every_command_is_named(name: str) -> None:
    assert f"`probe {name}" in README


def test_ci_runs_its_two_commands_as_they_stand() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert len(INSTALLS) == 2
    assert all(f"\n{line}\n" in ci for line in INSTALLS)


def test_the_files_it_names_are_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(r"experiments/\w+\.toml", README)

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_changelog_and_the_decisions_have_a_heading_each() -> None:
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert decisions
    for number, path in enumerate(decisions, start=1):
        assert path.name.startswith(f"{number:04d}-")
        assert path.read_text(encoding="utf-8").startswith(f"# {number}. ")
