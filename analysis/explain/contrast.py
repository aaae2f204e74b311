"""Explains paired differences: each is made anew from the sums of its documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from analysis.contrasts import (
    ALL_TASKS,
    MEMORY_TASKS,
    Contrast,
    stream_of,
    stream_over_tasks,
)
from analysis.effects import Effect, effects, mean_effect
from analysis.explain.contrast_words import definition_of
from analysis.explain.entries import Entry, Name
from analysis.explain.explanation import Explanation, Numbers, Once, Record, Records
from analysis.explain.queries import (
    any_of,
    body,
    condition,
    indented,
    literal,
    replies,
    within,
)
from analysis.pairs import (
    Compared,
    Condition,
    Documents,
    Gaps,
    Place,
    documents_in,
    gaps_in,
    joined,
    parameters,
)
from analysis.sql import query
from analysis.statistics import holm
from prompts.tasks import TASKS
from store.read import Answered

PLACE: Final = Place.__slots__
PAIR_ORDER: Final = (
    "task, dataset, choices, model, wording, descriptions, contrast, document,"
    " headline DESC, metric"
)
_MISSING_ORDER: Final = (
    "task, dataset, choices, model, wording, descriptions, contrast, headline DESC, metric"
)
_OF_GAPS: Final = ("lowest", "highest", "missing")
_COLUMNS: Final = (
    "difference", "value_a", "value_b", "low", "high", "p", "test", "p_holm", "share",
    "share_low", "share_high", "lowest", "highest", "missing", "items", "differing", "clusters",
    "clustered_by", "needed", "detectable",
)  # fmt: skip
_BOUNDED: Final = """
SELECT p.*, b.bounded
FROM ({pairs}
) AS p
JOIN (SELECT {place},
             bool_and(num BETWEEN 0 AND den
                      AND coalesce(recall_num BETWEEN 0 AND recall_den, true)) AS bounded
      FROM measures WHERE experiment = $experiment AND headline
      GROUP BY ALL) AS b USING ({place})"""
"""Documents of pairs.sql, and whether the place's headline can only be from 0 to 1."""

