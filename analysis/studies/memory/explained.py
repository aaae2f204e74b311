"""Explains every number of the study's tables: the query of its passages, and how they make it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from analysis.explain.explanation import Definition, Explanation, Numbers, Once, Record, Records
from analysis.explain.metrics import told_metric
from analysis.explain.queries import any_of, literal, replies, select, within
from analysis.membership import METHODS
from analysis.sql import query
from analysis.statistics import DRAWS
from analysis.studies.memory import continued, likelier
from analysis.studies.memory.kinds import Document, by_kind, stream
from analysis.studies.memory.likelier import ALL_WORKS, PACKAGE, UNIT, document, score
from analysis.studies.memory.readings import readings_in
from analysis.studies.memory.told_apart import AUC, BLIND, OVER, ToldApart
from analysis.studies.scores import Score
from prompts.tasks import TASKS

_LIKELIHOOD_ORDER: Final = "model, dataset, work, item_id, task, names"
_TOKENS: Final = ("place", "token", "start", "logprob", "rank", "in_name")
_RATIO: Final = "sum(num) / sum(den) over the passages of a kind"
_KINDS: Final = {
    "well_known": "Well-known passages",
    "little_known": "Little-known passages",
    "difference": "Well-known less little-known passages",
}
_RESAMPLED: Final = (
    "95 %: t times the bootstrap's standard error of {draws:,} resamples of whole clusters: works"
    " with their passages of both kinds where there are at least six, else scenes, else passages"
    " of each kind by themselves (Efron & Tibshirani 1993, ch. 6 and 12; Welch 1947). Not tested."
    " Seed {seed}; the same again: {again}."
)
_METHODS: Final = {method.name: method for method in METHODS}
_COLUMNS: Final = {
    AUC: "AUC: the chance that a well-known passage scores above a little-known one, a tie"
    " counting one half (Mann & Whitney 1947)",
    OVER: "AUC less that of the words and letters alone, over the same passages",
    "tpr at 5 %": "TPR: well-known passages found while at most 5 % of the little-known are"
    " called so too (Carlini et al. 2022, section IV)",
    "tpr at 1 %": "TPR: well-known passages found while at most 1 % of the little-known are"
    " called so too (Carlini et al. 2022, section IV)",
}


class Explainer:
    """What explains the cells of one experiment's tables."""

    def __init__(self, experiment: str, seed: int) -> None:
        """Take whose replies the tables are of, and the seed of their draws."""
        self._experiment, self._seed = experiment, seed
        self._told: dict[str, Once[ToldApart | None]] = {}

    def __call__(self, cell: Score) -> Explanation:
        """Where a cell comes from."""
        if cell.table in {likelier.BY_WORK, likelier.BY_NAMES}:
            return self._likelihood(cell)
        if cell.table in {continued.SHARES, continued.NATS, continued.UNMEASURED}:
            return self._continued(cell)
        return self._membership(cell)

    @property
    def _bound(self) -> dict[str, object]:
        return {"experiment": self._experiment}

    def _likelihood(self, cell: Score) -> Explanation:
        model = cell.group
        names = str(cell.facts["names"]).removeprefix("original - ")
        wanted: dict[str, object] = {"model": model, "names": names}
        if cell.table == likelier.BY_WORK and cell.row != ALL_WORKS:
            wanted["work"] = cell.row

        def found(rows: Records) -> Numbers:
            rng = stream(self._seed, likelier.TASK, model, names, cell.row)
            return _numbers(cell, by_kind([document(row) for row in rows], rng))

        where = f" of {cell.row}" if "work" in wanted else ""
        return Explanation(
            definition=Definition(
                what=f"{_KINDS[cell.column]}{where}: how much likelier the tokens that share"
                f" nothing with a name are under the passage's own names than under {names} names.",
                formula=f"sum(num_a) / sum(den_a) - sum(num_b) / sum(den_b) over the passages of a"
                f" kind; a is original names, b {names}{_less(cell)}",
                unit=UNIT,
                source="ours, after the memorization paper, section 5.1",
                interval=_interval(self._seed, f"{likelier.TASK!r}, model, names, row"),
            ),
            query=within(query("changes", PACKAGE), self._bound, wanted),
            recompute=found,
            behind=partial(self._cells, likelier.TASK, ("original", names)),
        )

    def _continued(self, cell: Score) -> Explanation:
        task, metric, model = str(cell.facts["task"]), str(cell.facts["metric"]), cell.group
        drawn = task == continued.DISTRIBUTION
        wanted: dict[str, object] = {"model": model}
        if not drawn:
            wanted |= {"task": task, "metric": metric}
        share = cell.unit != UNIT

        def made(row: Record) -> Document:
            return continued.peaked(row)[metric] if drawn else document(row)

        def found(rows: Records) -> Numbers:
            rng = stream(self._seed, cell.row, model)
            return _numbers(cell, by_kind([made(row) for row in rows], rng, share=share))

        name = "distributions" if drawn else "continued"
        formula = _drawn(metric) if drawn else _RATIO
        return Explanation(
            definition=Definition(
                what=f"{_KINDS[cell.column]} under their own names: {told_metric(metric, task)}.",
                formula=f"{formula}{_less(cell)}{'; times 100' if share else ''}",
                unit=cell.unit or "percent",
                source=TASKS[task].source,
                interval=_interval(self._seed, "row, model"),
            ),
            query=within(query(name, PACKAGE), self._bound, wanted),
            recompute=found,
            behind=partial(self._cells, task, ("original",)),
        )

    def _membership(self, cell: Score) -> Explanation:
        model, name, work, reference = (
            str(cell.facts.get(fact, "")) for fact in ("model", "score", "work", "reference")
        )
        models = [each for each in (model, reference) if each]
        whose = f"model IN ({', '.join(map(literal, models))})"
        text = within(
            query("likelihoods", PACKAGE), self._bound, {}, whose, order=_LIKELIHOOD_ORDER
        )
        told = self._told.setdefault(text, Once(self._held))

        def found(rows: Records) -> Numbers:
            own = told(rows)
            if own is None:
                return Numbers(value=None, n=0)
            scores = own.scores_of(model, name, work, reference)
            (same,) = (each for each in scores if each.column == cell.column)
            return Numbers(value=same.value, interval=same.interval, n=same.n)

        return Explanation(
            definition=_of_membership(cell, name, work, self._seed),
            query=text,
            recompute=found,
            behind=self._tokens,
        )

    def _held(self, rows: Records) -> ToldApart | None:
        held = readings_in(rows)
        return ToldApart(held=held, seed=self._seed) if held else None

    def _cells(self, task: str, names: Sequence[str], row: Record) -> str:
        """The cells of one passage."""
        own = ("dataset", "model", "document")
        wanted = {**self._bound, "task": task, **{name: row[name] for name in own}}
        return replies(wanted, any_of({"names": each} for each in names))

    def _tokens(self, row: Record) -> str:
        """The tokens of one passage as one model read it, with how likely each was."""
        own = ("task", "dataset", "item_id", "model", "names")
        wanted = {**self._bound, **{name: row[name] for name in own}}
        return select(_TOKENS, "tokens", wanted, order="place")


