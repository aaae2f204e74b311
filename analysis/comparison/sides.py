"""The two things that are compared: an experiment of a store each, and which models go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.errors import BadRequest, NoSuchTable
from analysis.sql import query
from store.read import Source, ask

Record = dict[str, Any]
HERE = "analysis.comparison"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """An experiment of an open store.

    Attributes:
        label: What the user calls it.
        models: One record a model: its `cells`, and the `builds` that answered as servers say.
        versions: One record a task: the `version` of the parser whose scores are shown, its
            `cells` and how many of them are `scored`.
    """

    source: Source
    label: str
    experiment: str
    seed: int
    models: tuple[Record, ...]
    versions: tuple[Record, ...]

    @property
    def model_names(self) -> list[str]:
        """The names of its models."""
        return [str(row["model"]) for row in self.models]


@dataclass(frozen=True, slots=True)
class Together:
    """A model of the first side and the one of the second that it is held against."""

    a: str
    b: str

    @property
    def name(self) -> str:
        """What both are called in tables."""
        return self.a if self.a == self.b else f"{self.a} → {self.b}"


def side(source: Source, label: str, experiment: str | None = None) -> Side:
    """An experiment of a store.

    Args:
        source: The store.
        label: What the user calls it.
        experiment: Its name; the only one there is, if it is left out.

    Raises:
        NoSuchTable: The store has no such experiment.
        BadRequest: The store has several, or none, and no name is given.
    """
    seeds = {str(row[0]): int(str(row[1])) for row in ask(source, query("plans")).rows}
    if experiment is None:
        if len(seeds) != 1:
            have = f"the experiments {', '.join(seeds)}" if seeds else "no experiment"
            raise BadRequest(f"{label} holds {have}; name one as {label}:EXPERIMENT")
        (experiment,) = seeds
    if experiment not in seeds:
        raise NoSuchTable(experiment, tuple(seeds))
    named: dict[str, object] = {"experiment": experiment}
    return Side(
        source=source,
        label=label,
        experiment=experiment,
        seed=seeds[experiment],
        models=tuple(ask(source, query("sides", HERE), named).records()),
        versions=tuple(ask(source, query("versions", HERE), named).records()),
    )


def together(a: Side, b: Side, wanted: Sequence[str]) -> list[Together]:
    """Which models are held against which.

    Args:
        a: The first side.
        b: The second.
        wanted: As the user says it, such as "small=large" or "small"; models of one name if none.

    Raises:
        BadRequest: A model that a side does not have, one twice, or none that both have.
    """
    if not wanted:
        shared = [name for name in a.model_names if name in b.model_names]
        if not shared:
            raise BadRequest(
                f"no model is in both: {a.label} has {_listed(a)}, {b.label} has {_listed(b)}; "
                f"say which go together with --model {a.model_names[0]}={b.model_names[0]}"
                if a.models and b.models
                else f"{b.label if a.models else a.label} has no cells"
            )
        return [Together(name, name) for name in shared]
    found = [_pair(a, b, text) for text in wanted]
    for names, own in (([each.a for each in found], a), ([each.b for each in found], b)):
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise BadRequest(f"--model names {twice[0]} of {own.label} twice; name each once")
    return found


def _pair(a: Side, b: Side, text: str) -> Together:
    """A model's name may hold an equals sign: every way to part the text is tried."""
    parted = [(text[:at], text[at + 1 :]) for at, char in enumerate(text) if char == "="]
    for first, second in (*parted, (text, text)):
        if first.strip() in a.model_names and second.strip() in b.model_names:
            return Together(first.strip(), second.strip())
    raise BadRequest(
        f"--model {text}: write it as A=B with a model of {a.label} ({_listed(a)}) and one of "
        f"{b.label} ({_listed(b)}), or as the one name that both have"
    )


def _listed(own: Side) -> str:
    return ", ".join(own.model_names)