Parts = Sequence[tuple[Place, Compared]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """An experiment's contrasts, and how each comes from its rows.

    Attributes:
        seed: Of all draws.
    """

    experiment: str
    seed: int
    contrasts: Sequence[Contrast]
    _family: list[Once[dict[object, float]]] = field(default_factory=list)
    _made: dict[object, Once[Effect]] = field(default_factory=dict)

    def entries(self) -> Iterator[Entry]:
        """Every number of the table."""
        for each in self.contrasts:
            for column in _COLUMNS:
                printed = _of_contrast(each, column)
                yield Entry(
                    table="contrasts",
                    places=[(row_of(each), Name(column, column))],
                    printed=printed,
                    shown=_shown(each, column, printed.value),
                    undefined=_undefined(each, column, printed.value),
                    explain=partial(self._explain, each, column),
                )

    def effect_of(self, each: Contrast) -> Once[Effect]:
        """What makes a contrast's effect of rows of `pairs_query`."""
        at = "effect", place_of(each), each.contrast
        return self._made.setdefault(at, Once(partial(self.effect_in, each)))

    def gaps_of(self, each: Contrast) -> Once[Effect]:
        """What makes its bounds of rows of `missing_query`."""
        at = "gaps", place_of(each), each.contrast
        return self._made.setdefault(at, Once(partial(self.gaps_effect, each)))

    def parts(self, each: Contrast) -> Parts:
        """The places that a contrast is the mean of; of one place that one."""
        pair = Compared(each.a, each.b)
        if each.task != ALL_TASKS:
            return [(place_of(each), pair)]
        return [
            (place_of(own), pair)
            for own in self.contrasts
            if (own.contrast, own.model, own.wording) == (each.contrast, each.model, each.wording)
            and own.task not in {ALL_TASKS, *MEMORY_TASKS}
        ]

    def pairs_query(self, each: Contrast) -> str:
        """The documents with answers under both conditions, with what each adds to each metric."""
        return pairs_query(self.experiment, self.parts(each))

    def missing_query(self, each: Contrast) -> str:
        """What is known under both conditions, and how much is open."""
        parts = self.parts(each)
        own = list(dict.fromkeys(pair for _, pair in parts))
        bound = parameters(self.experiment, own) | {"joined": joined()}
        text = query("contrasts/missing")
        return within(text, bound, {}, _places(parts), order=_MISSING_ORDER)

    def effect_in(self, each: Contrast, rows: Records) -> Effect:
        """The effect that rows of `pairs_query` make."""
        parts = self.parts(each)
        pair = Compared(each.a, each.b)
        found = documents_in(answered(rows), [pair])
        bounded = {_place(row): bool(row["bounded"]) for row in rows}
        own = [
            self._one(place, pair, found.get((place, pair)), _only_bounded(place, bounded))
            for place, _ in parts
        ]
        return self._mean(each, parts, own)

    def gaps_effect(self, each: Contrast, rows: Records) -> Effect:
        """What rows of `missing_query` say of an effect: its bounds and what is missing."""
        parts = self.parts(each)
        pair = Compared(each.a, each.b)
        found = gaps_in(answered(rows), [pair])
        own = [self._one(place, pair, None, found.get((place, pair))) for place, _ in parts]
        return self._mean(each, parts, own)

    def _one(
        self, place: Place, pair: Compared, own: Documents | None, lacking: Gaps | None
    ) -> Effect:
        return effects(own, lacking, stream_of(self.seed, place, pair))[0]

    def _mean(self, each: Contrast, parts: Parts, own: Sequence[Effect]) -> Effect:
        if each.task != ALL_TASKS:
            return own[0]
        named = [(place.task, effect) for (place, _), effect in zip(parts, own, strict=True)]
        rng = stream_over_tasks(self.seed, each.model, each.wording, each.contrast)
        return mean_effect(named, rng)

    def _explain(self, each: Contrast, column: str) -> Explanation:
        told = definition_of(each, column, self.seed)
        if column == "p_holm":
            return self._explain_holm(each)
        if column in _OF_GAPS:
            gaps = self.gaps_of(each)
            return Explanation(
                definition=told,
                query=self.missing_query(each),
                recompute=lambda rows: of_effect(gaps(rows), column),
            )
        effect = self.effect_of(each)
        return Explanation(
            definition=told,
            query=self.pairs_query(each),
            recompute=lambda rows: of_effect(effect(rows), column),
            behind=partial(behind_document, self.experiment, [each.a, each.b]),
        )

    def _explain_holm(self, each: Contrast) -> Explanation:
        parts = [part for own in self.contrasts for part in self.parts(own)]
        if not self._family:
            self._family.append(Once(self._p_holm_of))
        return Explanation(
            definition=definition_of(each, "p_holm", self.seed),
            query=pairs_query(self.experiment, parts),
            recompute=lambda rows: Numbers(value=self._family[0](rows).get(tested(each))),
            behind=partial(behind_document, self.experiment, [each.a, each.b]),
        )

    def _p_holm_of(self, rows: Records) -> dict[object, float]:
        """What is tested -> its adjusted p, from the documents of all contrasts at once."""
        by_pair: dict[int, list[Record]] = {}
        for row in rows:
            by_pair.setdefault(int(str(row["contrast"])), []).append(row)
        pairs = _pairs([part for own in self.contrasts for part in self.parts(own)])
        number = {pair: at for at, pair in enumerate(pairs)}
        p_of: dict[object, float] = {}
        for each in self.contrasts:
            places = {place for place, _ in self.parts(each)}
            own = by_pair.get(number.get(Compared(each.a, each.b), -1), [])
            picked = [{**row, "contrast": 0} for row in own if _place(row) in places]
            if (p := self.effect_in(each, picked).p) is not None:
                p_of.setdefault(tested(each), p)
        return dict(zip(p_of, holm(list(p_of.values())), strict=True))


def pairs_query(experiment: str, parts: Parts) -> str:
    """The documents of some places with answers under both conditions of pairs."""
    pairs = _pairs(parts)
    inner = indented(body(query("pairs")))
    text = _BOUNDED.format(pairs=f"\n{inner}", place=", ".join(PLACE)).strip()
    return within(text, parameters(experiment, pairs), {}, _places(parts), order=PAIR_ORDER)


def answered(rows: Records) -> Answered:
    """Records as a query's answer."""
    columns = tuple(rows[0]) if rows else ()
    return Answered(columns, [tuple(row.values()) for row in rows])


def behind_document(experiment: str, asked: Sequence[Condition], row: Record) -> str:
    """The cells of one document under some conditions."""
    known = ("task", "dataset", "choices", "model", "wording", "descriptions", "document")
    wanted = {"experiment": experiment, **{name: row[name] for name in known if name in row}}
    return replies(wanted, any_of({"names": c.names, "prompt": c.prompt} for c in asked))


def place_of(each: Contrast) -> Place:
    """Where a contrast is."""
    own = (each.task, each.dataset, each.choices, each.model, each.wording, each.descriptions)
    return Place(*own)


def tested(each: Contrast) -> tuple[Place, frozenset[Condition]]:
    """What a contrast's p is of, by whichever name."""
    return place_of(each), frozenset((each.a, each.b))


def row_of(each: Contrast) -> Name:
    """A row by its place and contrast."""
    words = [each.task, each.dataset, each.choices, each.model, each.contrast]
    if each.wording != "own":
        words.append(f"wording {each.wording}")
    if each.descriptions not in {"none", "all"}:
        words.append(f"descriptions {each.descriptions}")
    name = " ".join(words)
    return Name(name, name)


def of_effect(effect: Effect, column: str) -> Numbers:
    """A column of the table, of an effect."""
    interval, share = effect.interval, effect.share_interval
    ends = {
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "share_low": share.low if share else None,
        "share_high": share.high if share else None,
    }
    if column in ends:
        return Numbers(value=ends[column])
    if column == "difference":
        value = effect.difference
        return Numbers(value=value, interval=interval, p=effect.p, n=effect.items)
    if column == "share":
        return Numbers(value=effect.share, interval=share)
    return Numbers(value=getattr(effect, column))


def _of_contrast(each: Contrast, column: str) -> Numbers:
    interval, share = each.interval, each.share_interval
    if column == "difference":
        return Numbers(value=each.difference, interval=interval, p=each.p, n=each.items)
    if column == "share":
        return Numbers(value=each.share, interval=share)
    if column in {"low", "high"}:
        return Numbers(value=getattr(interval, column) if interval else None)
    if column.startswith("share_"):
        return Numbers(value=getattr(share, column.removeprefix("share_")) if share else None)
    return Numbers(value=getattr(each, column))


def _undefined(each: Contrast, column: str, value: object) -> str | None:
    if value is None:
        return _why(each, column)
    return each.undefined if column == "difference" else None


def _why(each: Contrast, column: str) -> str:
    """Why a column has nothing."""
    if each.undefined:
        return each.undefined
    if column.startswith("share"):
        return "the first condition's value is 0, or cannot be told from it"
    if column in {"lowest", "highest"}:
        return "the metric is not within [0, 1]"
    return "no number of documents is enough" if column == "needed" else "it is not tested"


def _shown(each: Contrast, column: str, value: object) -> str:
    if value is None:
        return "–"
    task = TASKS.get(each.task)
    if not isinstance(value, float):
        return str(value)
    if column in {"p", "p_holm"}:
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if task is not None and task.unit == "nats" and not column.startswith("share"):
        return f"{value:+.3f} nats a token"
    signed = "" if column in {"value_a", "value_b", "detectable"} else "+"
    unit = "points" if signed and not column.startswith("share") else "%"
    return f"{100 * value:{signed}.1f} {unit}"


def _pairs(parts: Parts) -> list[Compared]:
    return list(dict.fromkeys(pair for _, pair in parts))


def _places(parts: Parts) -> str:
    """That a row is of one of these places."""
    places = list(dict.fromkeys(place for place, _ in parts))
    if len(places) == 1:
        own = zip(PLACE, astuple(places[0]), strict=True)
        return "\n  AND ".join(condition(name, value) for name, value in own)
    rows = ",\n    ".join(f"({', '.join(map(literal, astuple(place)))})" for place in places)
    return f"({', '.join(PLACE)}) IN (\n    {rows})"


def _place(row: Mapping[str, object]) -> Place:
    return Place(*(str(row[name]) for name in PLACE))


def _only_bounded(place: Place, known: Mapping[Place, bool]) -> Gaps | None:
    """Of gaps no more than whether the statistic can only be from 0 to 1."""
    if place not in known:
        return None
    nothing = np.array([np.nan])
    return Gaps(cells=0, bounded=(known[place],), lowest=nothing, highest=nothing)


def turned(found: Numbers, *, sign: int) -> Numbers:
    """A difference the other way round, where `sign` is -1."""
    if sign > 0 or found.value is None:
        return found
    span = found.interval
    return replace(
        found,
        value=-float(str(found.value)),
        interval=None if span is None else type(span)(-span.high, -span.low),
    )
