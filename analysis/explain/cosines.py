"""Queries on a corpus's similarities and benchmarks, as studies of characters take them.

A study reads each representation by one encoder and has the user's own models among those that were
asked. A query of `analysis/sql/similarity` runs on the store alike once it says the same in front.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from analysis.bootstrap import DRAWS
from analysis.cells import Cell
from analysis.explain.explanation import Numbers, Record, Records
from analysis.explain.queries import (
    any_of,
    body,
    condition,
    conditions,
    indented,
    replies,
    select,
)
from analysis.similarity.measures import Case, Place, correlation_cell, mean_cell
from analysis.similarity.own import Own, OwnSystem
from analysis.similarity.relations import Relations, Representation, own_queries
from analysis.similarity.rows import pair_row
from store.gate import with_literals

COSINES: Final = "similarity"
_NOWHERE: Final = Place("", "", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What a study's queries are about.

    Attributes:
        representations: By name.
    """

    name: str
    representations: Mapping[str, Representation]
    own: Own

    def systems(self, name: str) -> tuple[OwnSystem, ...]:
        """The user's own model of that name; none where it is no such model."""
        return tuple(each for each in self.own.systems if each.name == name)

    def cosines_of(self, text: str, *names: str) -> str:
        """A query that sees some representations alone, without conditions or order."""
        taken = [_told(self.representations[name]) for name in names]
        similarity = (
            f"SELECT * FROM main.similarity\nWHERE {conditions({'corpus': self.name})}\n"
            f"  AND {any_of(taken)}"
        )
        return _with({COSINES: similarity}, text)

    def choices_of(self, text: str, system: str) -> str:
        """A query that sees the answers of one of the user's own models, if it is one."""
        systems = self.systems(system)
        return _with(own_queries(self.name, systems), text) if systems else picked(text)

    def of_cosines(self, name: str, row: Record) -> str:
        """How alike everyone is to the character of a row, the most similar first."""
        wanted: dict[str, object] = {
            "corpus": self.name,
            **_told(self.representations[name]),
            "character": row["character"],
        }
        others = "work <> other_work" if row.get("works") == "other" else ""
        columns = ("other", "other_work", "cosine")
        return select(columns, "similarity", wanted, others, order="cosine DESC, other DESC")

    def of_pair(self, part: str, row: Record) -> str:
        """How often experts call the two of a row alike, as their file has it."""
        two = " OR ".join(
            f"({condition('a', row[a])} AND {condition('b', row[b])})"
            for a, b in (("a", "b"), ("b", "a"))
        )
        wanted = {"corpus": self.name, "part": part}
        return select(("a", "b", '"count"', "ordinal"), "character_pairs", wanted, f"({two})")

    def of_choices(self, system: str, row: Record) -> str:
        """Whom a system named for the character of a row, answer by answer."""
        for own in self.systems(system):
            wanted = {
                "experiment": own.experiment,
                "dataset": own.dataset,
                "work": own.work,
                "task": own.task,
                "model": own.model,
                "names": own.names,
                "prompt": own.prompt,
                "item_id": row["character"],
            }
            return replies(wanted)
        asked = {"corpus": self.name, "system": system, "character": row["character"]}
        return select(
            ("sample", "rank", "chosen"), "character_choices", asked, order="sample, rank"
        )


def corpus_of(relations: Relations) -> Corpus:
    """What the queries of a study's tables are about."""
    return Corpus(
        name=relations.corpus,
        representations={each.name: each for each in relations.representations},
        own=relations.own,
    )


def picked(text: str, parameters: Mapping[str, object] | None = None) -> str:
    """A query of the project's in parentheses, to be cut down."""
    return f"SELECT * FROM (\n{indented(with_literals(body(text), dict(parameters or {})))}\n)"


def cut(text: str, wanted: Mapping[str, object], *more: str, order: str = "ALL") -> str:
    """Some of the rows that one of the above gives, in order."""
    return f"{text}\nWHERE {conditions(wanted, *more)}\nORDER BY {order}"


def means(value: Callable[[Record], float | None], seed: int) -> Callable[[Records], Numbers]:
    """What makes a mean over rows, each of a character; rows without a value are passed by."""

    def recompute(rows: Records) -> Numbers:
        cases = [
            Case(str(row["character"]), own) for row in rows if (own := value(row)) is not None
        ]
        return told(mean_cell(_NOWHERE, cases, seed))

    return recompute


def correlations(seed: int) -> Callable[[Records], Numbers]:
    """What makes a correlation of cosines and counts over rows, each of a pair."""
    return lambda rows: told(correlation_cell(_NOWHERE, [pair_row(row) for row in rows], seed))


def told(cell: Cell) -> Numbers:
    """What a cell says."""
    return Numbers(value=cell.value, interval=cell.interval, n=cell.n)


def number_in(column: str) -> Callable[[Record], float | None]:
    """A column's number; None where it is NULL."""
    return partial(_number, column)


def _number(column: str, row: Record) -> float | None:
    return None if row[column] is None else float(str(row[column]))


def hit(row: Record) -> float | None:
    """1 for a choice in the same group, 0 for one that is not; None for no choice."""
    return None if row["hit"] is None else float(bool(row["hit"]))


def less(row: Record) -> float | None:
    """By how much the mean cosine within a group exceeds that outside it."""
    inside, outside = (_number(name, row) for name in ("mean_in", "mean_out"))
    return None if inside is None or outside is None else inside - outside


def interval_of(what: str, seed: int, function: str) -> str:
    """How an interval by resampled characters is made."""
    return (
        f"95 %, percentiles of {DRAWS:,} resamples of characters, {what} (Efron & Tibshirani 1993,"
        " ch. 13; for pairs Snijders & Borgatti 1999). Not tested."
        f" Seed {seed}; the same again: analysis.similarity.measures.{function} on these rows."
    )


def of_means(seed: int) -> str:
    """Of a mean over characters."""
    return interval_of("each with its rows", seed, "mean_cell")


def of_correlations(seed: int) -> str:
    """Of a correlation over pairs."""
    return interval_of("with their pairs", seed, "correlation_cell")


def _told(own: Representation) -> dict[str, object]:
    return {"pipeline": own.pipeline, "kind": own.kind, "encoder_id": own.encoder_id}


def _with(tables: Mapping[str, str], text: str) -> str:
    each = [f"{name} AS MATERIALIZED (\n{indented(_flush(own))}\n)" for name, own in tables.items()]
    return f"WITH {', '.join(each)}\n{picked(text)}"


def _flush(text: str) -> str:
    lines: Sequence[str] = text.strip().splitlines()
    return "\n".join(line.removeprefix("        ") for line in lines)
