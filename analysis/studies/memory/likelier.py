"""Own names against others: how much likelier the words outside the names are under their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.sql import query
from analysis.studies.memory.kinds import COLUMNS, Document, Number, by_kind, stream
from analysis.studies.scores import Score
from store.read import Source, ask

PACKAGE: Final = "analysis.studies.memory"
TASK: Final = "passage_likelihood"
ALL_WORKS: Final = "all works"
UNIT: Final = "nats a token"
BY_WORK: Final = "likelihood"
BY_NAMES: Final = "likelihood by names"
_FIRST: Final = ("cross_culture", "same_culture", "masked")
"""The strategy that stands for other names: of these the first that was asked."""


@dataclass(frozen=True, slots=True, order=True)
class _At:
    model: str
    names: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Passages under their own names and under others, by model and strategy."""

    seed: int
    documents: Mapping[_At, Sequence[Document]]

    @property
    def models(self) -> tuple[str, ...]:
        """By name."""
        return tuple(sorted({at.model for at in self.documents}))

    @property
    def names(self) -> tuple[str, ...]:
        """Strategies asked, the one that stands for other names first."""
        asked = sorted({at.names for at in self.documents})
        return tuple(sorted(asked, key=lambda each: (*_FIRST, each).index(each)))

    @property
    def works(self) -> tuple[str, ...]:
        """By name."""
        return tuple(sorted({each.work for own in self.documents.values() for each in own}))

    def by_work(self) -> Iterator[Score]:
        """All works and each of them, under the strategy that stands for other names."""
        for model in self.models:
            at = _At(model, self.names[0])
            own = self.documents.get(at, ())
            yield from self._scores(BY_WORK, ALL_WORKS, at, own)
            for work in dict.fromkeys(each.work for each in sorted(own, key=lambda one: one.work)):
                yield from self._scores(BY_WORK, work, at, [one for one in own if one.work == work])

    def by_names(self) -> Iterator[Score]:
        """All works under each strategy."""
        for names in self.names:
            for model in self.models:
                at = _At(model, names)
                yield from self._scores(BY_NAMES, names, at, self.documents.get(at, ()))

    def _scores(
        self, table: str, row: str, at: _At, documents: Sequence[Document]
    ) -> Iterator[Score]:
        found = by_kind(documents, stream(self.seed, TASK, at.model, at.names, row))
        facts = {"task": TASK, "metric": "logprob", "names": f"original - {at.names}"}
        for column in COLUMNS:
            yield score(found[column], table=table, row=row, column=column, model=at.model, **facts)


def score(
    number: Number, *, table: str, row: str, column: str, model: str, unit: str = UNIT, **facts: str
) -> Score:
    """A number as a cell; what is a share is told in percent."""
    scale = 1.0 if unit == UNIT else 100.0
    return Score(
        table=table,
        row=row,
        column=column,
        group=model,
        value=None if number.value is None else scale * number.value,
        n=number.n,
        interval=number.interval if scale == 1 else number.in_percent,
        undefined=number.undefined,
        unit=unit,
        facts={**facts, "clusters": number.clusters, "clustered_by": number.clustered_by},
    )


def changes(source: Source, experiment: str, seed: int) -> Changes | None:
    """What an experiment has of passages under their own names and others; None without any."""
    rows = ask(source, query("changes", PACKAGE), {"experiment": experiment}).records()
    found: dict[_At, list[Document]] = {}
    for row in rows:
        at = _At(str(row["model"]), str(row["names"]))
        found.setdefault(at, []).append(document(row))
    return Changes(seed=seed, documents=found) if found else None


def document(row: Mapping[str, object]) -> Document:
    """A row of one of the study's queries."""

    def sums(ending: str) -> tuple[float, float]:
        num, den = (float(str(row[f"{name}{ending}"])) for name in ("num", "den"))
        return num, den

    of_pair = "num_a" in row
    return Document(
        kind=str(row["kind"]),
        work=str(row["work"]),
        scene=str(row["scene"]),
        a=sums("_a" if of_pair else ""),
        b=sums("_b") if of_pair else None,
    )
