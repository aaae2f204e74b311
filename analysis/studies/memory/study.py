"""The study as `probe table` asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.errors import BadRequest
from analysis.membership import METHODS
from analysis.membership.detection import FEWEST_ALONE
from analysis.sql import query
from analysis.studies.experiments import chosen
from analysis.studies.memory import continued, figures, likelier, told_apart
from analysis.studies.memory.continued import Continued
from analysis.studies.memory.explained import Explainer
from analysis.studies.memory.kinds import COLUMNS, DIFFERENCE, LITTLE_KNOWN, WELL_KNOWN
from analysis.studies.memory.likelier import ALL_WORKS, PACKAGE, Changes
from analysis.studies.memory.readings import readings
from analysis.studies.memory.told_apart import BLIND_LENGTH, BLIND_WORDS, ToldApart
from analysis.studies.scores import Score
from analysis.studies.study import AskedOf, Figure, Form, Layout, StudyTable
from store.read import Source, ask

TASKS: Final = (
    "passage_likelihood",
    "lowercase_likelihood",
    "extraction",
    "prefix_continuation",
    "output_distribution",
)
_KINDS: Final = "n: well-known + little-known passages."
_LABELS: Final = {
    WELL_KNOWN: "Well-known",
    LITTLE_KNOWN: "Little-known",
    DIFFERENCE: "Difference",
    ALL_WORKS: "All works",
    "masked": "Masked names",
    BLIND_WORDS: "Blind: words and letters",
    BLIND_LENGTH: "Blind: length and zlib",
}
_SHORT: Final = {
    told_apart.AUC: "AUC",
    told_apart.OVER: "over blind",
    "tpr at 5 %": "TPR 5 %",
    "tpr at 1 %": "TPR 1 %",
}
_MEMBERSHIP_NOTE: Final = (
    "Membership: well-known passages stand for what a model has seen, little-known ones of the"
    " same works for what it has not. It may have read those as well: an AUC above 50 tells that"
    " the former are likelier, remembered or not. Blind classifiers see the text alone, and no"
    " passage of the work they judge: what they tell needs no memory."
)
_LIKELIHOOD_NOTE: Final = (
    "Likelihood: pooled over the tokens that share nothing with a name. New names make any passage"
    " less likely: what well-known passages lose more than little-known ones speaks for memory."
)
_INTERVALS_NOTE: Final = (
    "Intervals: 95 %, works resampled where there are six or more, else scenes or passages; they"
    " are not adjusted for how many there are."
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A table with its cells, and the figure it is drawn as."""

    layout: Layout
    scores: Sequence[Score]
    figure: Figure | None = None
    undrawn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What an experiment has."""

    changes: Changes | None
    continued: Continued | None
    told: ToldApart | None

    @property
    def is_empty(self) -> bool:
        return self.changes is None and self.continued is None and self.told is None


@dataclass(frozen=True, slots=True)
class Memory:
    """What a model finds likely, continues and can be told from."""

    name: str = "memory"
    tasks: tuple[str, ...] = TASKS

    def table(self, store: Source, asked: AskedOf) -> StudyTable:
        """Likelihoods by work and by names, continuations, and how well scores tell."""
        return self.explained(store, asked)[0]

    def explained(self, store: Source, asked: AskedOf) -> tuple[StudyTable, Explainer]:
        """Its tables, with what explains each of their cells.

        Raises:
            BadRequest: As for its tables.
        """
        if asked.models or asked.paper:
            raise BadRequest(f"{self.name} prints no paper's numbers; leave --as and --paper out")
        own = chosen(store, asked.experiment, TASKS)
        seed = own.seed if asked.seed is None else asked.seed
        held = readings(store, own.experiment)
        found = _Found(
            changes=likelier.changes(store, own.experiment, seed),
            continued=continued.continued(store, own.experiment, seed),
            told=ToldApart(held=held, seed=seed) if held else None,
        )
        if found.is_empty:
            raise BadRequest(
                f"experiment {own.experiment!r} has no reply yet to passages that are flagged"
                " well_known or little_known; run it first, over a dataset such as play_passages"
            )
        parts = [part for part in _parts(found) if part.scores]
        table = StudyTable(
            study=self.name,
            mode="",
            vectors=(),
            cells=tuple(score for part in parts for score in part.scores),
            layouts=tuple(part.layout for part in parts if _is_shown(part)),
            labels=_labels(found),
            notes=(*_notes(found), *_asked(store, own.experiment)),
            experiment=own.experiment,
            figures=tuple(part.figure for part in parts if part.figure),
            undrawn=tuple(part.undrawn for part in parts if part.undrawn),
        )
        return table, Explainer(own.experiment, seed)


def _parts(found: _Found) -> Iterator[_Part]:
    if found.changes is not None:
        yield from _likelihoods(found.changes, _labels(found))
    if found.continued is not None:
        yield _Part(
            _layout(
                continued.SHARES,
                "Passages continued, under their own names",
                "percent",
                legend=f"Percent, by tokens of the prefix; in the model's own reply, or read off"
                f" likelihoods; then by n draws with probability p after 50. {_KINDS}",
            ),
            list(found.continued.shares()),
        )
        yield _Part(
            _layout(
                continued.NATS,
                "The 50 tokens after a prefix, under their own names",
                "nats",
                legend=f"Mean log-probability, nats a token, by tokens of the prefix. {_KINDS}",
            ),
            list(found.continued.nats()),
        )
        yield _Part(_layout(continued.UNMEASURED, "", "percent"), list(found.continued.not_told()))
    if found.told is not None:
        yield from _membership(found.told, _labels(found))


def _likelihoods(own: Changes, labels: dict[str, str]) -> Iterator[_Part]:
    names = labels.get(own.names[0], own.names[0]).lower()
    title = f"How much likelier passages are under their own names than others ({names})"
    scores = list(own.by_work())
    figure = figures.by_work(scores, labels, f"{title}, by work")
    legend = (
        "Mean log-probability of the tokens outside names, own names less others, in nats a token;"
        f" above 0: likelier with the names that belong there. {_KINDS}"
    )
    undrawn = "" if figure else "The likelihoods by work are not drawn: none has a value."
    yield _Part(_layout(likelier.BY_WORK, title, "nats", legend=legend), scores, figure, undrawn)
    if len(own.names) > 1:
        by_names = _layout(
            likelier.BY_NAMES,
            "The same by what stands for the names, over all works",
            "nats",
            legend=f"Nats a token, as above. {_KINDS}",
        )
        yield _Part(by_names, list(own.by_names()))


def _membership(own: ToldApart, labels: dict[str, str]) -> Iterator[_Part]:
    scores: dict[str, list[Score]] = {}
    for each in own.scores():
        scores.setdefault(each.table, []).append(each)
    title = "How well scores tell well-known from little-known passages"
    legend = (
        "Percent. AUC: 50 is chance. Over blind: AUC less that of the words and letters alone."
        " TPR: well-known passages found while at most 5 % or 1 % of the little-known are called"
        " so too. n: passages of both kinds."
    )
    figure = figures.areas(scores[told_apart.TABLE], labels, title)
    undrawn = "" if figure else "The scores' AUC is not drawn: none has a value."
    layout = _layout(told_apart.TABLE, title, "percent", legend=legend, columns=told_apart.COLUMNS)
    yield _Part(layout, scores.pop(told_apart.TABLE), figure, undrawn)
    legend = (
        f"Percent; works with at least {FEWEST_ALONE} passages of each kind. The others, and the"
        " TPRs, are in --format json and csv. n: passages of both kinds."
    )
    for table, by_work in scores.items():
        model = table.removeprefix(f"{told_apart.BY_WORK}, ")
        title = f"AUC by work, {model}"
        columns = (told_apart.AUC,)
        yield _Part(_layout(table, title, "percent", legend=legend, columns=columns), by_work)


def _is_shown(part: _Part) -> bool:
    return part.layout.table not in {told_apart.UNSHOWN, continued.UNMEASURED}


def _layout(
    table: str, title: str, form: Form, *, legend: str = "", columns: tuple[str, ...] = COLUMNS
) -> Layout:
    return Layout(
        table=table,
        title=title,
        caption=title,
        form=form,
        legend=legend,
        columns=columns,
        counted=COLUMNS[:2] if columns == COLUMNS else (),
    )


def _labels(found: _Found) -> dict[str, str]:
    """What rows, columns and groups of columns are called."""
    labels = _LABELS | _SHORT | {method.name: method.label for method in METHODS}
    if found.changes is not None:
        names = (each for each in found.changes.names if each not in labels)
        labels |= {each: f"{each.replace('_', '-').capitalize()} names" for each in names}
    if found.continued is not None:
        labels |= found.continued.labels
    if found.told is not None:
        models = found.told.models
        labels |= {f"reference: {model}": f"Reference {model}" for model in models}
        if len(models) == 2:
            labels["reference"] = "Reference ratio (the other model)"
        if not all(map(found.told.held.is_exact, models)):
            labels["min_k_plus_plus"] += " (approximate)"
    return labels


def _notes(found: _Found) -> Iterator[str]:
    """What must be known to read the tables that there are."""
    if found.changes is not None:
        yield _LIKELIHOOD_NOTE
    if found.continued is not None and (lacking := found.continued.unmeasured):
        yield f"Not measured ({continued.NOT_TOLD}): {', '.join(lacking)}."
    if found.told is not None:
        yield _MEMBERSHIP_NOTE
        models = found.told.models
        if loose := [each for each in models if not found.told.held.is_exact(each)]:
            yield (
                f"Min-K%++ is approximate of {', '.join(loose)}: of each place's distribution the"
                " likeliest tokens alone are known."
            )
    yield _INTERVALS_NOTE


def _asked(store: Source, experiment: str) -> Iterator[str]:
    """What the tables leave out, by model and task."""
    bound: dict[str, object] = {"experiment": experiment, "tasks": list(TASKS)}
    for row in ask(store, query("asked", PACKAGE), bound).records():
        what = f"{row['model']}, {row['task']}: of {row['cells']} cells"
        if row["missing"]:
            yield f"{what}, {row['missing']} have no score and are left out."
        if row["of_no_kind"]:
            yield (
                f"{what}, {row['of_no_kind']} are of passages that are flagged neither well_known"
                " nor little_known, or both, and are left out."
            )


STUDY: Final = Memory()
"""The memory study."""
