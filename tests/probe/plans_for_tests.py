"""Small plans over texts of our own, for tests that ask nobody."""

from __future__ import annotations

import hashlib
from pathlib import Path

from probe.plan import Cell, Drawn, Plan
from probe.resolve import find
from probe.spec import read_spec
from tests.probe.experiments_for_tests import write_excerpts, write_experiment

URL = "http://127.0.0.1:8000/v1"


def load(path: Path) -> Plan:
    """The plan of an experiment file, whose data must be there already."""

    def no_progress(what: str, had: int, size: int | None) -> None:
        raise AssertionError(f"nothing is to be fetched: {what} {had} {size}")

    return find(read_spec(path), path, no_progress)


def drawn(path: Path) -> Drawn:
    """The same with its items drawn; use it as a context manager."""
    return load(path).draw()


def plan_id(path: Path) -> str:
    """What stands for the plan of an experiment file."""
    with drawn(path) as plan:
        return plan.experiment_id


def cells_of(path: Path) -> list[Cell]:
    """The cells of an experiment file, in the order of asking."""
    with drawn(path) as plan:
        return [cell for block in plan.blocks() for cell in block.cells]


def keys_digest(path: Path) -> str:
    """sha256 over the sorted keys of an experiment file, in hex."""
    keys = sorted(cell.key for cell in cells_of(path))
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()


def model_table(name: str, *lines: str) -> str:
    """A further model of an experiment file."""
    head = f'[[models]]\nname = "{name}"\nprovider = "openai"\nmodel = "{name}"\n'
    return f'{head}base_url = "{URL}"\n' + "\n".join(lines) + "\n"


def conditions(samples: int = 1) -> str:
    """The conditions of the small experiment, with so many samples."""
    return (
        '[conditions]\nnames = ["original", "cross_culture"]\n'
        f'prompts = ["baseline", "gist"]\nsamples = {samples}\n'
    )


def larger(folder: Path, *, a_work: int = 10, extra: str = "", tail: str = "") -> Path:
    """The small experiment with more excerpts of each of its three works."""
    path = write_experiment(folder, URL, extra=extra, tail=tail)
    write_excerpts(folder / "excerpts.jsonl", a_work=a_work)
    return path


def condition(cell: Cell) -> tuple[str, str]:
    """Names and prompt of a cell."""
    return cell.condition.prompt.shown.names, cell.condition.prompt.prompt


def item_of(cell: Cell) -> str:
    """Its item's name."""
    return cell.condition.item.item_id