def _numbers(cell: Score, found: Mapping[str, object]) -> Numbers:
    """What a column has, as a cell is told."""
    same = score(
        found[cell.column],  # type: ignore[arg-type]
        table=cell.table,
        row=cell.row,
        column=cell.column,
        model=cell.group,
        unit=cell.unit or UNIT,
    )
    return Numbers(value=same.value, interval=same.interval, n=same.n)


def _less(cell: Score) -> str:
    return "; of the well known less of the little known" if cell.column == "difference" else ""


def _drawn(metric: str) -> str:
    peaked = "share of a passage's draws within a small edit distance of the greedy reply"
    told = f"{peaked} (prompts.tasks.peakedness)"
    if metric == "contaminated":
        told = f"1 where the {told} is above the threshold of the paper, else 0"
    return f"{told}; the mean over the passages of a kind"


def _interval(seed: int, words: str) -> str:
    again = (
        "analysis.studies.memory.kinds.by_kind on these rows with"
        f" analysis.studies.memory.kinds.stream(seed, {words})"
    )
    return _RESAMPLED.format(draws=DRAWS, seed=seed, again=again)


def _of_membership(cell: Score, name: str, work: str, seed: int) -> Definition:
    of: Callable[..., object] | None = BLIND.get(name)
    label = "The text alone, by words and letters or by length (a blind classifier)"
    source = "Das, Zhang & Tramèr (2024), Blind Baselines, for holding scores against text alone"
    if of is None:
        method = _METHODS[name.partition(":")[0]]
        of, label = method.of, method.label
        source = "as named in the formula"
    said = " ".join((inspect.getdoc(of) or label).split())
    where = "over all works" if work == ALL_WORKS else f"of {work}"
    whole = " The passages of all works stand below: what the text alone tells is learnt on them."
    return Definition(
        what=f"How well {label} tells well-known from little-known passages {where}."
        f" {_COLUMNS[cell.column]}.{whole if cell.column == OVER or name in BLIND else ''}",
        formula=f"score of each passage: {said} Then as said above, over the rows with the names"
        " 'original'; times 100",
        unit="percent",
        source=source,
        interval=(
            f"95 %, {DRAWS:,} resamples of whole clusters by {cell.facts['clustered_by']}: AUC by t"
            " and the bootstrap's standard error on the scale of log-odds, what is over blind the"
            " same without it, TPRs by percentiles. Not tested."
            f" Seed {seed}; the same again: analysis.studies.memory.told_apart.ToldApart.scores_of"
            " on the readings in these rows."
        ),
    )
