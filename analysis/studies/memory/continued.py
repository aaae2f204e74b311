"""Continuing a passage: what a model says after a prefix, and how likely it is to say more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.sql import query
from analysis.studies.memory.kinds import COLUMNS, Document, by_kind, stream
from analysis.studies.memory.likelier import PACKAGE, UNIT, document, score
from analysis.studies.scores import Score
from prompts.tasks import XI, peakedness
from store.read import Source, ask

REPLIES: Final = "prefix_continuation"
EXTRACTION: Final = "extraction"
DISTRIBUTION: Final = "output_distribution"
SHARES: Final = "continuation"
NATS: Final = "continuation, nats"
UNMEASURED: Final = "continuation, not measured"
"""What no passage has a number for: told to programs alone."""
PERCENT: Final = "percent"
NOT_TOLD: Final = "no passage is long enough, or the endpoint does not tell"
_LABELS: Final = (
    (r"common_prefix", "Common prefix, reply"),
    (r"exact", "Verbatim reply"),
    (r"rougeL", "ROUGE-L, reply"),
    (r"edit_distance", "Edit distance, reply"),
    (r"common_prefix_after_(\d+)", r"Common prefix after {}"),
    (r"greedy_(?:\d+)_after_(\d+)", r"Verbatim after {}"),
    (r"peakedness", "Peakedness of draws"),
    (r"contaminated", "Draws peaked (CDD)"),
    (r"discoverable_n(\d+)_p([\d.]+)", r"n = {:,}, p = {}"),
    (r"suffix_logprob_(\d+)", r"After {}"),
)
"""Metrics in the order of the tables, with what they are called there."""


@dataclass(frozen=True, slots=True, order=True)
class _At:
    order: tuple[int, tuple[float, ...], str]
    task: str
    metric: str

    @property
    def row(self) -> str:
        return f"{self.task} {self.metric}"

    @property
    def in_nats(self) -> bool:
        return self.metric.startswith("suffix_logprob")


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """Passages by metric and model, in the order of the tables."""

    seed: int
    documents: Mapping[_At, Mapping[str, Sequence[Document]]]

    @property
    def labels(self) -> dict[str, str]:
        """What the rows are called."""
        return {at.row: _label(at.metric) for at in self.documents}

    @property
    def unmeasured(self) -> list[str]:
        """What the rows are called that no passage of any model has a number for."""
        return [
            _label(at.metric) for at, by_model in self.documents.items() if not _is_told(by_model)
        ]

    def shares(self) -> Iterator[Score]:
        """Of passages, or of their words."""
        for at, by_model in self.documents.items():
            if _is_told(by_model) and not at.in_nats:
                yield from self._scores(SHARES, at)

    def nats(self) -> Iterator[Score]:
        """How likely the continuations are."""
        for at, by_model in self.documents.items():
            if _is_told(by_model) and at.in_nats:
                yield from self._scores(NATS, at)

    def not_told(self) -> Iterator[Score]:
        """What was measured of no passage, with the reason."""
        for at, by_model in self.documents.items():
            if not _is_told(by_model):
                yield from self._scores(UNMEASURED, at)

    def _scores(self, table: str, at: _At) -> Iterator[Score]:
        for model, own in self.documents[at].items():
            found = by_kind(own, stream(self.seed, at.row, model), share=not at.in_nats)
            for column in COLUMNS:
                number = found[column]
                if number.value is None and not _is_told({model: own}):
                    number = replace(number, undefined=NOT_TOLD)
                yield score(
                    number,
                    table=table,
                    row=at.row,
                    column=column,
                    model=model,
                    unit=UNIT if at.in_nats else PERCENT,
                    task=at.task,
                    metric=at.metric,
                    names="original",
                )


def _is_told(by_model: Mapping[str, Sequence[Document]]) -> bool:
    return any(each.a[1] for own in by_model.values() for each in own)


def continued(source: Source, experiment: str, seed: int) -> Continued | None:
    """What an experiment has of passages that were continued; None without any."""
    rows = ask(source, query("continued", PACKAGE), {"experiment": experiment}).records()
    found: dict[_At, dict[str, list[Document]]] = {}
    for row in rows:
        task, metric = str(row["task"]), str(row["metric"])
        at = _At(_order(metric), task, metric)
        found.setdefault(at, {}).setdefault(str(row["model"]), []).append(document(row))
    for at, model, own in _distributions(source, experiment):
        found.setdefault(at, {}).setdefault(model, []).append(own)
    if not found:
        return None
    return Continued(seed=seed, documents={at: found[at] for at in sorted(found)})


def _distributions(source: Source, experiment: str) -> Iterator[tuple[_At, str, Document]]:
    """How peaked the draws of each passage are, and whether that is called contaminated."""
    for row in ask(source, query("distributions", PACKAGE), {"experiment": experiment}).records():
        for metric, own in peaked(row).items():
            yield _At(_order(metric), DISTRIBUTION, metric), str(row["model"]), own


def peaked(row: Mapping[str, object]) -> dict[str, Document]:
    """How peaked a passage's draws are, and whether that is called contaminated, by metric."""
    greedy, *draws = (str(reply).split() for reply in list(row["replies"]))  # type: ignore[call-overload]
    value = peakedness(greedy, draws)
    return {
        metric: Document(
            kind=str(row["kind"]),
            work=str(row["work"]),
            scene=str(row["scene"]),
            a=(number, 1.0),
        )
        for metric, number in (("peakedness", value), ("contaminated", float(value > XI)))
    }


def _order(metric: str) -> tuple[int, tuple[float, ...], str]:
    for at, (form, _) in enumerate(_LABELS):
        if own := re.fullmatch(form, metric):
            return at, tuple(map(float, own.groups())), metric
    return len(_LABELS), (), metric


def _label(metric: str) -> str:
    for form, label in _LABELS:
        if own := re.fullmatch(form, metric):
            first, *rest = own.groups() or ("0",)
            return label.format(int(first), *rest)
    return metric.replace("_", " ").capitalize()
