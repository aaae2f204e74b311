"""Explains every number of the study's tables and figures: its query, and how its rows make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from analysis.explain.explanation import Explanation, Numbers, Record, Records
from analysis.explain.queries import condition, literal, select
from analysis.sql import query
from analysis.studies.austenalike import explained_words as words
from analysis.studies.austenalike.experts import MERGED
from analysis.studies.austenalike.explained_lists import ListsExplainer
from analysis.studies.austenalike.names import CORPUS, PUBLISHED, SINGLE
from analysis.studies.austenalike.rows import ROWS, own_query
from analysis.studies.austenalike.tables import ALL

REPRESENTATIONS: Final = {row: name for name, row in ROWS.items()}
"""A row's name -> its representation."""
_PART: Final = {"2": "roles", "3": "social", "6": "roles", "7": "social"}
_OTHER_NOVELS: Final = ("2", "3")
_DIFFERENCE: Final = " difference"
_OTHERS: Final = " other novels"
_MISSES: Final = """
SELECT {place} AS place, {system} AS system, works, ordinal, character, work, chosen,
       EXISTS (FROM character_groups AS g
               WHERE g.corpus = m.corpus AND g.part = 'roles' AND g."group" = {other}
                 AND g.character = m.chosen) AS of_other
FROM ({rows}
) AS m
WHERE corpus = {corpus} AND part = 'roles' AND "group" = {role} AND NOT hit"""


