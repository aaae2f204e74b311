"""Small experiments over texts of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.probe.warm_for_tests import warm

WORKS = {
    "Emma": "Emma Woodhouse spoke to Mr. Knightley about Harriet at the gate of the garden.",
    "Dracula": "Jonathan wrote to Mina from the castle, and Lucy read the letter by the window.",
    "Frankenstein": "Victor followed the tracks over the ice while Walton kept the ship waiting.",
}


def write_excerpts(path: Path, a_work: int = 2) -> Path:
    """An excerpts file of a few sentences a work."""
    rows = [
        {"id": f"{work}_{n}", "source": work, "text": f"{text} It was the day numbered {n}."}
        for work, text in WORKS.items()
        for n in range(a_work)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_experiment(
    folder: Path, base_url: str, *, extra: str = "", tail: str = "", a_work: int = 2
) -> Path:
    """An experiment over the excerpts, asked of one endpoint.

    Args:
        folder: Where its files go.
        base_url: Of the endpoint.
        extra: Further lines of the model's table.
        tail: Further lines of the file.
        a_work: Excerpts of each of the three works; each is four cells as the file stands.
    """
    write_excerpts(folder / "excerpts.jsonl", a_work)
    path = folder / "small.toml"
    path.write_text(
        f"""
name = "small"
seed = 3

[[models]]
name = "fake"
provider = "openai"
model = "fake"
base_url = "{base_url}"
{extra}

[[tasks]]
name = "source_identification"
dataset = "excerpts"
path = "excerpts.jsonl"
choices = "options"

{
            tail
            or '''[conditions]
names = ["original", "cross_culture"]
prompts = ["baseline", "gist"]'''
        }
""",
        encoding="utf-8",
    )
    return path


CELLS = 6 * 2 * 2
"""Cells of that experiment as it stands."""


def model_table(name: str, base_url: str, extra: str = "") -> str:
    """A further model, for the `extra` of an experiment."""
    return f"""
[[models]]
name = "{name}"
provider = "openai"
model = "{name}"
base_url = "{base_url}"
{extra}
"""


def probe(
    *words: object, within_s: float = 100, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, but for its imports: in a process that has made them."""
    return warm(words, within_s=within_s, environment=environment)


def cold_probe(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does, from the interpreter's start on."""
    return subprocess.run(
        [sys.executable, "-m", "probe", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def rows(store: Path, query: str) -> list[dict[str, object]]:
    """What a query on a store returns."""
    done = probe("sql", query, "--store", store, "--format", "json")
    if done.returncode:
        raise AssertionError(done.stderr)
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found
