"""What the paper prints in Table 3, and which of a user's rows and models are the paper's."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from analysis.errors import BadRequest

PACKAGE: Final = "analysis.studies.memorization"
"""Whose folders hold the study's data and queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRow:
    """One row of Table 3.

    Attributes:
        label: The task as the paper names it there.
        task: The task's name here.
        datasets: Names of the datasets that are the paper's.
        values: Model -> origin, NR, NR's change, NR+GIST, NR+GIST's change, as printed (percent and
            points).
    """

    label: str
    task: str
    datasets: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """Table 3.

    Attributes:
        rows: In its order.
        aliases: Model -> names it may also have, folded as `folded` does.
    """

    rows: tuple[PaperRow, ...]
    aliases: Mapping[str, tuple[str, ...]]

    def row_of(self, task: str, dataset: str) -> PaperRow | None:
        """The row that is about this task over this dataset; None where the paper has none."""
        own = (row for row in self.rows if row.task == task and dataset in row.datasets)
        return next(own, None)

    def row_named(self, label: str) -> PaperRow | None:
        """A row by its label."""
        return next((row for row in self.rows if row.label == label), None)

    def model_of(self, name: str) -> str | None:
        """The paper's model that a user's is by its name; None where it is none."""
        own = folded(name)
        found = (
            model for model, aliases in self.aliases.items() if own in {folded(model), *aliases}
        )
        return next(found, None)

    def matched(self, models: Sequence[str], said: Mapping[str, str]) -> dict[str, str]:
        """Which of the user's models is which of the paper's.

        Args:
            models: The experiment's.
            said: What the user says of them; goes before their names.

        Raises:
            BadRequest: What is said names a model that there is not.
        """
        for model, paper in said.items():
            if model not in models:
                raise BadRequest(
                    f"--as {model}={paper}: the experiment has no model {model};"
                    f" it has {', '.join(models)}"
                )
            if paper not in self.aliases:
                raise BadRequest(
                    f"--as {model}={paper}: the paper has no model {paper};"
                    f" it has {', '.join(self.aliases)}"
                )
        found = {model: said.get(model) or self.model_of(model) for model in models}
        return {model: own for model, own in found.items() if own is not None}


def folded(name: str) -> str:
    """A model's name without case, punctuation and whoever serves it: `org/Name-1` is `name1`."""
    return "".join(char for char in name.rpartition("/")[2].lower() if char.isalnum())


@cache
def the_paper() -> Paper:
    """Table 3, read once."""
    source = files(PACKAGE) / "paper.toml"
    content = tomllib.loads(source.read_text(encoding="utf-8"))
    rows = tuple(
        PaperRow(
            label=label,
            task=own["task"],
            datasets=tuple(own["datasets"]),
            values=MappingProxyType({name: tuple(each) for name, each in own["values"].items()}),
        )
        for label, own in content["rows"].items()
    )
    aliases = {name: tuple(each) for name, each in content["models"].items()}
    return Paper(rows=rows, aliases=MappingProxyType(aliases))