class Explainer:
    """What explains the cells of the study in one mode."""

    def __init__(self, corpus: Corpus, mode: str, seed: int) -> None:
        """Take what the tables are of, how they were worked out, and the seed of the intervals."""
        self._corpus, self._seed = corpus, seed
        self._published = mode == PUBLISHED
        self._lists = ListsExplainer(corpus, seed, published=self._published)

    def __call__(self, cell: Cell) -> Explanation:
        """Where a cell comes from."""
        if cell.table in {"1", "5"}:
            return self._size(cell)
        if cell.table in _PART:
            return self._rate(cell, _PART[cell.table])
        if cell.table in {"8", "9"} or cell.column.startswith("pearson"):
            return self._correlation(cell)
        if cell.table == "4":
            return self._lists(cell)
        return self._miss(cell) if cell.table.startswith("Section") else self._bar(cell)

    def _size(self, cell: Cell) -> Explanation:
        attribute, group = ("role", cell.row) if cell.table == "1" else (cell.row, cell.column)
        wanted = {"corpus": CORPUS, "attribute": attribute, "group": group}
        columns = ("part", "attribute", '"group"', "ordinal", "character")

        def count(rows: Records) -> Numbers:
            return Numbers(value=float(len(rows)), n=len(rows))

        return Explanation(
            definition=words.size(cell, attribute, group),
            query=select(
                columns, "character_groups", wanted, "part IN ('roles', 'social')", order="ordinal"
            ),
            recompute=count,
        )

    def _rate(self, cell: Cell, part: str) -> Explanation:
        wanted: dict[str, object] = {"corpus": CORPUS, "part": part}
        wanted["group" if part == "roles" else "attribute"] = cell.column
        away = cell.table in _OTHER_NOVELS
        value: Callable[[Record], float | None] = hit
        if name := REPRESENTATIONS.get(cell.row):
            text = self._corpus.cosines_of(query("similarity/nearest"), name)
            if not self._published:
                wanted["works"] = "other" if away else "all"
            more = "chosen_work <> work" if away and self._published else ""
            behind = partial(self._corpus.of_cosines, name)
        else:
            text = self._corpus.choices_of(query("similarity/answers_in_groups"), cell.row)
            wanted["system"] = cell.row
            more = "chosen_work IS DISTINCT FROM work" if away and not self._published else ""
            value = _self_chosen if self._published else hit
            behind = partial(self._corpus.of_choices, cell.row)
        told = words.rate(cell, part, of_means(self._seed), published=self._published, away=away)
        return Explanation(
            definition=told,
            query=cut(text, wanted, more),
            recompute=means(value, self._seed),
            behind=behind,
        )

    def _correlation(self, cell: Cell) -> Explanation:
        name = REPRESENTATIONS[cell.row]
        own = self._corpus.representations[name]
        wanted: dict[str, object] = {"corpus": CORPUS, "pipeline": own.pipeline, "kind": own.kind}
        more: list[str] = []
        if self._published:
            # A pair counts where every representation has both.
            every = tuple(self._corpus.representations)
            text = self._corpus.cosines_of(own_query("expert_pairs"), *every)
            part = "raw"
        else:
            text = self._corpus.cosines_of(query("similarity/pairs"), name)
            part = wanted["part"] = MERGED
            more += [] if cell.column == "pearson_all_pairs" else ['"count" > 0']
        novel = cell.column if cell.table in {"8", "9"} and cell.column != ALL else ""
        if novel and self._published:
            more.append(condition("a_work", novel))
        elif novel:
            more.append(f"{literal(novel)} IN (a_work, b_work)")
        if cell.table == "9":
            more.append("a_work <> b_work")
        told = words.correlation(
            cell, novel, of_correlations(self._seed), published=self._published
        )
        return Explanation(
            definition=told,
            query=cut(text, wanted, *more),
            recompute=correlations(self._seed),
            behind=partial(self._corpus.of_pair, part),
        )

    def _bar(self, cell: Cell) -> Explanation:
        name = REPRESENTATIONS[cell.row]
        difference = cell.table.endswith(_DIFFERENCE)
        others = cell.table.removesuffix(_DIFFERENCE).endswith(_OTHERS)
        column, side = (cell.column, "") if difference else cell.column.rsplit(".", 1)
        part = "roles" if cell.table.startswith("Figure 2") else "social"
        wanted: dict[str, object] = {"corpus": CORPUS, "part": part}
        wanted["group" if part == "roles" else "attribute"] = column
        if self._published:
            text = own_query("bars")
        else:
            text = query("similarity/in_out")
            wanted["works"] = "other" if others else "all"
        told = words.bar(
            cell, (part, column, side), of_means(self._seed), published=self._published
        )
        return Explanation(
            definition=told,
            query=cut(self._corpus.cosines_of(text, name), wanted),
            recompute=means(number_in(f"mean_{side}") if side else less, self._seed),
            behind=partial(self._corpus.of_cosines, name),
        )

    def _miss(self, cell: Cell) -> Explanation:
        names: Mapping[str, object] = self._corpus.representations
        cosines = f"SELECT * FROM (\n{query('similarity/nearest')}\n)"
        asked = ", ".join(map(literal, SINGLE))
        answers = (
            f"SELECT * FROM (\n{query('similarity/answers_in_groups')}\n) WHERE system IN ({asked})"
        )
        known = {
            "corpus": literal(CORPUS),
            "role": literal(cell.row),
            "other": literal(cell.column),
        }
        first = _MISSES.format(
            place=1, system="pipeline || '_' || kind || 's'", rows=f"\n{cosines}", **known
        )
        second = _MISSES.format(
            place=2, system="system", rows=f"\nSELECT *, 'all' AS works FROM ({answers})", **known
        )
        text = f"{first.strip()}\nUNION ALL\n{second.strip()}"
        made = f"{self._corpus.cosines_of(text, *names)}\nORDER BY place, system, works, ordinal"
        return Explanation(
            definition=words.miss(cell, of_means(self._seed)),
            query=made,
            recompute=means(lambda row: float(bool(row["of_other"])), self._seed),
            behind=self._behind_miss,
        )

    def _behind_miss(self, row: Record) -> str:
        system = str(row["system"])
        if system in self._corpus.representations:
            return self._corpus.of_cosines(system, row)
        return self._corpus.of_choices(system, row)


def _self_chosen(row: Record) -> float:
    """An answer that names nobody but the character itself was taken for one in its group."""
    own = hit(row)
    return 1.0 if own is None else own
