"""Explains every number of the study's tables: the query of its characters or pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from analysis.cells import Cell
from analysis.explain.cosines import (
    Corpus,
    correlations,
    cut,
    hit,
    less,
    means,
    number_in,
    of_correlations,
    of_means,
)
from analysis.explain.explanation import Definition, Explanation
from analysis.explain.queries import literal
from analysis.sql import query
from analysis.studies.similarity.tables import ALL_GROUPS, ALL_WORKS, OTHER_WORKS

_SOURCE: Final = "AustenAlike (the similarity paper), section 5.{}; here for any corpus"
_RATE: Final = "sum(hit) / count(hit) over the rows"
_WHAT: Final = {
    "most similar": "How often the most similar character of a member of a group is in it too",
    "most similar by work": "How often the most similar character of a member is in its group too",
    "cosine": "Mean cosine of members to {side} their group, each member's mean once",
    "in less out": "Members' mean cosine to their group less that to everyone else",
}
_PAIRS: Final = {
    "pearson": "Pearson's correlation of cosine and count over the pairs that experts name",
    "pearson_all_pairs": "Pearson's correlation of cosine and count over all pairs, those that"
    " nobody names as 0",
    "jaccard": "Jaccard similarity of the ten most similar and the ten whom experts name most",
    "top10": "Whether whom experts name most is among the ten most similar",
}


class Explainer:
    """What explains the cells of one corpus's tables."""

    def __init__(self, corpus: Corpus, attributes: Sequence[str], part: str, seed: int) -> None:
        """Take what the tables are of.

        Args:
            corpus: Its representations and own models.
            attributes: Of its groups.
            part: Its benchmark of pairs.
            seed: Of the intervals.
        """
        self._corpus, self._attributes, self._part, self._seed = corpus, attributes, part, seed

    def __call__(self, cell: Cell) -> Explanation:
        """Where a cell comes from."""
        if cell.table == "pairs" or cell.table.startswith("pearson by work"):
            return self._of_pairs(cell)
        kind, _, name = cell.table.partition(": ")
        attribute = name if name in self._attributes else name.removesuffix(OTHER_WORKS)
        works = "all" if name == attribute else "other"
        if kind.startswith("most similar"):
            return self._rate(cell, kind, attribute, works)
        return self._cosine(cell, kind, attribute, works)

    def _rate(self, cell: Cell, kind: str, attribute: str, works: str) -> Explanation:
        wanted: dict[str, object] = {"attribute": attribute}
        if kind == "most similar" and cell.column != ALL_GROUPS:
            wanted["group"] = cell.column
        elif kind != "most similar" and cell.column != ALL_WORKS:
            wanted["work"] = cell.column
        others = ", those of other works alone" if works == "other" else ""
        if asked := self._corpus.systems(cell.row):
            name = asked[0].name
            text = self._corpus.choices_of(query("similarity/answers_in_groups"), name)
            away = "chosen_work IS DISTINCT FROM work" if works == "other" else ""
            made = cut(text, {"system": name, **wanted}, away)
            behind = partial(self._corpus.of_choices, name)
            whom = f"its most common answer{others}; no answer counts neither way"
        else:
            text = self._corpus.cosines_of(query("similarity/nearest"), cell.row)
            made = cut(text, {**wanted, "works": works})
            behind = partial(self._corpus.of_cosines, cell.row)
            whom = f"the highest cosine among all characters{others}"
        return Explanation(
            definition=Definition(
                what=f"{_WHAT[kind]} ({attribute}, {cell.column}; {cell.row}): {whom}.",
                formula=_RATE,
                unit="share in [0, 1]",
                source=_SOURCE.format("1"),
                interval=of_means(self._seed),
            ),
            query=made,
            recompute=means(hit, self._seed),
            behind=behind,
        )

    def _cosine(self, cell: Cell, kind: str, attribute: str, works: str) -> Explanation:
        group, _, side = cell.column.rpartition(".") if kind == "cosine" else (cell.column, "", "")
        wanted: dict[str, object] = {"attribute": attribute, "works": works}
        if group != ALL_GROUPS:
            wanted["group"] = group
        value = number_in(f"mean_{side}") if side else less
        told = _WHAT[kind].format(side="those of" if side == "in" else "everyone outside")
        others = ", among characters of other works" if works == "other" else ""
        return Explanation(
            definition=Definition(
                what=f"{told} ({attribute}, {group}; {cell.row}){others}.",
                formula=f"the mean of {f'mean_{side}' if side else 'mean_in - mean_out'} over the"
                " rows that have it",
                unit="cosine in [-1, 1]",
                source=_SOURCE.format("1"),
                interval=of_means(self._seed),
            ),
            query=cut(self._corpus.cosines_of(query("similarity/in_out"), cell.row), wanted),
            recompute=means(value, self._seed),
            behind=partial(self._corpus.of_cosines, cell.row),
        )

    def _of_pairs(self, cell: Cell) -> Explanation:
        if cell.table == "pairs" and cell.column in {"jaccard", "top10"}:
            return self._agreement(cell)
        wanted: dict[str, object] = {"part": self._part}
        more = [] if cell.column == "pearson_all_pairs" else ['"count" > 0']
        what = _PAIRS.get(cell.column, _PAIRS["pearson"])
        if cell.table != "pairs":
            if cell.column != ALL_WORKS:
                more.append(f"{literal(cell.column)} IN (a_work, b_work)")
                what += f" of which one is of {cell.column}"
            if cell.table.endswith(OTHER_WORKS):
                more.append("a_work <> b_work")
                what += ", the two of different works"
        return Explanation(
            definition=Definition(
                what=f"{what} ({cell.row}).",
                formula="corr(cosine, count) over the rows",
                unit="correlation in [-1, 1]",
                source=_SOURCE.format("2"),
                interval=of_correlations(self._seed),
            ),
            query=cut(self._corpus.cosines_of(query("similarity/pairs"), cell.row), wanted, *more),
            recompute=correlations(self._seed),
            behind=partial(self._corpus.of_pair, self._part),
        )

    def _agreement(self, cell: Cell) -> Explanation:
        column = "jaccard" if cell.column == "jaccard" else "top_share"
        wanted: dict[str, object] = {"part": self._part}
        if asked := self._corpus.systems(cell.row):
            if cell.column == "top10" and not asked[0].is_ten:
                column = "choice_share"
            wanted["system"] = cell.row
            text = self._corpus.choices_of(query("similarity/answers_in_pairs"), cell.row)
            behind = partial(self._corpus.of_choices, cell.row)
        else:
            text = self._corpus.cosines_of(query("similarity/top_ten"), cell.row)
            behind = partial(self._corpus.of_cosines, cell.row)
        return Explanation(
            definition=Definition(
                what=f"{_PAIRS[cell.column]} ({cell.row}); those who share a place count in part.",
                formula=f"the mean of {column} over the rows, a character each",
                unit="share in [0, 1]",
                source=_SOURCE.format("2"),
                interval=of_means(self._seed),
            ),
            query=cut(text, wanted),
            recompute=means(number_in(column), self._seed),
            behind=behind,
        )
