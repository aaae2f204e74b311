"""Which experiment of a store a study of conditions is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import BadRequest, NoSuchTable
from analysis.sql import query
from store.read import Source, ask

_PACKAGE: Final = "analysis.studies"


@dataclass(frozen=True, slots=True)
class Chosen:
    """An experiment's name, and the seed of its current plan."""

    experiment: str
    seed: int


def chosen(store: Source, named: str | None, tasks: Sequence[str]) -> Chosen:
    """The experiment that is asked for, or the only one that has any of some tasks.

    Raises:
        NoSuchTable: There is no such experiment, or it has none of the tasks.
        BadRequest: None is named, and there are several or none.
    """
    found = ask(store, query("experiments", _PACKAGE), {"tasks": list(tasks)}).rows
    known = {str(row[0]): int(str(row[1])) for row in found}
    if named is not None:
        if named not in known:
            raise NoSuchTable(named, tuple(known))
        return Chosen(named, known[named])
    if len(known) == 1:
        return Chosen(*next(iter(known.items())))
    if not known:
        raise BadRequest(
            f"the store has no experiment with any of the tasks {', '.join(tasks)};"
            " start one with: probe run EXPERIMENT.toml"
        )
    raise BadRequest(
        f"the store has several experiments with these tasks: {', '.join(known)};"
        " name one with --of"
    )
